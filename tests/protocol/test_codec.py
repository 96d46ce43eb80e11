"""The codec against the specification: what README.md promises to take is taken, and what it refuses is refused.

`promised` is the specification once more, by Python's own JSON and with the kinds of actions read from the tables of
README.md. It knows nothing of the message types.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import protocol
from protocol.codec import BadLine, decode_answer, decode_ready

README = (Path(protocol.__file__).parent / "README.md").read_text(encoding="utf-8")

# The specification


class Refused(ValueError):
    """The specification refuses the line."""


def check(holds: bool) -> None:
    if not holds:
        raise Refused


def is_index(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 9999


def are_indices(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 64 and all(map(is_index, value))


def is_target(value: Any) -> bool:
    return are_indices(value) and len(value) == 2


TYPES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("slot", "seat", "row", "card", "par"), is_index),
    **dict.fromkeys(("slots", "rows", "lines"), are_indices),
    "target": is_target,
    "targets": lambda value: isinstance(value, list) and len(value) == 2 and all(map(is_target, value)),
    "from": lambda value: value in ("stock", "pile"),
    "axis": lambda value: value in ("row", "column"),
    "power": lambda value: isinstance(value, str) and len(value) <= 2,
}
"""The fields of actions by name, as the text below the table in section 5 says."""


def kinds() -> dict[str, list[tuple[str, bool]]]:
    """The fields of each kind of action and whether it is `two` of something, from the table in section 5."""
    table = README.partition("| `kind` | fields | what it does |")[2].partition("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
    found: dict[str, list[tuple[str, bool]]] = {}
    for names, fields, *_ in rows:
        told = re.findall(r"`(\w+)`(: two)?", fields)
        for name in re.findall(r"`(\w+)`", names):
            found[name] = [(field, bool(two)) for field, two in told if field in TYPES]
    return found


KINDS = kinds()


def check_action(value: Any) -> None:
    check(isinstance(value, dict))
    kind = value.get("kind")
    check(isinstance(kind, str) and kind in KINDS)
    for field, two in KINDS[kind]:
        check(field in value and TYPES[field](value[field]))
        check(not two or len(value[field]) == 2)


def check_answer(message: Any) -> None:
    check(isinstance(message, dict) and message.get("type") == "answer")
    check(isinstance(message.get("id"), str))
    check_action(message.get("action"))
    if message.get("then") is not None:
        check_action(message["then"])


def check_ready(message: Any) -> None:
    check(isinstance(message, dict) and message.get("type") == "ready")
    for field in ("name", "version", "author"):
        check(isinstance(message.get(field, ""), str) and len(message.get(field, "")) <= 64)
    for field in ("table", "slaps"):
        check(type(message.get(field, True)) is bool)


def no_constant(name: str) -> Any:
    raise Refused(name)


def check_strings(value: Any) -> None:
    """No string has half of a surrogate pair."""
    if isinstance(value, str):
        check(not any("\ud800" <= letter <= "\udfff" for letter in value))
    elif isinstance(value, dict | list | tuple):
        for one in value:
            check_strings(one)


def all_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object; the strings of a value that does not count are looked at here."""
    check_strings(pairs)
    return dict(pairs)


def promised(line: bytes, check_message: Callable[[Any], None]) -> Any:
    """The message of a line as section 1 reads it. Raises ValueError for a line that the specification refuses."""
    message = json.loads(line.decode("utf-8"), object_pairs_hook=all_pairs, parse_constant=no_constant)
    check_strings(message)
    check_message(message)
    return message


# Lines of bots, right and wrong


class Object(list[tuple[str, Any]]):
    """The pairs of an object, in which a key may stand more than once."""


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, -1, 9999, 10_000, 2**53, 2**64, 10**30, 1.0, 0.5, 1e300, -0.0])
    | st.text(max_size=5)
    | st.sampled_from(
        ["\ud83d", "\ude00\ud83d", "\U0001f600", "\x00\x7f", "answer", "ready", "flip", "stock", 65 * "x"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(st.text(max_size=3), inner), max_size=3).map(Object),
    max_leaves=6,
)
"""Any value. An object is an Object."""


def indices(least: int = 0, most: int = 66) -> st.SearchStrategy[Any]:
    return st.lists(st.integers(0, 9999), min_size=least, max_size=most)


RIGHT: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("slot", "seat", "row", "card", "par"), st.integers(0, 9999)),
    **dict.fromkeys(("slots", "rows", "lines"), indices(most=5) | indices()),
    "target": indices(2, 2),
    "targets": st.lists(indices(2, 2), min_size=2, max_size=2),
    "from": st.sampled_from(["stock", "pile"]),
    "axis": st.sampled_from(["row", "column"]),
    "power": st.sampled_from(["3", "10", "BK"]),
    "id": st.text(max_size=3) | st.just(65 * "x"),
    **dict.fromkeys(
        ("name", "version", "author"), st.text(max_size=3) | st.sampled_from([64 * "\U0001f600", 65 * "x"])
    ),
    **dict.fromkeys(("table", "slaps"), st.booleans()),
}


