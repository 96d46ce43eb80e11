"""The bytes of one bot: which line answers what was asked, and what is wrong with the others. No process, no clock."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.actions import Flip
from protocol.codec import encode
from protocol.messages import Answer, Limits, Ready
from referee.play.faults import Trouble
from referee.play.talk.exchange import READY
from referee.play.talk.inbox import KEPT_BYTES, KEPT_OF_LINE, LEAST_LINE, Heard, Inbox

SMALL = Limits(line_bytes=100, spare_lines=3)


def answer(request_id: str = "id1", slot: int = 2) -> bytes:
    return encode(Answer(id=request_id, action=Flip(slot=slot)))


def asked(request_id: str = "id1", limits: Limits = SMALL) -> Inbox:
    """An inbox that awaits the answer to this request."""
    inbox = Inbox(limits)
    inbox.expect(request_id)
    return inbox


def heard(data: bytes, limits: Limits = SMALL) -> Heard | None:
    """What these bytes are to request `id1`."""
    inbox = asked(limits=limits)
    inbox.feed(data)
    return inbox.hear()


def kind(data: bytes) -> str:
    """The fault that these bytes are."""
    trouble = heard(data, Limits())
    assert isinstance(trouble, Trouble)
    return trouble.kind


def test_ready_then_answers() -> None:
    inbox = Inbox(SMALL)
    inbox.expect(READY)
    assert inbox.hear() is None
    inbox.feed(b'{"type": "ready", "name": "ada"}\n')
    assert inbox.hear() == Ready(name="ada")

    for request_id in ("a", "b"):
        inbox.expect(request_id)
        assert inbox.hear() is None
        inbox.feed(answer(request_id))
        assert inbox.hear() == Answer(id=request_id, action=Flip(slot=2))
        assert inbox.hear() is None
    assert inbox.unasked_lines == 0


def test_a_line_may_come_in_pieces() -> None:
    inbox = asked()
    for byte in answer()[:-1]:
        inbox.feed(bytes([byte]))
        assert inbox.hear() is None
    inbox.feed(b"\n")
    assert isinstance(inbox.hear(), Answer)


def told(inbox: Inbox, line: bytes) -> str:
    """What the author of this line is told."""
    inbox.feed(line)
    trouble = inbox.hear()
    assert isinstance(trouble, Trouble)
    return trouble.detail


def test_only_what_comes_first_in_a_match_may_be_meant_for_the_match_message() -> None:
    inbox = Inbox(SMALL)
    inbox.expect("a")
    assert "`match`" in told(inbox, b'{"type": "ok"}\n')
    inbox.expect("a")
    assert "`match`" not in told(inbox, b'{"id": "a"}\n')
    inbox.feed(answer("a"))
    inbox.expect("a")
    assert isinstance(inbox.hear(), Answer)
    inbox.expect("b")
    assert "`match`" not in told(inbox, b'{"type": "ok"}\n')


@pytest.mark.parametrize(
    "unasked",
    [
        pytest.param([answer("id0")], id="old"),
        pytest.param([answer("id2")], id="early"),
        pytest.param([answer(""), answer("ID1"), answer("id1 ")], id="guessed"),
        pytest.param([answer(65 * "x"), answer(60_000 * "x")], id="longer than any id"),
        pytest.param([b"\n", b" \r\n"], id="blank"),
    ],
)
def test_what_answers_nothing_is_counted_and_no_fault(unasked: list[bytes]) -> None:
    inbox = asked(limits=Limits())
    inbox.feed(b"".join(unasked) + answer())

    assert inbox.hear() == Answer(id="id1", action=Flip(slot=2))
    assert inbox.unasked_lines == len(unasked)


def test_the_second_of_two_answers_is_ignored_with_the_next_request() -> None:
    inbox = asked()
    inbox.feed(answer(slot=1) + answer(slot=2))
    assert inbox.hear() == Answer(id="id1", action=Flip(slot=1))

    inbox.expect("id2")
    assert inbox.hear() is None
    assert inbox.unasked_lines == 1


def test_a_late_answer_is_not_taken_for_the_next_one() -> None:
    inbox = asked()
    inbox.give_up()
    inbox.feed(answer("id1"))
    assert inbox.hear() is None

    inbox.expect("id2")
    inbox.feed(answer("id2", slot=5))
    assert inbox.hear() == Answer(id="id2", action=Flip(slot=5))


@pytest.mark.parametrize(
    "line",
    [
        b"thinking",
        b'{"type": "ready"}',
        b'{"type": "answer", "id": "id1", "action": {"kind": "flip", "slot": ' + 5000 * b"9" + b"}}",
        b'{"type": "answer", "id": "id1", "action": {"kind": "turn_up", "slots": [' + 9000 * b"1, " + b"1]}}",
        b'{"type": "answer", "id": "id1", "action": ' + 60_000 * b"[",
        b'{"type": "answer", "x": ' + 60_000 * b'{"x":',
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


def test_a_hint_is_short_and_cannot_steer_a_terminal() -> None:
    inbox = asked(limits=Limits())
    inbox.feed(answer("\x1b[2J\u202e" + 5_000 * "!"))
    assert inbox.hear() is None
    assert inbox.hint().isprintable()
    assert len(inbox.hint()) < 500


@pytest.mark.parametrize("field", ["type", "action"])
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
    inbox = asked()
    for number in range(SMALL.line_bytes // step + 1):
        assert inbox.hear() is None, number
        inbox.feed(step * b"x")
    trouble = inbox.hear()
    assert isinstance(trouble, Trouble)
    assert (trouble.kind, trouble.line) == ("line_too_long", "x" * min(200, (SMALL.line_bytes // step + 1) * step))


def test_lines_that_answer_nothing_are_a_flood_at_last() -> None:
    inbox = asked()
    inbox.feed(SMALL.spare_lines * answer("guess"))
    assert inbox.hear() is None

    inbox.feed(answer("guess") + answer("id1"))
    trouble = inbox.hear()
    assert isinstance(trouble, Trouble)
    assert trouble.kind == "flood"
    assert trouble.detail == "more than 3 lines that answer no request"


def test_a_flood_may_take_many_requests() -> None:
    inbox = Inbox(SMALL)
    faults = []
    for number in range(4):
        inbox.expect(str(number))
        inbox.feed(answer("guess") + answer(str(number)))
        faults.append(inbox.hear())
    assert [type(one) for one in faults] == [Answer, Answer, Answer, Trouble]


@pytest.mark.parametrize(
    ("data", "kind"), [(101 * b"x", "line_too_long"), (20 * (90 * b"x" + b"\n"), "flood")], ids=["line", "lines"]
)
def test_too_much_output_that_nobody_asked_for(data: bytes, kind: str) -> None:
    """It is found although nothing is awaited, and stays found: whoever reads stops reading then."""
    inbox = Inbox(SMALL)
    inbox.feed(data)
    first = inbox.hear()
    assert isinstance(first, Trouble)
    assert first.kind == kind

    inbox.expect("id1")
    assert inbox.hear() == first
    inbox.feed(b"\n" + answer("id1"))
    assert inbox.hear() == first


def test_a_little_output_that_nobody_asked_for_waits() -> None:
    inbox = Inbox(SMALL)
    inbox.feed(2 * answer("guess") + answer("id1"))
    assert inbox.hear() is None

    inbox.expect("id1")
    assert inbox.hear() == Answer(id="id1", action=Flip(slot=2))
    assert inbox.unasked_lines == 2


# What is kept for the record


def test_all_that_came_is_kept_with_what_had_been_asked_before_it() -> None:
    inbox = Inbox(Limits())
    inbox.expect(READY)
    inbox.feed(b'{"type": "ready"}\n')
    inbox.hear()
    inbox.expect("id1")
    inbox.feed(b"\r\n" + answer("id1") + b"early\nand ")
    inbox.hear()
    inbox.expect("id2")
    inbox.feed(b"late\n\xff")
    inbox.hear()

    lines = inbox.finish()

    said = ['{"type": "ready"}\n', "\r\n", answer("id1").decode(), "early\n", "and late\n", "\ufffd"]
    assert [line.text for line in lines] == said
    assert [line.after for line in lines] == [1, 2, 2, 2, 3, 3]
    assert [line.size for line in lines] == [*(len(text) for text in said[:-1]), 1]
    assert inbox.lines_read == len(lines)
    assert inbox.bytes_read == sum(line.size for line in lines)


def test_lines_that_wait_unjudged_are_kept_with_what_had_been_asked_before_each() -> None:
    inbox = Inbox(Limits())
    for number, line in enumerate((b"one\n", b"two\n", b"three\n")):
        inbox.feed(line)
        inbox.expect(str(number))
        inbox.give_up()
    inbox.feed(b"four\n")
    assert [line.after for line in inbox.finish()] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "line", [b"\n", b"x\n", answer(), 2 * KEPT_OF_LINE * b"x" + b"\n"], ids=["blank", "short", "answer", "long"]
)
@pytest.mark.parametrize("judged", [True, False], ids=["judged", "left over"])
def test_what_is_kept_is_bounded_and_all_is_counted(line: bytes, judged: bool) -> None:
    inbox = asked("other", Limits(spare_lines=10**6))
    count = 2 * KEPT_BYTES // max(LEAST_LINE, len(line[:KEPT_OF_LINE]))
    for _ in range(count):
        inbox.feed(line)
        if judged and inbox.hear() is not None:
            inbox.expect("other")
    inbox.feed(b"end")

    lines = inbox.finish()

    assert KEPT_BYTES <= sum(max(LEAST_LINE, len(one.text)) for one in lines) < KEPT_BYTES + KEPT_OF_LINE
    assert {one.text for one in lines} == {line[:KEPT_OF_LINE].decode()}
    assert {one.size for one in lines} == {len(line)}
    assert inbox.lines_read == count + 1
    assert inbox.bytes_read == count * len(line) + len(b"end")


# Whatever comes

BYTES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([answer(), answer("id2"), b"\n", b'{"type": "ready"}\n', b'{"type":', 60 * b"["]),
)


@given(pieces=st.lists(BYTES, max_size=8), ready=st.booleans())
def test_no_bytes_break_it_and_how_they_are_cut_does_not_matter(pieces: list[bytes], ready: bool) -> None:
    def hear_all(chunks: list[bytes]) -> Heard | None:
        inbox = Inbox(SMALL)
        if ready:
            inbox.expect(READY)
        else:
            inbox.expect("id1")
        for chunk in chunks:
            inbox.feed(chunk)
            if (one := inbox.hear()) is not None:
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
        (b"{ type: 'answer' }\n", "not JSON: in JavaScript print JSON.stringify(...)"),
        (b'{"type"=>"answer"}\n', "in Ruby print JSON.generate(...)"),
        (b'{"type": "answer", "then": None}\n', "JSON has true, false, null"),
        (b'{"type": "answer"}\\n\n', "a backslash and an n follow, and no newline"),
        ('{"type": "answer"}\n'.encode("utf-16-le"), "not UTF-8: it is UTF-16 or UTF-32; let your program write UTF-8"),
        ('{"type": "answer"}\n'.encode("utf-16-be"), "it is UTF-16 or UTF-32"),
        ('{"type": "answer"}\n'.encode("utf-32"), "it is UTF-16 or UTF-32"),
        ('{"id": "J\xe9"}\n'.encode("latin-1"), "not UTF-8: byte 10 of the line; let your program write UTF-8"),
        (b'{"type": ["answer"], "id": ["id1"]}\n', "stands by itself, not in an array (in R: toJSON("),
        (b'[{"type": "answer", "id": "id1"}]\n', "a message is one object, not an array"),
        (b'"{\\"type\\": \\"answer\\"}"\n', "it is encoded twice"),
        (b"> mine@1.0.0 start\n", "`npm start --silent`"),
        (b'{"a" 1}\n', "not JSON: expecting ':' delimiter (column 6)"),
        (b'{"id": "id1", "action": {"kind": "pass"}}\n', "`type` is missing; a message of type `answer` was awaited"),
        (b'{"type": "answer", "id": "\\ud83d"}\n', "a string holds half of a surrogate pair, such as"),
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


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\0", "\\n", "\f"])
def test_what_ends_no_line_is_named(end: str) -> None:
    inbox = asked()
    inbox.feed(f'{{"type": "answer"}}{end}'.encode())
    assert "; lines end in a newline (\\n), not in " in inbox.hint()


@pytest.mark.parametrize("line", [b"\xef\xbb\xbf{}\n", '{"type": "answer"}\n'.encode("utf-16"), b'"{}"\n'])
def test_a_message_in_a_wrong_wrapping_is_not_called_debugging(line: bytes) -> None:
    trouble = heard(line)
    assert isinstance(trouble, Trouble)
    assert "debugging" not in trouble.detail


def test_what_may_be_the_matter_with_a_silent_bot() -> None:
    inbox = asked()
    assert "it does not flush what it writes" in inbox.hint()
    inbox.feed(b"\n")
    assert inbox.hear() is None
    assert inbox.hint().startswith("only blank lines came: ")
    inbox.feed(answer("id0"))
    assert inbox.hear() is None
    assert inbox.hint().startswith("it answered, but with another id (1 line), such as {")
    assert inbox.hint().endswith(": copy the id of the request")
