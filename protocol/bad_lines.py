"""Why a line is no message of the expected kind: a code, the place in the line, the path of the field, and words.

The decoder decides whether a line is bad. This module explains what it refused, and decides nothing.
"""

import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal

import msgspec.inspect
from msgspec import Struct
from msgspec.inspect import (
    BoolType,
    IntType,
    LiteralType,
    NoneType,
    StrType,
    StructType,
    TupleType,
    Type,
    UnionType,
    VarTupleType,
)

Code = Literal[
    "utf_16", "not_utf_8", "byte_order_mark", "no_message", "syntax", "cut", "constant", "surrogate", "deep",
    "no_object", "no_type", "other_type", "missing", "null", "in_array", "wrong_type", "out_of_bounds", "too_long",
    "array_length", "unknown_word", "kind", "not_filled_in",
]  # fmt: skip
"""What can be wrong with a line: with its encoding, with its JSON, with a field."""


class BadLine(ValueError):
    """A line that is not a message of the expected kind; the text says what is wrong with it."""

    def __init__(self, code: Code, words: str, *, start: int = 0, path: str = "") -> None:
        super().__init__(words)
        self.code = code
        self.start = start
        """Where in the line, as a number of characters."""
        self.path = path
        """The field that is wrong or lacks one, such as `.action.slots[0]`; empty for the whole message."""


_CHOICES = ("one_of", "pick", "any_of")
"""The fields of an offer's choice. A value that has one of them was copied from the offer and not filled in."""

_DEBUGGING = "standard output is for messages only, print debugging to standard error"

_KINDS = "expected the `kind` of an offer of the request"

_IDIOMS = tuple(
    (re.compile(looks, re.DOTALL), what)
    for looks, what in (
        (r"\{\s*'", "strings need double quotes; in Python print json.dumps(...)"),
        (r"\{\s*[A-Za-z_]\w*\s*[:=]|.*\[object Object\]", "in JavaScript print JSON.stringify(...)"),
        (r'\{.*"\s*=>', "`=>` is no colon; in Ruby print JSON.generate(...)"),
        (r"\{.*[:\[,]\s*(?:True|False|None)\b", "JSON has true, false, null; in Python print json.dumps(...)"),
        (r"\{.*\}\s*\\n", "a backslash and an n follow, and no newline"),
        (r"\{.*\}\s*[\x85\u2028\u2029]", "U+0085, U+2028 or U+2029 follows, and no newline"),
        (r"\{.*\}\s*\0", "a zero byte follows"),
        (r"> .*@", "`npm start` prints that: start node itself, or `npm start --silent`"),
        (r"[^{]", _DEBUGGING),
    )
)
"""How a line that is no JSON looks, and what is wrong with it then."""

_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_SPACE = re.compile(r"[ \t\r\n]*")
_SCANNER = json.JSONDecoder()

_NAMES = {
    bool: "a boolean", int: "an integer", float: "a float", str: "a string", list: "an array", dict: "an object",
    type(None): "null",
}  # fmt: skip

_PYTHON_TYPES: dict[type, type] = {
    StructType: dict, TupleType: list, VarTupleType: list, IntType: int, StrType: str, LiteralType: str, BoolType: bool
}  # fmt: skip


# The encoding and the JSON


def no_utf_8(line: bytes, error: UnicodeDecodeError | None = None) -> BadLine | None:
    """A line in another encoding; None where it is, as far as can be seen, UTF-8."""
    if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or 3 * line.count(0) > len(line):
        return BadLine("utf_16", "not UTF-8: it is UTF-16 or UTF-32; let your program write UTF-8")
    if error is None:
        return None
    words = f"not UTF-8: byte {error.start + 1} of the line; let your program write UTF-8"
    return BadLine("not_utf_8", words, start=len(line[: error.start].decode()))


def no_json(line: bytes) -> BadLine:
    """A line of UTF-8 that is no JSON."""
    if line.startswith(BOM_UTF8):
        return BadLine("byte_order_mark", "it begins with a byte order mark")
    text = line.decode()
    constants: list[str] = []
    try:
        json.loads(text, parse_constant=constants.append, parse_int=float)
    except json.JSONDecodeError as error:
        return _malformed(text, error)
    except RecursionError:
        return too_deep(text)
    # Python's reader takes numbers that are none, half a surrogate pair, and integers of any length.
    if constants:
        return BadLine("constant", f"not JSON: {constants[0]} is no number", start=text.find(constants[0]))
    if (found := _HALF_A_PAIR.search(text)) is None:
        return BadLine("out_of_bounds", "not JSON: a number is out of range")
    words = "not JSON: a string holds half of a surrogate pair, such as \\ud83d alone, which is no character"
    return BadLine("surrogate", words, start=found.start())


