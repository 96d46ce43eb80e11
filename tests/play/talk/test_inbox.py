"""The bytes of one bot: which line answers what was asked, and what is wrong with the others. No process, no clock."""

import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.actions import Flip
from protocol.codec import encode
from protocol.messages import Answer, Limits, Ready
from referee.play.faults import Trouble
from referee.play.talk.inbox import KEPT_BYTES, KEPT_OF_LINE, LEAST_LINE, Connection, Heard

SMALL = Limits(line_bytes=100, spare_lines=3)


def answer(request_id: str = "id1", slot: int = 2) -> bytes:
    return encode(Answer(id=request_id, action=Flip(slot=slot)))


def asked(request_id: str = "id1", limits: Limits = SMALL) -> Connection:
    """A connection that awaits the answer to this request."""
    connection = Connection(limits)
    connection.expect(request_id)
    return connection


def heard(data: bytes, limits: Limits = SMALL) -> Heard | None:
    """What these bytes are to request `id1`."""
    connection = asked(limits=limits)
    connection.feed(data)
    return connection.hear()


def kind(data: bytes) -> str:
    """The fault that these bytes are."""
    trouble = heard(data, Limits())
    assert isinstance(trouble, Trouble)
    return trouble.kind


def test_ready_then_answers() -> None:
    connection = Connection(SMALL)
    connection.expect_ready()
    assert connection.hear() is None
    connection.feed(b'{"type": "ready", "name": "ada"}\n')
    assert connection.hear() == Ready(name="ada")

    for request_id in ("a", "b"):
        connection.expect(request_id)
        assert connection.hear() is None
        connection.feed(answer(request_id))
        assert connection.hear() == Answer(id=request_id, action=Flip(slot=2))
        assert connection.hear() is None
    assert connection.unasked_lines == 0


def test_a_line_may_come_in_pieces() -> None:
    connection = asked()
    for byte in answer()[:-1]:
        connection.feed(bytes([byte]))
        assert connection.hear() is None
    connection.feed(b"\n")
    assert isinstance(connection.hear(), Answer)


def told(connection: Connection, line: bytes) -> str:
    """What the author of this line is told."""
    connection.feed(line)
    trouble = connection.hear()
    assert isinstance(trouble, Trouble)
    return trouble.detail


def test_only_what_comes_first_in_a_match_may_be_meant_for_the_match_message() -> None:
    connection = Connection(SMALL)
    connection.expect("a")
    assert "`match`" in told(connection, b'{"type": "ok"}\n')
    connection.expect("a")
    assert "`match`" not in told(connection, b'{"id": "a"}\n')
    connection.feed(answer("a"))
    connection.expect("a")
    assert isinstance(connection.hear(), Answer)
    connection.expect("b")
    assert "`match`" not in told(connection, b'{"type": "ok"}\n')


@pytest.mark.parametrize("line", [answer().replace(b"\n", b"\r\n"), b"  " + answer(), answer().replace(b":", b" : ")])
def test_white_space_does_not_matter(line: bytes) -> None:
    assert heard(line) == Answer(id="id1", action=Flip(slot=2))


def test_of_a_field_that_is_there_twice_the_last_counts() -> None:
    assert isinstance(heard(b'{"id": "other", ' + answer()[1:]), Answer)


@pytest.mark.parametrize(
    "unasked",
    [
        pytest.param([answer("id0")], id="old"),
        pytest.param([answer("id2")], id="early"),
        pytest.param([answer(""), answer("ID1"), answer("id1 ")], id="guessed"),
        pytest.param([b"\n", b" \r\n"], id="blank"),
    ],
)
def test_what_answers_nothing_is_counted_and_no_fault(unasked: list[bytes]) -> None:
    connection = asked()
    connection.feed(b"".join(unasked) + answer())

    assert connection.hear() == Answer(id="id1", action=Flip(slot=2))
    assert connection.unasked_lines == len(unasked)


def test_the_second_of_two_answers_is_ignored_with_the_next_request() -> None:
    connection = asked()
    connection.feed(answer(slot=1) + answer(slot=2))
    assert connection.hear() == Answer(id="id1", action=Flip(slot=1))

    connection.expect("id2")
    assert connection.hear() is None
    assert connection.unasked_lines == 1


def test_a_late_answer_is_not_taken_for_the_next_one() -> None:
    connection = asked()
    connection.give_up()
    connection.feed(answer("id1"))
    assert connection.hear() is None

    connection.expect("id2")
    connection.feed(answer("id2", slot=5))
    assert connection.hear() == Answer(id="id2", action=Flip(slot=5))


