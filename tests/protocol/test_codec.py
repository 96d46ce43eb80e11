"""The codec against the specification: what README.md promises to take is taken, and what it refuses is refused.

`promised` is the specification once more, by Python's own JSON and with the kinds of actions read from the tables of
README.md. It knows nothing of the message types.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import protocol
from protocol.bad_lines import BadLine
from protocol.codec import comment_of, decode_answer, decode_ready

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


# Lines of bots, right and wrong: texts, since a key may stand in an object more than once

Text = st.SearchStrategy[str]

WORDS = r"""
null true 0 1 -1 9999 10000 1.0 1e3 -0.0 1e999 NaN Infinity 1e400 [] [[1,[2]]] {} {"a":1,"a":2} {"kind":"pass"}
"answer" "ready" "flip" "stock" "" "\u00e9\ud83d\ude00" "\ud83d" {"x":"\ud83d","x":1}
"""
ODD: Text = st.sampled_from([*WORDS.split(), json.dumps(65 * "x"), str(10**30), '"\U0001f600"'])
"""Values that may stand wherever another one is expected."""


def indices(least: int = 0, most: int = 66) -> Text:
    return st.lists(st.integers(0, 9999), min_size=least, max_size=most).map(json.dumps)


def words(*texts: str) -> Text:
    return st.sampled_from(texts).map(json.dumps)


RIGHT: dict[str, Text] = {
    **dict.fromkeys(("slot", "seat", "row", "card", "par"), st.integers(0, 9999).map(str)),
    **dict.fromkeys(("slots", "rows", "lines"), indices(most=5) | indices()),
    "target": indices(2, 2),
    "targets": st.lists(indices(2, 2), min_size=2, max_size=2).map(lambda two: f"[{', '.join(two)}]"),
    "from": words("stock", "pile"),
    "axis": words("row", "column"),
    "power": words("3", "10", "BK"),
    "id": words("a", 65 * "x", "\u20ac\x7f"),
    **dict.fromkeys(("name", "version", "author"), words("", "ada", 64 * "\U0001f600", 65 * "x")),
    **dict.fromkeys(("table", "slaps"), words("x") | st.sampled_from(["true", "false"])),
}


@st.composite
def bent(draw: st.DrawFn, pairs: list[tuple[str, str]]) -> str:
    """An object of these pairs, perhaps with one left out, changed, or joined by others, of the same keys or not."""
    keys = [key for key, _ in pairs]
    for bend in draw(st.lists(st.sampled_from(["drop", "change", "ahead", "behind", "order"]), max_size=2)):
        key = draw(st.sampled_from([*keys, *keys, "x", "type", "kind"]))
        if bend == "drop":
            pairs = [pair for pair in pairs if pair[0] != key]
        elif bend == "change":
            pairs = [(one, draw(ODD) if one == key else value) for one, value in pairs]
        elif bend == "order":
            pairs = draw(st.permutations(pairs))
        else:
            more = [(key, draw(ODD))]
            pairs = [*more, *pairs] if bend == "ahead" else [*pairs, *more]
    space = draw(st.sampled_from(["", " ", "\t", " \r"]))
    return "{" + ",".join(f"{space}{json.dumps(key)}{space}:{space}{value}" for key, value in pairs) + space + "}"


@st.composite
def actions(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(sorted(KINDS)))
    fields = [(field, draw(indices(2, 2) if two else RIGHT[field])) for field, two in KINDS[kind]]
    return draw(bent([("kind", json.dumps(kind)), *fields]))


@st.composite
def messages(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        then = [("then", draw(st.just("null") | actions()))] if draw(st.booleans()) else []
        return draw(bent([("type", '"answer"'), ("id", draw(RIGHT["id"])), ("action", draw(actions())), *then]))
    fields = draw(st.lists(st.sampled_from(["name", "version", "author", "table", "slaps"]), unique=True))
    return draw(bent([("type", '"ready"'), *((field, draw(RIGHT[field])) for field in fields)]))


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A message, and now and then a byte of it is another."""
    data = draw(messages()).encode() + draw(st.sampled_from([b"\n", b"\r\n", b" \n"]))
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(data) - 1))
        other = draw(st.sampled_from([b"", b"\\", b'"', b",", b"\xff", b"\x00", b"NaN", b"0"]))
        data = data[:at] + other + data[at + 1 :]
    return data


