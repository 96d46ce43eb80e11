"""From a parsed TOML document to structs, collecting every problem on the way instead of stopping at the first.

Knows types and keys. It must not know what the keys of a tournament mean, nor where in the file they stand.
"""

import json
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from operator import eq
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from msgspec import Struct, ValidationError, convert
from msgspec.structs import fields

from protocol.text import label_problem

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""

KeyPath = tuple[str | int, ...]
"""The way to a value through tables (names) and arrays (indices)."""

S = TypeVar("S", bound=Struct)


class Problem(Struct, frozen=True, kw_only=True):
    """Something that is wrong in the document."""

    path: KeyPath
    text: str
    at_key: bool = False
    """Whether the key is wrong, not its value."""
    first: KeyPath | None = None
    """Another key to which the problem refers. Whoever shows the problem names its line."""

    @property
    def in_words(self) -> str:
        """The path as people write it, and what is wrong: `bots[1].env.'odd key': expected str, got int`."""
        names = (key if isinstance(key, int) or BARE_KEY.fullmatch(key) else repr(key) for key in self.path)
        dotted = "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in names)
        return f"{dotted.removeprefix('.')}: {self.text}"


class Reader:
    """Collects `problems` while it turns tables into structs.

    A struct's fields need defaults: they stand in for what is absent, and for what is wrong so that the rest can be
    checked as well.
    """

    def __init__(self, homes: Mapping[str, str], gone: Mapping[str, str] | None = None) -> None:
        """`homes` has by key the table where it belongs, for keys that are found elsewhere.

        `gone` has by key or value that earlier releases took what to write instead.
        """
        self.problems: list[Problem] = []
        self._homes, self._gone = homes, gone or {}

    def add(self, path: KeyPath, text: str, *, at_key: bool = False, first: KeyPath | None = None) -> None:
        """Note a problem."""
        self.problems.append(Problem(path=path, text=text, at_key=at_key, first=first))

    def missing(self, path: KeyPath, text: str = "required, but missing") -> None:
        """Note that something is absent, unless it is there but wrong."""
        if not self.wrong(path):
            self.add(path, text)

    def wrong(self, path: KeyPath) -> bool:
        """Whether a problem was noted at this path, around it or inside it."""
        return any(all(map(eq, path, problem.path)) for problem in self.problems)

    def check_label(self, path: KeyPath, text: str | None, longest: int) -> None:
        """A name must be there, and show as what it is."""
        if text is None:
            self.missing(path)
        elif problem := label_problem(text, longest):
            self.add(path, problem)

    def check_unique(self, section: str, items: Sequence[Any], stand_in: str) -> None:
        """No two of a section go by the same name. Where no `name` is given, the value of `stand_in` is the name."""
        first: dict[str, KeyPath] = {}
        for index, item in enumerate(items):
            key = stand_in if item.name is None else "name"
            name, path = getattr(item, key), (section, index, key)
            if name in first:
                hint = "" if key == "name" else "; give this one a `name`"
                self.add(path, f"the name `{name}` is taken{hint}", first=first[name])
            elif name is not None:
                first[name] = path

    def struct(self, kind: type[S], given: Any, path: KeyPath = ()) -> S:
        """The table `given` as a struct."""
        if not isinstance(given, dict):
            self.add(path, f"expected table, got {_type(given)}")
            return kind()
        kinds = {field.name: field.type for field in fields(kind)}
        values = {}
        for key, value in given.items():
            if key in kinds:
                values[key] = self._value(kinds[key], value, (*path, key))
            else:
                self.add((*path, key), self._unknown(key, tuple(kinds)), at_key=True)
        return kind(**{key: value for key, value in values.items() if value is not None})

    def _unknown(self, key: str, known: tuple[str, ...]) -> str:
        if key in self._gone:
            return f"golfref has no such key any more; {self._gone[key]}"
        if key in self._homes:
            return f"unknown key here; it belongs in {self._homes[key]}"
        if near := get_close_matches(key, known, n=1):
            return f"unknown key; did you mean `{near[0]}`?"
        if near := get_close_matches(key, self._homes, n=1):
            return f"unknown key; did you mean `{near[0]}`? It belongs in {self._homes[near[0]]}"
        return f"unknown key; expected {', '.join(known)}"

    def _value(self, kind: Any, given: Any, path: KeyPath) -> Any:
        """The value as this type. None when it is wrong, since TOML has no null."""
        origin, args = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return self._either([arg for arg in args if arg is not type(None)], given, path)
        if origin is tuple:
            return self._array(args[0], given, path)
        if origin is dict:
            return self._table(args[1], given, path)
        if origin is Literal:
            return self._choice(args, given, path)
        if isinstance(kind, type) and issubclass(kind, Struct):
            return self.struct(kind, given, path)
        return self._leaf(kind, given, path)

    def _either(self, kinds: Sequence[Any], given: Any, path: KeyPath) -> Any:
        """The value as the one type there is, or as a table or one of some words."""
        if len(kinds) == 1:
            return self._value(kinds[0], given, path)
        table = next(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Struct))
        words = next(get_args(kind) for kind in kinds if get_origin(kind) is Literal)
        if isinstance(given, dict):
            return self.struct(table, given, path)
        return self._choice(words, given, path, or_else=f"table with {', '.join(table.__struct_fields__)}")

    def _array(self, kind: Any, given: Any, path: KeyPath) -> tuple[Any, ...] | None:
        """The array, which must not be empty, since no key of ours has a use for an empty one."""
        sections = isinstance(kind, type) and issubclass(kind, Struct)
        expected = f"at least one [[{path[-1]}]]" if sections else f"array of {kind.__name__}"
        if not isinstance(given, list):
            hint = f"; write {json.dumps(given.split(), ensure_ascii=False)}" if isinstance(given, str) else ""
            self.add(path, f"expected {expected}, got {_type(given)}{hint if given else ''}")
            return None
        if not given:
            self.add(path, f"expected {expected}, got an empty array")
            return None
        values = tuple(self._value(kind, value, (*path, index)) for index, value in enumerate(given))
        return None if None in values else values

    def _table(self, kind: Any, given: Any, path: KeyPath) -> dict[str, Any] | None:
        if not isinstance(given, dict):
            self.add(path, f"expected table, got {_type(given)}")
            return None
        return {key: self._value(kind, value, (*path, key)) for key, value in given.items()}

    def _choice(self, choices: tuple[str, ...], given: Any, path: KeyPath, *, or_else: str = "") -> str | None:
        if isinstance(given, str) and given in choices:
            return given
        if isinstance(given, str) and given in self._gone:
            self.add(path, f"golfref has no {_excerpt(given)} any more; {self._gone[given]}")
            return None
        expected = " or ".join([*(f'"{choice}"' for choice in choices), *filter(None, [or_else])])
        self.add(path, f"expected {expected}, got {_excerpt(given)}")
        return None

    def _leaf(self, kind: Any, given: Any, path: KeyPath) -> Any:
        try:
            value = convert(given, kind)
        except ValidationError as error:
            self.add(path, f"expected {_expected(kind, error, given)}")
            return None
        if isinstance(value, str) and "\0" in value:
            self.add(path, "holds a NUL character")
            return None
        return value


def _expected(kind: Any, error: ValidationError, given: Any) -> str:
    """What was expected and what was got. Of a number that is out of bounds all bounds, in the unit of its type."""
    text = str(error).replace("`", "").replace("object", "table").removeprefix("Expected ")
    if ", got " in text:
        return text
    if get_origin(kind) is Annotated:
        base, meta = get_args(kind)[:2]
        bounds = {">=": meta.ge, ">": meta.gt, "<=": meta.le, "<": meta.lt}
        held = " and ".join(f"{sign} {bound}" for sign, bound in bounds.items() if bound is not None)
        text = f"{meta.description or base.__name__} {held}" if held else text
    return f"{text}, got {_excerpt(given)}"


def _type(given: Any) -> str:
    """What TOML calls the type of this value."""
    if isinstance(given, dict):
        return "table"
    return "array" if isinstance(given, list) else type(given).__name__


def _excerpt(given: Any) -> str:
    """A value as its author would recognise it, cut where it is long."""
    if isinstance(given, float):
        return repr(given)  # `nan` and `inf` as TOML writes them
    text = json.dumps(given, ensure_ascii=False) if isinstance(given, str | int) else _type(given)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


_LONGEST_SHOWN = 60