@pytest.mark.parametrize(
    "line",
    [
        b"thinking",
        b"null",
        b"[]",
        b'"id1"',
        b"{}",
        b'{"type": "ready"}',
        b'{"type": "request", "id": "id1"}',
        b'{"type": "answer", "id": "id1"}',
        b'{"type": "answer", "id": 1, "action": {"kind": "pass"}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "fly"}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip"}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": "2"}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": 2.0}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": true}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": -1}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": 1e999}}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": ' + 5000 * b"9" + b"}}",
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": NaN}}',
        b'{"type": "answer", "id": "\\ud800", "action": {"kind": "pass"}}',
        b'{"type": "answer", "id": "\xff", "action": {"kind": "pass"}}',
        b'{"type": "answer", "id": "' + 65 * b"x" + b'", "action": {"kind": "pass"}}',
        b'{"type": "answer", "id": "id1", "action": ' + 60_000 * b"[",
        b'{"type": "answer", "x": ' + 60_000 * b'{"x":',
        b"\xef\xbb\xbf" + answer().rstrip(),
        answer().rstrip() + answer().rstrip(),
        answer().rstrip() + b"\0",
    ],
    ids=lambda line: repr(line[:70])[2:-1],
)
def test_a_line_that_is_no_answer(line: bytes) -> None:
    assert kind(line[:65_000] + b"\n") == "bad_message"


def test_a_line_without_json_gets_the_hint_that_its_author_needs() -> None:
    trouble = heard(b"my hand: 7H\n")
    assert isinstance(trouble, Trouble)
    assert "print debugging to standard error" in trouble.detail
    assert trouble.line == "my hand: 7H"


@pytest.mark.parametrize("field", ["type", "id", "action"])
def test_what_is_told_of_a_line_is_short_and_cannot_steer_a_terminal(field: str) -> None:
    fields: dict[str, Any] = {"type": "answer", "id": "id1", "action": {"kind": "pass"}}
    nasty = "\x1b[2J\u202e" + 5_000 * "!"
    fields[field] = {"kind": nasty} if field == "action" else nasty

    for ascii_only in (True, False):
        trouble = heard(json.dumps(fields, ensure_ascii=ascii_only).encode() + b"\n", Limits())
        assert isinstance(trouble, Trouble)
        for text in (trouble.detail, trouble.line):
            assert text.isprintable()
            assert len(text) < 500


# Bounds


