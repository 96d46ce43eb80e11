"""new: a project for a new bot in the author's language, and which languages there are."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from tabulate import tabulate

from protocol.text import printable
from referee.bot_tools.new import BOT_FOLDER, CONFIG, NotBuilt, Policy, build, files_of, name_for, write_project
from referee.bot_tools.starters import Starter, Tool, find_starter, missing_tools, starters, tools_here
from referee.commands.console import put, say
from referee.commands.options import refuse
from referee.errors import DONE, HOST_FAILED, CommandError

_WORDS_LIMIT = 1000
"""Characters of a message that are shown; it may hold the names of files."""

_BUILD_LINES = 40
"""How many of the last lines of a failed build are shown."""


def new(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The project's folder: a new one, or an empty one.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="LANGUAGE", help="The bot's language; --list names them.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The bot's name; default: that of the folder.")] = None,
    policy: Annotated[
        Path | None, typer.Option(metavar="NPZ", help="With --language python: a trained policy that the bot plays by.")
    ] = None,
    lists: Annotated[
        bool, typer.Option("--list", help="List the languages, which of their tools are here, and what to install.")
    ] = False,
) -> int:
    """Begin a bot: a project with a bot that plays every game, a small tournament, and a page on how to go on.

    Example: golfref new mine --language python
    """
    if lists:
        refuse("--list", {"DIR": folder, "--language": language, "--name": name, "--policy": policy})
        return list_languages()
    if folder is None or language is None:
        raise CommandError("expected DIR and --language LANGUAGE; --list names the languages")
    return _make_project(folder, language, name, policy)


def _make_project(folder: Path, language: str, name: str | None, policy: Path | None) -> int:
    """Write the project, build its bot where that is needed and possible, and print what was done."""
    starter = find_starter(language)
    read = None if policy is None else _read_policy(starter, policy)
    write_project(starter, folder, name_for(folder, name), read)
    say(f"A bot in {starter.manifest.title} is written to {_shown(folder)}:")
    say(*(f"  {file}" for file in files_of(folder)))
    if missing := missing_tools(starter):
        raise CommandError(_lack(starter, missing, folder), HOST_FAILED)
    if starter.manifest.build:
        say(f"Building it with `{shlex.join(starter.manifest.build)}`")
    try:
        build(starter, folder)
    except NotBuilt as error:
        lines = [f"  {printable(line, _WORDS_LIMIT)}" for line in str(error).splitlines()[-_BUILD_LINES:]]
        then = f"when that is mended, build it with {_build_steps(starter, folder)}"
        said = "the project is written, but its bot could not be built. The build printed:"
        raise CommandError("\n".join([said, *lines, then]), HOST_FAILED) from None
    say(f"Now play a first tournament: {_first_steps(folder)}", "Go on with the README there.")
    return DONE


def _read_policy(starter: Starter, policy: Path) -> Policy:
    """Return the policy in the file. Raises CommandError where a bot in this language cannot play by it."""
    from referee.research.network import BadPolicy, Network  # noqa: PLC0415 - numpy is for nobody else here

    if starter.language != "python":
        raise CommandError(f"--policy makes a bot in Python; expected --language python, got {starter.language}")
    try:
        codec = Network.load(policy).codec
    except OSError as error:
        raise CommandError(f"cannot read {_shown(policy)}: {error.strerror}") from None
    except BadPolicy as error:
        raise CommandError(
            f"{printable(str(error), _WORDS_LIMIT)}; referee/research/README.md has the arrays"
        ) from None
    return Policy(file=policy, preset=codec.variant.preset, seats=codec.seats)


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
