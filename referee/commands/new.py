"""new: a project for a new bot in the author's language, and which languages there are."""

import shlex
from pathlib import Path

from msgspec import Struct
from tabulate import tabulate

from protocol.text import printable
from referee.commands.console import DONE, HOST_FAILED, USAGE, put, say
from referee.kit.new import BOT_FOLDER, CONFIG, NoProject, NotBuilt, build, files_of, name_for, write_project
from referee.kit.starters import NoStarter, Starter, Tool, find_starter, missing_tools, starters, tools_here

_WORDS_LIMIT = 1000
"""Characters of a message that are shown; it may hold the names of files."""

_BUILD_LINES = 40
"""How many of the last lines of a failed build are shown."""


class NewProject(Struct, frozen=True, kw_only=True):
    """What the author asks for."""

    folder: Path
    language: str
    name: str | None
    """The bot's; None for one after the folder."""


def make_project(order: NewProject) -> int:
    """Write the project, build its bot where that is needed and possible, and say what was done."""
    try:
        starter = find_starter(order.language)
        write_project(starter, order.folder, name_for(order.folder, order.name))
    except (NoStarter, NoProject) as error:
        say(f"golfref: {printable(str(error), _WORDS_LIMIT)}")
        return USAGE
    say(f"A bot in {starter.manifest.title} is written to {_shown(order.folder)}:")
    say(*(f"  {file}" for file in files_of(order.folder)))
    if missing := missing_tools(starter):
        say(f"golfref: {_lack(starter, missing, order.folder)}")
        return HOST_FAILED
    if starter.manifest.build:
        say(f"Building it with `{shlex.join(starter.manifest.build)}`")
    try:
        build(starter, order.folder)
    except NotBuilt as error:
        say("golfref: the project is written, but its bot could not be built. The build says:")
        say(*(f"  {printable(line, _WORDS_LIMIT)}" for line in str(error).splitlines()[-_BUILD_LINES:]))
        say(f"When that is mended, build it with {_build_steps(starter, order.folder)}")
        return HOST_FAILED
    say(f"Now play a first tournament: {_first_steps(order.folder)}", "The README there says how to go on.")
    return DONE


def list_languages() -> int:
    """Every language, whether all that it needs is here, and how to get what is not."""
    found = starters().values()
    here = tools_here([tool for starter in found for tool in starter.manifest.tools])
    rows = []
    for starter in found:
        tools = starter.manifest.tools
        ready = "no" if any(here[tool] is None for tool in tools) else "yes"
        rows.append((starter.language, ready, "\n".join(_told(tool, here[tool]) for tool in tools)))
    put(tabulate(rows, headers=["language", "ready", "needs"], disable_numparse=True))
    return DONE


def _told(tool: Tool, version: str | None) -> str:
    """A tool with its version, or with how to get it."""
    if version is None:
        return f"{tool.name}: missing; {tool.remedy()}"
    return f"{tool.name} ({version})" if version else tool.name


def _lack(starter: Starter, missing: list[Tool], folder: Path) -> str:
    names = " and ".join(tool.name for tool in missing)
    verb, them = ("is", "it") if len(missing) == 1 else ("are", "them")
    packages = " ".join(package for tool in missing for package in tool.packages)
    then = f"play a first tournament with `{_first_steps(folder)}`"
    if starter.manifest.build:
        then = f"build the bot with `{_build_steps(starter, folder)}`"
    return f"{names} {verb} not installed here: get {them} with `apt-get install {packages}`, and {then}"


def _build_steps(starter: Starter, folder: Path) -> str:
    return f"cd {_quoted(folder / BOT_FOLDER)} && {shlex.join(starter.manifest.build)}"


def _first_steps(folder: Path) -> str:
    there = "" if folder.resolve() == Path.cwd() else f"cd {_quoted(folder)} && "
    return f"{there}golfref tournament {CONFIG}"


def _quoted(folder: Path) -> str:
    return shlex.quote(_shown(folder))


def _shown(folder: Path) -> str:
    return printable(str(folder), _WORDS_LIMIT)