def test_the_longest_line() -> None:
    longest = answer().rstrip().ljust(SMALL.line_bytes - 1) + b"\n"
    assert isinstance(heard(longest), Answer)

    trouble = heard(b" " + longest)
    assert isinstance(trouble, Trouble)
    assert trouble.kind == "line_too_long"


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_a_line_without_end_is_found_before_it_ends(step: int) -> None:
    connection = asked()
    for number in range(SMALL.line_bytes // step + 1):
        assert connection.hear() is None, number
        connection.feed(step * b"x")
    trouble = connection.hear()
    assert isinstance(trouble, Trouble)
    assert (trouble.kind, trouble.line) == ("line_too_long", "x" * min(200, (SMALL.line_bytes // step + 1) * step))


def test_lines_that_answer_nothing_are_a_flood_at_last() -> None:
    connection = asked()
    connection.feed(SMALL.spare_lines * answer("guess"))
    assert connection.hear() is None

    connection.feed(answer("guess") + answer("id1"))
    trouble = connection.hear()
    assert isinstance(trouble, Trouble)
    assert trouble.kind == "flood"
    assert trouble.detail == "more than 3 lines that answer no request"


def test_a_flood_may_take_many_requests() -> None:
    connection = Connection(SMALL)
    faults = []
    for number in range(4):
        connection.expect(str(number))
        connection.feed(answer("guess") + answer(str(number)))
        faults.append(connection.hear())
    assert [type(one) for one in faults] == [Answer, Answer, Answer, Trouble]


@pytest.mark.parametrize(
    ("data", "kind"), [(101 * b"x", "line_too_long"), (20 * (90 * b"x" + b"\n"), "flood")], ids=["line", "lines"]
)
def test_too_much_output_that_nobody_asked_for(data: bytes, kind: str) -> None:
    """It is found although nothing is awaited, and stays found: whoever reads stops reading then."""
    connection = Connection(SMALL)
    connection.feed(data)
    first = connection.hear()
    assert isinstance(first, Trouble)
    assert first.kind == kind

    connection.expect("id1")
    assert connection.hear() == first
    connection.feed(b"\n" + answer("id1"))
    assert connection.hear() == first


def test_a_little_output_that_nobody_asked_for_waits() -> None:
    connection = Connection(SMALL)
    connection.feed(2 * answer("guess") + answer("id1"))
    assert connection.hear() is None

    connection.expect("id1")
    assert connection.hear() == Answer(id="id1", action=Flip(slot=2))
    assert connection.unasked_lines == 2


# What is kept for the record


def test_all_that_came_is_kept_with_what_had_been_asked_before_it() -> None:
    connection = Connection(Limits())
    connection.expect_ready()
    connection.feed(b'{"type": "ready"}\n')
    connection.hear()
    connection.expect("id1")
    connection.feed(b"\r\n" + answer("id1") + b"early\nand ")
    connection.hear()
    connection.expect("id2")
    connection.feed(b"late\n\xff")
    connection.hear()

    lines = connection.finish()

    said = ['{"type": "ready"}\n', "\r\n", answer("id1").decode(), "early\n", "and late\n", "\ufffd"]
    assert [line.text for line in lines] == said
    assert [line.after for line in lines] == [1, 2, 2, 2, 3, 3]
    assert [line.size for line in lines] == [*(len(text) for text in said[:-1]), 1]
    assert connection.lines_read == len(lines)
    assert connection.bytes_read == sum(line.size for line in lines)
    read = "".join(said[:-1]).encode() + b"\xff"
    assert connection.digest.hexdigest() == sha256(read).hexdigest()


@pytest.mark.parametrize(
    "line", [b"\n", b"x\n", answer(), 600 * b"x" + b"\n"], ids=["blank", "short", "answer", "long"]
)
@pytest.mark.parametrize("judged", [True, False], ids=["judged", "left over"])
def test_what_is_kept_is_bounded_and_all_is_counted(line: bytes, judged: bool) -> None:
    connection = asked("other", Limits(spare_lines=10**6))
    count = 200_000 // len(line)
    for _ in range(count):
        connection.feed(line)
        if judged and connection.hear() is not None:
            connection.expect("other")
    connection.feed(b"end")

    lines = connection.finish()

    assert KEPT_BYTES <= sum(max(LEAST_LINE, len(one.text)) for one in lines) < KEPT_BYTES + KEPT_OF_LINE
    assert {one.text for one in lines} == {line[:KEPT_OF_LINE].decode()}
    assert {one.size for one in lines} == {len(line)}
    assert connection.lines_read == count + 1
    assert connection.bytes_read == count * len(line) + len(b"end")


# Whatever comes

BYTES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([answer(), answer("id2"), b"\n", b'{"type": "ready"}\n', b'{"type":', 60 * b"["]),
)


@given(pieces=st.lists(BYTES, max_size=8), ready=st.booleans())
def test_no_bytes_break_it_and_how_they_are_cut_does_not_matter(pieces: list[bytes], ready: bool) -> None:
    def hear_all(chunks: list[bytes]) -> Heard | None:
        connection = Connection(SMALL)
        if ready:
            connection.expect_ready()
        else:
            connection.expect("id1")
        for chunk in chunks:
            connection.feed(chunk)
            if (one := connection.hear()) is not None:
                return one
        return None

    data = b"".join(pieces)
    whole, cut = hear_all([data]), hear_all([bytes([byte]) for byte in data])
    assert type(whole) is type(cut)
    if isinstance(whole, Trouble) and isinstance(cut, Trouble):
        assert whole.kind == cut.kind
    else:
        assert whole == cut


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{\n", "not JSON: the line ends too early; a message is one line"),
        (b"{'type': 'answer'}\n", "not JSON: strings need double quotes; in Python print json.dumps(...)"),
        (b'{"a" 1}\n', "not JSON: expected ':' (byte 5)"),
        (
            b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": {"one_of": [0, 1]}}}\n',
            "fill in the offer's choices (protocol/README.md, section 4)",
        ),
    ],
)
def test_the_common_mistakes_are_told_in_their_authors_words(line: bytes, told: str) -> None:
    trouble = heard(line)
    assert isinstance(trouble, Trouble)
    assert told in trouble.detail


def test_what_may_be_the_matter_with_a_silent_bot() -> None:
    connection = asked()
    assert "it does not flush what it writes" in connection.hint()
    connection.feed(b"\n")
    assert connection.hear() is None
    assert connection.hint().startswith("only blank lines came: ")
    connection.feed(answer("id0"))
    assert connection.hear() is None
    assert connection.hint().startswith("it answered, but with another id (1 line), such as {")
    assert connection.hint().endswith(": copy the id of the request")