@st.composite
def bent(draw: st.DrawFn, pairs: list[tuple[str, Any]]) -> Object:
    """The pairs, perhaps with one left out, changed, or joined by others, before or behind, of the same keys or not."""
    pairs = list(pairs)
    keys = [key for key, _ in pairs]
    for bend in draw(st.lists(st.sampled_from(["drop", "change", "ahead", "behind", "order"]), max_size=2)):
        key = draw(st.sampled_from([*keys, *keys, "x", "type", "kind"]))
        if bend == "drop":
            pairs = [pair for pair in pairs if pair[0] != key]
        elif bend == "change":
            pairs = [(one, draw(JSON) if one == key else value) for one, value in pairs]
        elif bend == "ahead":
            pairs.insert(0, (key, draw(JSON)))
        elif bend == "behind":
            pairs.append((key, draw(JSON)))
        else:
            pairs = draw(st.permutations(pairs))
    return Object(pairs)


@st.composite
def actions(draw: st.DrawFn) -> Object:
    kind = draw(st.sampled_from(sorted(KINDS)))
    fields = [(field, draw(indices(2, 2) if two else RIGHT[field])) for field, two in KINDS[kind]]
    return draw(bent([("kind", kind), *fields]))


@st.composite
def answers(draw: st.DrawFn) -> Object:
    then = draw(st.just([]) | st.tuples(st.just("then"), st.none() | actions()).map(lambda one: [one]))
    pairs = [("type", "answer"), ("id", draw(RIGHT["id"])), ("action", draw(actions())), *then]
    return draw(bent(pairs))


@st.composite
def readies(draw: st.DrawFn) -> Object:
    fields = draw(st.lists(st.sampled_from(["name", "version", "author", "table", "slaps"]), unique=True))
    return draw(bent([("type", "ready"), *((field, draw(RIGHT[field])) for field in fields)]))


@st.composite
def lines(draw: st.DrawFn, messages: st.SearchStrategy[Object]) -> bytes:
    """A message as one of the many texts that JSON allows for it, and now and then as one that it does not."""
    ascii_only, space = draw(st.booleans()), draw(st.sampled_from(["", " ", "\t", " \r"]))
    text = "".join(pieces(draw(messages), space, ascii_only=ascii_only))
    data = text.encode("utf-8", "surrogatepass") + draw(st.sampled_from([b"\n", b"\r\n", b" \n"]))
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(data) - 1))
        data = (
            data[:at] + draw(st.sampled_from([b"", b"\\", b'"', b",", b"\xff", b"\x00", b"NaN", b"0"])) + data[at + 1 :]
        )
    return data


def pieces(value: Any, space: str, *, ascii_only: bool) -> Iterator[str]:
    """The JSON of a value, with this white space wherever it may stand."""
    if isinstance(value, Object):
        pairs = [
            f"{json.dumps(key, ensure_ascii=ascii_only)}{space}:{space}"
            + "".join(pieces(one, space, ascii_only=ascii_only))
            for key, one in value
        ]
        yield "{" + space + f"{space},{space}".join(pairs) + space + "}"
    elif isinstance(value, list | tuple):
        yield "[" + ",".join("".join(pieces(one, space, ascii_only=ascii_only)) for one in value) + space + "]"
    else:
        yield json.dumps(value, ensure_ascii=ascii_only)


def agree(line: bytes, check_message: Callable[[Any], None], decode: Callable[[bytes], Any]) -> None:
    """The codec takes the line if and only if the specification does, and takes it for the same message."""
    try:
        wanted = promised(line, check_message)
    except ValueError:
        with pytest.raises(BadLine):
            decode(line)
        return
    heard = msgspec.to_builtins(decode(line))
    assert {key: wanted.get(key, value) for key, value in heard.items() if key not in ("action", "then")} == {
        key: value for key, value in heard.items() if key not in ("action", "then")
    }
    for name in ("action", "then"):
        if heard.get(name) is not None:
            assert json.loads(json.dumps(heard[name])) == {key: wanted[name][key] for key in heard[name]}


def test_the_table_of_the_kinds_is_read() -> None:
    assert len(KINDS) == 37
    assert KINDS["swap_lines"] == [("seat", False), ("axis", False), ("lines", True)]
    assert KINDS["draw"] == [("from", False)]


@settings(max_examples=100)
@given(line=lines(st.one_of(answers(), answers(), readies(), JSON.map(lambda one: Object([("x", one)])))))
@example(b"{}")
@example(b'{"name": 1, "type": "ready", "name": "a"}')
@example(b'{"id": "a", "action": {"kind": "pass"}}')
@example(b'{"type": "ready", "type": "answer", "id": "a", "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": "a", "action": {"kind": "pass"}, "x": "\\ud800"}')
@example(b'{"type": "answer", "id": "' + 65 * b"x" + b'", "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": null, "id": "a", "x": 1e999, "action": {"kind": "pass"}}')
def test_a_line_is_taken_as_the_specification_says(line: bytes) -> None:
    agree(line, check_ready, decode_ready)
    agree(line, check_answer, decode_answer)


@pytest.mark.parametrize("opens", [b"[", b'{"x":'])
def test_a_hundred_levels_are_taken(opens: bytes) -> None:
    closes = b"]" if opens == b"[" else b"}"
    deep = 99 * opens + b"1" + 99 * closes
    for earlier in (b"", b'"id": null, '):
        line = b'{"type": "answer", ' + earlier + b'"id": "a", "action": {"kind": "pass"}, "x": ' + deep + b"}"
        assert decode_answer(line).id == "a"
