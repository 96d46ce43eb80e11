"""Knowledge flows one way (CONTRIBUTING.md): the imports are read, and an arrow that points back fails."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = (
    "protocol",
    "referee.rules",
    "referee.play",
    "referee.tournament",
    "referee.reports",
    "referee.commands",
    "referee.cli",
)
SOURCES = sorted(path for room in ("protocol", "referee", "bots") for path in (ROOT / room).rglob("*.py"))


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def room_of(module: str) -> int | None:
    """The number of the room; None for what is not ours, and for `referee` itself, which holds the version alone."""
    found = [number for number, room in enumerate(ROOMS) if module == room or module.startswith(f"{room}.")]
    return found[0] if found else None


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_one_way(path: Path) -> None:
    own = module_of(path)
    for module in imports(path):
        if own.startswith("bots"):
            assert not module.startswith(("referee", "bots")), f"{own} imports {module}"
        elif (there := room_of(module)) is not None and (here := room_of(own)) is not None:
            assert there <= here, f"{own} imports {module}"


def test_the_rules_are_pure() -> None:
    forbidden = {"os", "time", "random", "secrets", "socket", "subprocess", "threading", "trio", "sqlite3", "datetime"}
    for path in (ROOT / "referee/rules").rglob("*.py"):
        assert not forbidden & {module.partition(".")[0] for module in imports(path)}, path.name


def test_the_protocol_stands_on_msgspec_alone() -> None:
    ours = {module for path in (ROOT / "protocol").glob("*.py") for module in imports(path)}
    assert not {module for module in ours if module.startswith(("referee", "bots", "trio", "typer"))}
