"""The starters: for each language a bot to begin with, and which of the tools that it needs are installed here.

A starter is a folder of bots/starters with a `starter.toml`; bots/starters/README.md says what stands in it. Nothing is
known here of any language but what its folder says.
"""

import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.errors import GolfrefError
from referee.play.spec import SHIPPED

STARTERS = SHIPPED / "starters"
"""The folder of the starters, which are installed beside the referee."""

MANIFEST = "starter.toml"
"""The file in the folder of a starter that says what it needs."""

_PATIENCE_S = 30.0
"""How long a tool may take to tell its version; some start slowly."""


class Tool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program or library that a starter needs."""

    name: str
    version: tuple[str, ...]
    """The command that succeeds where the tool is installed, and tells its version."""
    packages: tuple[str, ...]
    """The Debian packages that bring it."""
    otherwise: str = ""
    """Another way to get it, in words."""

    def remedy(self) -> str:
        """How to get the tool, as part of a sentence."""
        install = "apt-get install " + " ".join(self.packages)
        return f"{install}, or {self.otherwise}" if self.otherwise else install


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `starter.toml` says."""

    title: str
    """The language as people write it."""
    command: tuple[str, ...]
    """What runs the bot in its folder."""
    tools: tuple[Tool, ...]
    build: tuple[str, ...] = ()
    """What builds the bot in its folder; empty where nothing has to be built."""
    built: tuple[str, ...] = ()
    """Files and folders that building makes."""
    shared: tuple[str, ...] = ()
    """Folders of the shipped bots that are copied beside the bot."""
    other_names: tuple[str, ...] = ()
    """What else the language is called."""


class Starter(Struct, frozen=True, kw_only=True):
    """A bot to begin with."""

    language: str
    """The name of its folder, by which it is asked for."""
    folder: Path
    manifest: Manifest


class NoStarter(GolfrefError, ValueError):
    """There is no starter in that language; the text says which there are."""


def starters() -> dict[str, Starter]:
    """Every starter by its language, in the order of names."""
    folders = sorted(manifest.parent for manifest in STARTERS.glob(f"*/{MANIFEST}"))
    return {folder.name: _read(folder) for folder in folders}


def find_starter(language: str) -> Starter:
    """The starter in a language, by any of its names. Raises NoStarter."""
    found = starters()
    names = {name.lower(): one for one in found.values() for name in _names(one)}
    if (starter := names.get(language.strip().lower())) is not None:
        return starter
    near = get_close_matches(language.strip().lower(), names, n=1)
    hint = f"did you mean `{names[near[0]].language}`?" if near else f"there are {', '.join(found)}"
    raise NoStarter(f"there is no starter in `{language}`; {hint}")


def tools_here(tools: Sequence[Tool]) -> dict[Tool, str | None]:
    """The version of each tool: empty where it does not tell one, None where the tool is not installed here."""
    with ThreadPoolExecutor(max_workers=8) as pool:
        return dict(zip(tools, pool.map(_version, tools), strict=True))


def missing_tools(starter: Starter) -> list[Tool]:
    """The tools of a starter that are not installed here."""
    return [tool for tool, version in tools_here(starter.manifest.tools).items() if version is None]


def _read(folder: Path) -> Starter:
    manifest = msgspec.toml.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    return Starter(language=folder.name, folder=folder, manifest=manifest)


def _names(starter: Starter) -> tuple[str, ...]:
    return starter.language, starter.manifest.title, *starter.manifest.other_names


def _version(tool: Tool) -> str | None:
    try:
        done = subprocess.run(
            tool.version, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    number = re.search(r"\d+(\.\d+)+", (done.stdout + done.stderr).decode(errors="replace"))
    return number[0] if number else ""
