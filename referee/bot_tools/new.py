"""A new project of a bot's author: a starter, a tournament against shipped bots, and a page that says how to go on.

The texts are those of bots/starters/project; here they are filled in. It must not know what any language is like.
"""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from string import Template

from msgspec import Struct

from referee.bot_tools.starters import MANIFEST, STARTERS, Starter
from referee.errors import HOST_FAILED, GolfrefError
from referee.play.spec import LONGEST_NAME, SHIPPED

BOT_FOLDER = "bot"
"""The folder of a project in which the bot lies. It has one of its own, so that it can be shown to a cell without the
config, and so that its version follows from its files alone."""

CONFIG = "config.toml"
"""The tournament of a project."""

RIVALS = ("greedy", "keeper")
"""The shipped bots that it plays against."""

_TEMPLATES = STARTERS / "project"
"""What lies in a project besides the files of the starter; what stands behind a `$` there is filled in."""

_INSTALLED = Path(__file__).resolve().parent.parent.parent
"""The folder that holds the packages `protocol` and `referee`."""

_CODEC = ("arguments", "codec", "codes", "columns", "moves", "network", "tensors")
"""The modules of research that a bot with a policy imports."""

_BUILD = """## Build

In the folder `bot`, after each change:

    {command}"""
_NO_BUILD = "Nothing has to be built: change the bot and run it."

_ABOUT = """, keeps low cards and throws high ones away.
Four comments in its file in `bot/` begin with "Next:" and name the next additions."""
_ABOUT_POLICY = """: by the policy in
`bot/model.npz` where the game and the number of seats are those of its training, and otherwise the first legal move."""
_GAME = """[[variants]]
preset = "{preset}"
options = {{ rounds = {rounds} }}"""

_PLACEHOLDER = "my-bot"
"""What starters are called until they get a name."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BUILD_S = 600.0
_SHOWN = 5
"""How many files of a folder that is not empty are named."""


class Policy(Struct, frozen=True, kw_only=True):
    """A trained policy: its file, and the game that it plays."""

    file: Path
    preset: str
    seats: int


class NoProject(GolfrefError, ValueError):
    """The project cannot be written; the text says why, and what to do."""


class NotBuilt(GolfrefError):
    """The build command failed; the text is what it said."""

    exit_code = HOST_FAILED


def name_for(folder: Path, given: str | None) -> str:
    """The name of the bot: the one that is given, else one after the folder. Raises NoProject."""
    if given is None:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name)[:LONGEST_NAME].strip("._-")
        return f"my-{plain}"[:LONGEST_NAME] if plain in RIVALS else plain or _PLACEHOLDER
    if given in RIVALS:
        raise NoProject(f"`{given}` is the name of a rival in {CONFIG}; choose another one")
    if not _NAME.fullmatch(given) or len(given) > LONGEST_NAME:
        expected = f"1 to {LONGEST_NAME} letters from A to Z and digits, and after the first also . _ -"
        raise NoProject(f"a bot cannot be called {given!r} here; expected {expected}")
    return given


def write_project(starter: Starter, folder: Path, name: str, policy: Policy | None = None) -> None:
    """Write the project into a folder that does not exist yet or is empty. Raises NoProject.

    With a `policy` the bot plays by it instead of the starter's program.
    """
    _check_empty(folder)
    try:
        bot = folder / BOT_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        if policy is None:
            _copy_bot(starter, bot, name)
        else:
            _copy_policy(policy.file, bot, name)
        for template in filter(Path.is_file, _TEMPLATES.rglob("*")):
            text = Template(template.read_text(encoding="utf-8")).substitute(_words(starter, name, policy))
            (folder / template.relative_to(_TEMPLATES)).write_text(text, encoding="utf-8")
        ignored = ("*.golfref", "*.golfref-*", *(f"/{BOT_FOLDER}/{built}" for built in starter.manifest.built))
        (folder / ".gitignore").write_text("\n".join(ignored) + "\n", encoding="utf-8")
    except OSError as error:
        raise NoProject(f"cannot write {error.filename or folder}: {error.strerror or error}") from None


def build(starter: Starter, folder: Path) -> None:
    """Run the build command of a project, where it has one. Raises NotBuilt."""
    if not starter.manifest.build:
        return
    try:
        done = subprocess.run(
            starter.manifest.build,
            cwd=folder / BOT_FOLDER,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_BUILD_S,
        )
    except OSError as error:
        raise NotBuilt(f"`{starter.manifest.build[0]}` does not start: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise NotBuilt(f"it was not done after {_BUILD_S:.0f} s") from None
    if done.returncode != 0:
        raise NotBuilt(done.stdout.decode(errors="replace").strip() or f"it ended with code {done.returncode}")


def files_of(folder: Path) -> list[str]:
    """The files of a project, as they are printed: those of the bot first, without its copy of golfref's code."""
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    files = [file for file in files if not {"protocol", "referee"} & set(file.parts)]
    return [str(file) for file in sorted(files, key=lambda file: (len(file.parts) == 1, file))]


