"""Lists of the pages that are made here from structs and their docstrings: config keys and `standings --json`."""

import ast
import inspect
import re
import typing
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, get_args, get_origin

import msgspec
from golden import Golden
from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import fields

from protocol.messages import Clocks, FaultPolicy
from referee.play.spec import BotLimits
from referee.tournament.config.bots import GivenBot
from referee.tournament.config.config import Settings
from referee.tournament.config.differences import AMENDABLE
from referee.tournament.config.hooks import Hooks
from referee.tournament.config.run_config import RunRules
from referee.tournament.config.tables import Qualify, Submissions
from referee.tournament.config.variants import GivenVariant
from referee.tournament.formats.table import formats_with
from referee.tournament.plan.rounds import StageRules, StopRules
from referee.tournament.summary import RunSummary
from referee.versions.entry import Builds

FOLDER = Path(__file__).parents[1] / "tournaments"

TABLES: dict[str, type[Struct]] = {
    "[tournament]": Settings,
    "qualify": Qualify,
    "[stop]": StopRules,
    "[time]": Clocks,
    "[faults]": FaultPolicy,
    "[limits]": BotLimits,
    "[[variants]]": GivenVariant,
    "[[bots]]": GivenBot,
    "[builds]": Builds,
    "[submissions]": Submissions,
    "[hooks]": Hooks,
}
"""The headings of CONFIG.md, and the struct that has the keys of each."""

PLAIN = {str: "text", bool: "true or false", int: "integer", float: "number"}


def test_the_page_of_the_config_has_every_key(golden: Golden) -> None:
    page = FOLDER / "CONFIG.md"
    text = golden.read(page).decode()
    for heading, struct in TABLES.items():
        text = with_list(text, heading, [*keys_of(struct)])
    golden.check(page, text.encode())


def test_the_page_of_exports_has_every_field_of_the_standings(golden: Golden) -> None:
    page = FOLDER / "EXPORT.md"
    meanings = docstrings(RunSummary)
    kinds, shown = typing.get_type_hints(RunSummary), set[type]()
    items = []
    for name, kind in kinds.items():
        inner = ", ".join(f"`{one}`" for one in within(kind, shown))
        items.append(f"- `{name}`{f' ({inner})' if inner else ''}: {meanings[name]}")
    golden.check(page, with_list(golden.read(page).decode(), "Standings as JSON", items).encode())


def within(kind: Any, shown: set[type]) -> Iterator[str]:
    """The fields of the structs in a field, but for those that were shown."""
    if isinstance(kind, type) and issubclass(kind, Struct) and kind not in shown:
        shown.add(kind)
        yield from (field.encode_name for field in fields(kind))
    for one in get_args(kind):
        yield from within(one, shown)


def with_list(text: str, heading: str, items: list[str]) -> str:
    """The page with the first list below this heading made anew."""
    above, found, below = text.partition(f"\n## {heading}\n")
    assert found, f"the page has no heading {heading}"
    before, dash, rest = below.partition("- `")
    return above + found + before + "\n".join(items) + "\n" + re.sub(r"\A(- .*\n)*", "", dash + rest)


def keys_of(struct: type[Struct]) -> Iterator[str]:
    meanings = docstrings(RunRules) | docstrings(StageRules) | docstrings(struct)
    kinds = typing.get_type_hints(struct, include_extras=True)
    for field in sorted(fields(struct), key=lambda field: field.name not in struct.__annotations__):
        name = field.name
        about = [values(kinds[name]), *default(field), *["amend"] * (struct is Settings and can_change(name))]
        only = formats_with(name) if struct is Settings else []
        sentence = f" Only for {', '.join(only)}." if only else ""
        yield f"- `{name}` ({'; '.join(about)}): {meanings[name]}{sentence}"


def can_change(name: str) -> bool:
    """Whether `--amend` takes another value. Keys on which no result depends may change at any time."""
    return name in AMENDABLE or name not in {*RunRules.__struct_fields__, *StageRules.__struct_fields__}


def values(kind: Any) -> str:
    """The values that a key takes, in words."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is typing.Annotated:
        meta = next(one for one in args[1:] if isinstance(one, Meta))
        least = meta.ge if meta.ge is not None else f"above {meta.gt}" if meta.gt is not None else None
        most = meta.le if meta.le is not None else meta.lt
        bounds = f"{least} to {most}" if most is not None else f"from {least}"
        return values(args[0]) if least is None else bounds
    if origin is typing.Literal:
        return ", ".join(f"`{value}`" for value in args)
    if origin in (tuple, dict):
        return "list" if origin is tuple else "table"
    if args:
        return ", ".join(values(one) for one in args if one is not type(None))
    return "table" if isinstance(kind, type) and issubclass(kind, Struct) else PLAIN.get(kind, "any")


def default(field: msgspec.structs.FieldInfo) -> Iterator[str]:
    if field.default is not NODEFAULT and field.default not in (None, (), "", False):
        yield f"default `{str(field.default).lower().removesuffix('.0')}`"


def docstrings(struct: type[Struct]) -> dict[str, str]:
    """By field, the text below it in the source, also of fields that it inherits."""
    found: dict[str, str] = {}
    for one in reversed(struct.__mro__):
        if one.__module__.startswith(("referee", "protocol")):
            (made,) = ast.parse(dedent(inspect.getsource(one))).body
            assert isinstance(made, ast.ClassDef)
            for field, text in pairwise(made.body):
                match field, text:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                        found[name] = " ".join(words.split())
    return found