def agree(line: bytes, check_message: Callable[[Any], None], decode: Callable[[bytes], Any]) -> None:
    """The codec takes the line if and only if the specification does, and takes it for the same message."""
    try:
        wanted = promised(line, check_message)
    except ValueError:
        with pytest.raises(BadLine) as bad:
            decode(line)
        assert not str(bad.value).startswith("it is no `")  # what is wrong is found
        return
    heard = json.loads(msgspec.json.encode(decode(line)))
    heard.pop("comment", None)  # as it came, whatever it is
    assert {key: wanted.get(key, value) for key, value in heard.items() if key not in ("action", "then")} == {
        key: value for key, value in heard.items() if key not in ("action", "then")
    }
    for name in ("action", "then"):
        if heard.get(name) is not None:
            assert heard[name] == {key: wanted[name][key] for key in heard[name]}


def test_the_table_of_the_kinds_is_read() -> None:
    assert len(KINDS) == 37
    assert KINDS["swap_lines"] == [("seat", False), ("axis", False), ("lines", True)]
    assert KINDS["draw"] == [("from", False)]


@settings(max_examples=100)
@given(line=lines())
@example(b"{}")
@example(b'{"name": 1, "type": "ready", "name": "a"}')
@example(b'{"id": "a", "action": {"kind": "pass"}}')
@example(b'{"type": "ready", "type": "answer", "id": "a", "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": "a", "action": {"kind": "pass"}, "x": "\\ud800"}')
@example(b'{"type": "answer", "id": "' + 65 * b"x" + b'", "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": null, "id": "a", "x": 1e999, "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": "a", "comment": 1e999, "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": null, "id": "a", "comment": [{}, 1e999], "action": {"kind": "pass"}}')
@example(b'{"type": "answer", "id": "a", "comment": "' + 10_000 * b"x" + b'", "action": {"kind": "pass"}}')
def test_a_line_is_taken_as_the_specification_says(line: bytes) -> None:
    agree(line, check_ready, decode_ready)
    agree(line, check_answer, decode_answer)


@pytest.mark.parametrize(
    "comment", [5000 * b"9", b"-1e999", b'[{"a": [null]}]', b"true"], ids=lambda text: text[:9].decode()
)
def test_a_comment_that_is_no_text_is_a_fault_or_is_shown(comment: bytes) -> None:
    assert (
        comment_of(decode_answer(b'{"type":"answer","id":"a","action":{"kind":"pass"},"comment":%b}' % comment)) == ""
    )


@pytest.mark.parametrize("opens", [b"[", b'{"x":'])
def test_a_hundred_levels_are_taken(opens: bytes) -> None:
    closes = b"]" if opens == b"[" else b"}"
    deep = 99 * opens + b"1" + 99 * closes
    for earlier in (b"", b'"id": null, '):
        line = b'{"type": "answer", ' + earlier + b'"id": "a", "action": {"kind": "pass"}, "x": ' + deep + b"}"
        assert decode_answer(line).id == "a"


@pytest.mark.parametrize(
    ("line", "code", "path", "goes_on"),
    [
        ('"action": {"kind": "turn_up", "slots": [1, "2"]}}', "wrong_type", ".action.slots[1]", '"2"'),
        ('"action": {"kind": "swap_own", "slots": [1]}}', "array_length", ".action.slots", "[1]"),
        ('"action": {"kind": "flip"}}', "missing", ".action", '{"kind"'),
        ('"action": {"kind": "take"}}', "kind", ".action.kind", '"take"'),
        ('"action": {"kind": "pass"}, "then": {"kind": ""}}', "kind", ".then.kind", '""'),
        ('"action": null}', "null", ".action", "null"),
        ('"action": {"kind": "draw", "from": {"one_of": []}}}', "not_filled_in", ".action.from", '{"one'),
        ('"action": {"kind": "flip", "slot": 99999}}', "out_of_bounds", ".action.slot", "99999"),
        ('"id": 7}', "wrong_type", ".id", "7"),
        ('"x": "a', "cut", "", ""),
        ('"x": NaN}', "constant", "", "NaN"),
    ],
)
def test_a_bad_line_has_a_code_a_path_and_a_place(line: str, code: str, path: str, goes_on: str) -> None:
    line = f'{{"type": "answer", "id": "a", {line}'
    with pytest.raises(BadLine) as caught:
        decode_answer(line.encode() + b"\n")
    assert (caught.value.code, caught.value.path) == (code, path)
    assert line[caught.value.start :].startswith(goes_on)