def _malformed(text: str, error: json.JSONDecodeError) -> BadLine:
    start = len(text) - len(text.lstrip())
    idiom = next((words for looks, words in _IDIOMS if looks.match(text, start)), "")
    at = min(error.pos, len(text.rstrip("\r\n")))
    is_object = text.startswith("{", start)
    if is_object and not idiom and _ends_early(text):
        return BadLine("cut", "not JSON: the line ends too early; a message is one line", start=at)
    words = f"not JSON: {idiom or f'{error.msg[0].lower()}{error.msg[1:]} (column {at + 1})'}"
    if is_object or "[object Object]" in text:
        return BadLine("syntax", words, start=at)
    return BadLine("no_message", words, start=start)


def _ends_early(text: str) -> bool:
    """Whether more text could make it JSON, perhaps after the end of a string."""
    text = text.rstrip(" \t\r\n")
    for begun in (text, text + '"'):
        try:
            json.loads(begun, parse_int=float)
        except json.JSONDecodeError as error:
            if error.pos >= len(text):
                return True
    return False


def too_deep(text: str) -> BadLine:
    """A line whose arrays and objects stand in one another deeper than anybody reads."""
    nest = re.search(r"[\[{]{9}", text)
    return BadLine("deep", "nested too deeply", start=nest.start() if nest else 0)


# The fields

_declared = cache(msgspec.inspect.type_info)


def no_such_message(text: str, message: Any, kind: type[Struct]) -> BadLine:
    """A line of JSON that is no message of this kind; `message` is its value."""
    bad = _of_message(message, kind)
    bad.start = find(text, bad.path)
    return bad


def _of_message(message: Any, kind: type[Struct]) -> BadLine:
    tag = str(kind.__struct_config__.tag)
    if isinstance(message, str):
        return BadLine("no_object", "it is encoded twice: print the JSON, not a string that holds it")
    if isinstance(message, list):
        return BadLine("no_object", "a message is one object, not an array")
    if not isinstance(message, dict):
        return BadLine("no_message", f"it is {_NAMES[type(message)]}; {_DEBUGGING}")
    if "type" not in message:
        return BadLine("no_type", f"`type` is missing; a message of type `{tag}` was awaited")
    if isinstance(given := message["type"], str) and given != tag:
        return BadLine("other_type", f"`type` is `{given}`; a message of type `{tag}` was awaited", path=".type")
    return next(_in_fields(message, _declared(kind), ""), BadLine("no_object", f"it is no `{tag}` message"))


def _in_fields(value: dict[str, Any], declared: Any, path: str) -> Iterator[BadLine]:
    """What is wrong with an object."""
    if not path:
        yield from _in_value(value["type"], StrType(), ".type")
    for field in declared.fields:
        inner = f"{path}.{field.encode_name}"
        if field.encode_name in value:
            yield from _in_value(value[field.encode_name], field.type, inner)
        elif field.required:
            whole = "an action has all the fields of the offer" if path else "an answer has `id` and `action`"
            yield BadLine("missing", f"`{inner[1:]}` is missing; {whole}", path=path)


def _in_value(value: Any, declared: Any, path: str) -> Iterator[BadLine]:
    """What is wrong with a value."""
    types: tuple[Any, ...] = declared.types if isinstance(declared, UnionType) else (declared,)
    first, name, given = types[0], path[1:], type(value)
    if value is None and not any(isinstance(one, NoneType) for one in types):
        yield BadLine("null", f"`{name}` is null; expected {_expected(first)}", path=path)
    elif value is None:
        return
    elif given is not _PYTHON_TYPES[type(first)]:
        yield _wrong_type(value, first, path)
    elif isinstance(first, StructType):
        yield from _in_action(value, types, path)
    elif isinstance(first, VarTupleType | TupleType):
        yield from _in_array(value, first, path)
    elif isinstance(first, LiteralType) and value not in first.values:
        yield BadLine("unknown_word", f"`{name}` is `{value}`; expected {_expected(first)}", path=path)
    elif isinstance(first, IntType) and not (first.ge or 0) <= value <= (first.le or value):
        yield BadLine("out_of_bounds", f"`{name}` is {value:.6g}; expected {_expected(first)}", path=path)
    elif isinstance(first, StrType) and len(value) > (first.max_length or len(value)):
        yield BadLine("too_long", f"`{name}` has {len(value)} characters; expected {_expected(first)}", path=path)


