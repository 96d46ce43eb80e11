"""The codec: which lines of bots are taken for which message, and what is wrong with the others.

Each row of `lines.jsonl` is a line, its bytes as the letters of Latin-1, and the message that it is, or null. They were
made by a second reader of the specification, which shared nothing with the codec.
"""

import json
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from protocol.bad_lines import BadLine
from protocol.codec import comment_of, decode_answer, decode_ready

ROWS = Path(__file__).with_name("lines.jsonl").read_text(encoding="ascii").splitlines()


@pytest.mark.parametrize("row", ROWS)
def test_a_line_is_taken_as_the_specification_says(row: str) -> None:
    line, expected = json.loads(row)
    found = []
    for decode in (decode_ready, decode_answer):
        with suppress(BadLine):
            found.append(json.loads(msgspec.json.encode(decode(line.encode("latin-1")))))
    assert [{name: one[name] for name in one if name not in ("type", "comment")} for one in found] == (
        [] if expected is None else [expected]
    )


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
