"""Projects of `golfref new`, written and built once for all tests that play with them."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from made_once import shared
from msgspec import Struct
from needs import need_tools

from referee.bot_tools.new import BOT_FOLDER, build, write_project
from referee.bot_tools.starters import find_starter


class Project(Struct, frozen=True, kw_only=True):
    """A project whose bot has been built. Nothing may be changed in its folder, since all tests share it."""

    folder: Path
    bot: Path
    """The folder in which the bot starts."""
    command: str
    """What starts it there, quoted."""


Projects = Callable[[str], Project]
"""The project in a language. The test is skipped, with the reason, where a tool of that language is missing."""


def built_projects(factory: pytest.TempPathFactory) -> Projects:
    """Projects for one run of tests."""

    def project(language: str) -> Project:
        starter = find_starter(language)
        need_tools(starter)

        def make(folder: Path) -> None:
            write_project(starter, folder, language)
            build(starter, folder)

        folder = shared(factory, f"project-{language}", make)
        return Project(folder=folder, bot=folder / BOT_FOLDER, command=shlex.join(starter.manifest.command))

    return project