def _check_empty(folder: Path) -> None:
    hint = "name a folder that does not exist yet, or an empty one"
    try:
        there = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise NoProject(f"{folder} is a file, or lies in one; {hint}") from None
    except OSError as error:
        raise NoProject(f"cannot look into {folder}: {error.strerror}; {hint}") from None
    if there:
        some = ", ".join(there[:_SHOWN]) + ", ..." * (len(there) > _SHOWN)
        raise NoProject(f"the folder {folder} is not empty ({some}); {hint}")


def _copy_bot(starter: Starter, bot: Path, name: str) -> None:
    built = (path.split("/")[0] for path in starter.manifest.built)
    _copy(starter.folder, bot, MANIFEST, *built)
    for file in bot.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes().replace(_PLACEHOLDER.encode(), name.encode()))
    for shared in starter.manifest.shared:
        _copy(SHIPPED / shared, bot / shared)


def _copy_policy(policy: Path, bot: Path, name: str) -> None:
    """Copy a policy with the program that plays by it, and the code that the program imports."""
    for room in ("protocol", "referee/rules"):
        _copy(_INSTALLED / room, bot / room, "*.md", "schema*", "transcripts")
    (bot / "referee/research").mkdir()
    (bot / "referee/research/__init__.py").touch()
    for file in ("referee/__init__.py", "referee/errors.py", *(f"referee/research/{module}.py" for module in _CODEC)):
        shutil.copyfile(_INSTALLED / file, bot / file)
    program = (_INSTALLED / "referee/research/policy_bot.py").read_text(encoding="utf-8")
    (bot / "bot.py").write_text(program.replace(_PLACEHOLDER, name), encoding="utf-8")
    shutil.copyfile(policy, bot / "model.npz")


def _copy(source: Path, target: Path, *left_out: str) -> None:
    """Copy what is in a folder, with the modes of new files: what is installed may be read-only."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc", ".*_cache", *left_out)
    shutil.copytree(source, target, ignore=ignore, copy_function=shutil.copyfile)


def _words(starter: Starter, name: str, policy: Policy | None) -> dict[str, str]:
    """What the templates leave open. An array of strings in JSON is one in TOML too."""
    manifest = starter.manifest
    build_command = shlex.join(manifest.build)
    games = {"six-card": 3, "powers": 2, "cactus": 3} if policy is None else {policy.preset: 3}
    return {
        "name": name,
        "about": _ABOUT if policy is None else _ABOUT_POLICY,
        "seats": str(3 if policy is None else policy.seats),
        "games": "\n\n".join(_GAME.format(preset=preset, rounds=rounds) for preset, rounds in games.items()),
        "title": manifest.title,
        "quoted": f'"{shlex.join(manifest.command)}"',
        "command_array": json.dumps(manifest.command, ensure_ascii=False),
        "build_key": f"\nbuild = {json.dumps(manifest.build, ensure_ascii=False)}" if build_command else "",
        "built": f" `{build_command}` builds it there, after each change." if build_command else "",
        "building": _BUILD.format(command=build_command) if build_command else _NO_BUILD,
        "needs": "\n".join(f"- {tool.name}: {tool.remedy()}" for tool in manifest.tools),
        "installed": str(SHIPPED.parent),
    }