def _in_action(value: dict[str, Any], types: tuple[StructType, ...], path: str) -> Iterator[BadLine]:
    kind = value.get("kind")
    if "kind" not in value:
        yield BadLine("kind", f"`{path[1:]}.kind` is missing; {_KINDS}", path=path)
    elif not isinstance(kind, str):
        yield _wrong_type(kind, StrType(), f"{path}.kind")
    elif (named := next((one for one in types if getattr(one, "tag", None) == kind), None)) is not None:
        yield from _in_fields(value, named, path)
    else:
        yield BadLine("kind", f"`{path[1:]}.kind` is `{kind}`, which no action has; {_KINDS}", path=f"{path}.kind")


def _in_array(value: list[Any], declared: Any, path: str) -> Iterator[BadLine]:
    is_fixed = isinstance(declared, TupleType)
    for number, one in enumerate(value):
        yield from _in_value(one, declared.item_types[0] if is_fixed else declared.item_type, f"{path}[{number}]")
    most = len(declared.item_types) if is_fixed else declared.max_length
    if len(value) > most or (is_fixed and len(value) < most):
        yield BadLine(
            "array_length", f"`{path[1:]}` has {len(value)} elements; expected {_expected(declared)}", path=path
        )


def _wrong_type(value: Any, declared: Type, path: str) -> BadLine:
    """A value that is of another type than declared, with the usual reason for it."""
    words = f"`{path[1:]}` is {_NAMES[type(value)]}; expected {_expected(declared)}"
    if isinstance(value, dict) and any(choice in value for choice in _CHOICES):
        return BadLine(
            "not_filled_in", f"{words}: fill in the offer's choices (protocol/README.md, section 4)", path=path
        )
    if isinstance(value, list):
        advice = "a single value stands by itself, not in an array (in R: toJSON(..., auto_unbox = TRUE))"
        return BadLine("in_array", f"{words}: {advice}", path=path)
    return BadLine("wrong_type", words, path=path)


def _expected(declared: Any) -> str:
    """What may stand there, in words."""
    words: dict[type, Callable[[], str]] = {
        StructType: lambda: "an object whose `kind` is one that the request offers",
        IntType: lambda: f"an integer from {declared.ge} to {declared.le}",
        StrType: lambda: "a string" + (f" of at most {declared.max_length} characters" if declared.max_length else ""),
        LiteralType: lambda: " or ".join(f"`{value}`" for value in declared.values),
        TupleType: lambda: f"an array of {len(declared.item_types)}",
        VarTupleType: lambda: f"an array of at most {declared.max_length}",
        BoolType: lambda: "true or false",
    }
    return words[type(declared)]()


# Places


def find(text: str, path: str) -> int:
    """The index in a JSON text at which the value of a path begins, such as `.action.slots[0]`.

    Where the path leads nowhere, it is the last value on the way.
    """
    at = _skip(text, 0)
    try:
        for name, index in _STEP.findall(path):
            at = _member(text, at, name) if name else _element(text, at, int(index))
    except (ValueError, IndexError, KeyError, RecursionError):
        pass
    return at


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _after(text: str, at: int) -> int:
    """Where the next member or element begins, after a value that begins here."""
    _, here = _SCANNER.raw_decode(text, at)
    here = _skip(text, here)
    return _skip(text, here + 1) if text[here] == "," else here


def _member(text: str, at: int, name: str) -> int:
    """Where the value of the last key of this name begins, in the object that begins at `at`."""
    found, here = None, _skip(text, at + 1)
    while text[here] != "}":
        key, here = _SCANNER.raw_decode(text, here)
        here = _skip(text, _skip(text, here) + 1)
        found = here if key == name else found
        here = _after(text, here)
    if found is None:
        raise KeyError(name)
    return found


def _element(text: str, at: int, index: int) -> int:
    here = _skip(text, at + 1)
    for _ in range(index):
        here = _after(text, here)
    return here
