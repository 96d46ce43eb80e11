"""What keeps a bot from being started under a level of isolation, looked for before play."""

import shutil
from pathlib import Path

from referee.play.isolation.cell import cell_of
from referee.play.isolation.shown import Unfit
from referee.play.isolation.startable import start_problem
from referee.play.spec import BotSpec, Isolation, script_of, search_path, why_not_executable


def find_problem(spec: BotSpec, isolation: Isolation) -> str | None:
    """What keeps a bot from being started under this level, in words; None where nothing does."""
    if problem := find_command(spec):
        return problem
    if isolation == "bwrap":
        try:
            cell_of(spec)
        except Unfit as error:
            return str(error)
    return None


def find_command(spec: BotSpec) -> str | None:
    """What keeps the bot's command from being started, in words; None where nothing does.

    A program without a slash is looked for where `search_path` says. A relative path is relative to the bot's folder,
    in which the process will start.
    """
    program = spec.command[0]
    if "/" in program:
        return _file_problem(Path(spec.dir, program), program, spec) or _script_problem(spec)
    path = shutil.which(program, path=search_path(spec))
    if path is None:
        here = Path(spec.dir, program).is_file()
        return f"`{program}` is not on the PATH" + (f"; for the file in {spec.dir} write `./{program}`" if here else "")
    return start_problem(Path(path), program, spec) or _script_problem(spec)


def _file_problem(path: Path, program: str, spec: BotSpec) -> str | None:
    if path.is_dir():
        return f"`{program}` is a folder; name the program in it"
    if not path.is_file():
        return f"there is no file `{program}`" + ("" if program.startswith("/") else f" in {spec.dir}")
    if why := why_not_executable(path):
        return f"`{program}` {why}"
    return start_problem(path, program, spec)


def _script_problem(spec: BotSpec) -> str | None:
    script = script_of(spec.command)
    if script is None or Path(spec.dir, script).exists():
        return None
    return f"there is no file `{script}`" + ("" if script.startswith("/") else f" in {spec.dir}")
