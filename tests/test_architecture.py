"""Knowledge flows one way (CONTRIBUTING.md), between the rooms and between the sub-rooms of each room.

The imports are read, and an arrow that points back fails, as does a folder that does not say what lives in it.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ROOMS = (
    "protocol",
    "referee.errors",
    "referee.toml",
    "referee.beneath",
    "referee.lock_file",
    "referee.ending_signals",
    "referee.streams",
    "referee.wall_clock",
    "referee.rules",
    "referee.play",
    "referee.trials",
    "referee.versions",
    "referee.tournament",
    "referee.cluster",
    "referee.reports",
    "referee.events",
    "referee.match_states",
    "referee.highlights",
    "referee.plots",
    "referee.site",
    "referee.bundle",
    "referee.bot_check",
    "referee.bot_tools",
    "referee.terminal",
    "referee.competition",
    "referee.research",
    "referee.commands",
    "referee.library",
)

FLOORS = {
    "referee.rules": (
        ("dice", "keyed_streams", "par_table", "questions", "secrets"),
        ("options",),
        ("variants",),
        ("chance", "check_options"),
        ("scoring", "table"),
        ("games",),
        ("describe", "match"),
        ("game",),
        ("counts",),
        ("record",),
    ),
    "referee.play": (
        ("spec", "faults"),
        ("sandbox", "talk"),
        ("process",),
        ("slaps",),
        ("pump",),
        ("greeting", "match", "session"),
    ),
    "referee.tournament": (
        ("results", "voids"),
        ("figures",),
        ("plan",),
        ("orders",),
        ("series", "standings", "workers"),
        ("tally",),
        ("formats", "series_summary"),
        ("config",),
        ("store",),
        ("run", "summary"),
        ("verify",),
    ),
}
"""For each room its sub-rooms and single files, the lowest floor first. Each floor imports from lower ones only."""

SOURCES = sorted(path for room in ("protocol", "referee", "bots") for path in (ROOT / room).rglob("*.py"))
SUBROOMS = sorted(path for room in FLOORS for path in (ROOT / room.replace(".", "/")).iterdir() if path.is_dir())


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path) for path in SOURCES}


@cache
def imports(path: Path) -> tuple[str, ...]:
    """What a file imports; `from package import module` counts as an import of that module."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            for alias in node.names:
                yield f"{module}.{alias.name}" if f"{module}.{alias.name}" in MODULES else module


def place_of(module: str, places: Sequence[str]) -> int | None:
    """The number of the place in which the module stands; None for what stands in none of them."""
    found = [number for number, place in enumerate(places) if module == place or module.startswith(f"{place}.")]
    return found[0] if found else None


def points_back(own: str, module: str) -> bool:
    """Whether the module must not be imported by `own`."""
    if own.startswith("bots"):
        return module.startswith(("referee", "bots"))
    there, here = place_of(module, ROOMS), place_of(own, ROOMS)
    return there is not None and here is not None and there > here


def test_imports_point_one_way() -> None:
    arrows = [(module_of(path), module) for path in SOURCES for module in imports(path)]

    assert [f"{own} imports {module}" for own, module in arrows if points_back(own, module)] == []


@pytest.mark.parametrize("room", FLOORS)
def test_imports_within_a_room_point_one_way(room: str) -> None:
    floor_of = {f"{room}.{name}": number for number, names in enumerate(FLOORS[room]) for name in names}
    places = tuple(floor_of)
    for path in (ROOT / room.replace(".", "/")).rglob("*.py"):
        own = module_of(path)
        here = place_of(own, places)
        assert here is not None or own == room, f"{own} stands on no floor of FLOORS"
        for module in imports(path) if here is not None else ():
            there = place_of(module, places)
            if here is not None and there is not None and there != here:
                assert floor_of[places[there]] < floor_of[places[here]], f"{own} imports {module}"


@pytest.mark.parametrize(
    ("folder", "unknown", "exceptions"),
    [
        ("plan", "results", {"rounds", "meetings"}),
        ("figures", "plan", set()),
    ],
)
def test_a_subroom_does_not_know_what_its_docstring_rules_out(folder: str, unknown: str, exceptions: set[str]) -> None:
    paths = (ROOT / "referee/tournament" / folder).rglob("*.py")
    what = f"referee.tournament.{unknown}"
    knowing = {path.stem for path in paths if any(f"{module}.".startswith(f"{what}.") for module in imports(path))}
    assert knowing == exceptions
    docstring = ast.get_docstring(ast.parse((ROOT / "referee/tournament" / folder / "__init__.py").read_text())) or ""
    assert [name for name in exceptions if f"`{name}.py`" not in docstring] == []


@pytest.mark.parametrize(
    "folder", [path for path in SUBROOMS if path.name != "__pycache__"], ids=lambda path: path.name
)
def test_a_subroom_says_what_lives_there_and_what_it_must_not_know(folder: Path) -> None:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""

    assert "must not" in docstring


SHARED_BY_GAMES = {"turns", "look", "slaps"}


def test_no_game_imports_the_file_of_another_and_a_match_imports_none() -> None:
    rules = ROOT / "referee/rules"
    games = {module_of(path) for path in (rules / "games").glob("*.py") if path.stem not in SHARED_BY_GAMES}
    paths = (rules / "match.py", *(rules / "games").glob("[!_]*.py"))
    arrows = [(path.stem, module) for path in paths for module in imports(path) if module in games]

    assert {f"{own} imports {module}" for own, module in arrows} == {
        "match imports referee.rules.games",  # the registry
        "powers imports referee.rules.games.power_cards",  # one game in two files
    }


def test_the_rules_are_pure() -> None:
    forbidden = {"os", "time", "random", "secrets", "socket", "subprocess", "threading", "trio", "sqlite3", "datetime"}
    for path in (ROOT / "referee/rules").rglob("*.py"):
        assert not forbidden & {module.partition(".")[0] for module in imports(path)}, path.name


def test_the_protocol_stands_on_msgspec_alone() -> None:
    ours = {module for path in (ROOT / "protocol").glob("*.py") for module in imports(path)}
    assert not {module for module in ours if module.startswith(("referee", "bots", "trio", "typer"))}


def test_what_every_installation_imports_is_declared() -> None:
    """Each library that a module of ours imports stands in pyproject.toml: as a dependency, or in an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *(one for some in project["optional-dependencies"].values() for one in some)]
    names = {re.split(r"[^\w-]", one)[0].replace("-", "_") for one in declared}
    ours = {"bots", "kit", "protocol", "referee"} | {path.stem for path in (ROOT / "bots").rglob("*.py")}
    by_other_names = {"PIL", "pyspiel", "sklearn"}
    come_along = {
        "_typeshed",
        "dask",
        "markupsafe",
        "threadpoolctl",
    }  # parts of mypy, distributed, jinja2, scikit-learn
    foreign = {
        module.partition(".")[0]
        for path in SOURCES
        if not path.is_relative_to(ROOT / "bots")
        for module in imports(path)
    }
    assert foreign - sys.stdlib_module_names - ours - by_other_names - come_along - names == set()
