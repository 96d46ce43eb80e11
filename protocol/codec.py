"""Lines to and from bytes. Decoding is strict, and whatever is wrong with a line is one exception, `BadLine`."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec import UNSET

from protocol.bad_lines import BadLine, no_json, no_such_message, no_utf_8, too_deep
from protocol.events import Event
from protocol.messages import Answer, Decision, Fault, FromBot, FromReferee, Ready, TableMessage
from protocol.offers import Offer
from protocol.text import printable

M = TypeVar("M", Ready, Answer)

LONGEST_COMMENT = 200
"""How many characters of a comment are shown."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Ready | Answer] = msgspec.json.Decoder(FromBot)
_untyped = msgspec.json.Decoder(float_hook=float)


def array(encoded: Iterable[bytes]) -> msgspec.Raw:
    """An array of values that are encoded already. A message can hold it in place of the values."""
    return msgspec.Raw(b"[%b]" % b",".join(encoded))


def encode(message: FromReferee | Ready | Answer) -> bytes:
    """The message as one line of UTF-8 JSON, newline included."""
    return _encoder.encode(message) + b"\n"


encode_event: Callable[[Event | Fault], bytes] = _encoder.encode
"""Returns an event as it stands in the `events` of a line."""


def encode_question(decision: Decision, offers: Sequence[Offer]) -> bytes:
    """The fields `decision` and `legal` of a request, for `encode_request`."""
    return b'"decision":"%b","legal":%b,' % (decision.encode(), _encoder.encode(offers))


def encode_table(table: TableMessage) -> bytes:
    """The field `table` of a request, for `encode_request`."""
    return b'"table":%b,' % _encoder.encode(table)


def encode_times(time_s: float, bank_s: float) -> bytes:
    """The fields `time_s` and `bank_s` of a request, for `encode_request`."""
    return b'"time_s":%b,"bank_s":%b' % (_encoder.encode(time_s), _encoder.encode(bank_s))


def encode_request(events: Iterable[bytes], request_id: bytes, question: bytes, table: bytes, times: bytes) -> bytes:
    """The line of a request, from its parts, as they are encoded; byte for byte `encode(Request(...))`."""
    told = b",".join(events)
    return b"".join(
        (b'{"type":"request","events":[', told, b'],"id":"', request_id, b'",', question, table, times, b"}\n")
    )


def decode_ready(line: bytes) -> Ready:
    """The `ready` message of a line; raises BadLine."""
    return _decode(line, Ready)


def decode_answer(line: bytes) -> Answer:
    """The `answer` message of a line; raises BadLine."""
    try:
        message = _decoder.decode(line.decode())  # of bytes, the decoder does not look into fields that it skips
    except (ValueError, RecursionError):
        message = None
    return message if type(message) is Answer else _decode(line, Answer)


def answer_in(text: str) -> Answer | None:
    """The answer in the text of a line; None where it is none."""
    try:
        return decode_answer(text.encode())
    except BadLine:
        return None


def comment_of(answer: Answer) -> str:
    """The comment of an answer, safe to show and cut to LONGEST_COMMENT characters; empty where it is no string."""
    try:
        comment = "" if answer.comment is UNSET else msgspec.json.decode(answer.comment, type=str)
    except msgspec.ValidationError:
        return ""
    return printable(comment, LONGEST_COMMENT)


def _decode(line: bytes, kind: type[M]) -> M:
    if (bad := no_utf_8(line)) is not None:
        raise bad
    try:
        text = line.decode()  # the decoder does not look into fields that it skips
        message = _message(line, text, kind)
    except UnicodeDecodeError as error:
        raise no_utf_8(line, error) from None  # type: ignore[misc]
    except msgspec.DecodeError:
        raise no_json(line) from None
    except RecursionError:
        raise too_deep(line.decode()) from None
    return message


def _message(line: bytes, text: str, kind: type[M]) -> M:
    try:
        message = _decoder.decode(line)
    except msgspec.ValidationError:  # the decoder checks the values of equal keys that do not count, too
        fields = _untyped.decode(line)
        if isinstance(fields, dict) and "comment" in fields:
            fields["comment"] = msgspec.Raw(_encoder.encode(fields["comment"]))
        try:
            message = msgspec.convert(fields, FromBot)
        except msgspec.ValidationError:
            raise no_such_message(text, fields, kind) from None
    if not isinstance(message, kind):
        raise no_such_message(text, _untyped.decode(line), kind)
    return message
