"""Lines to and from bytes. Decoding is strict, and whatever is wrong with a line is one exception, `BadLine`."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import fields

from protocol.actions import Action
from protocol.events import Event
from protocol.messages import Answer, Decision, Fault, FromBot, FromReferee, Ready, TableMessage
from protocol.offers import Offer
from protocol.text import printable

M = TypeVar("M", Ready, Answer)

LONGEST_COMMENT = 200
"""How many characters of a comment are shown."""

_CHOICES = (b'"one_of"', b'"pick"', b'"any_of"')
"""The fields of an offer's choice. A value that has one of them was copied from the offer and not filled in."""

_VALUES = {
    field.encode_name: get_args(field.type)
    for action in get_args(Action)
    for field in fields(action)
    if get_origin(field.type) is Literal
}
"""Field of an action -> the values that it can have, where these are few words."""

_HALF_A_PAIR = re.compile(rb"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]")
"""The escape of a surrogate. Where the decoder refuses the string, the other half of the pair is missing."""

_IDIOMS = tuple(
    (re.compile(looks), what)
    for looks, what in (
        (rb"\s*\{\s*'", "strings need double quotes; in Python print json.dumps(...)"),
        (rb"\s*\{\s*[A-Za-z_]\w*\s*[:=]|.*\[object Object\]", "in JavaScript print JSON.stringify(...)"),
        (rb'\s*\{.*"\s*=>', "`=>` is no colon; in Ruby print JSON.generate(...)"),
        (rb"\s*\{.*[:\[,]\s*(?:True|False|None)\b", "JSON has true, false, null; in Python print json.dumps(...)"),
        (rb"\s*\{.*\}\s*\\n", "a backslash and an n follow, and no newline"),
        (rb"\s*\{.*\}\s*(?:\xc2\x85|\xe2\x80[\xa8\xa9])", "U+0085, U+2028 or U+2029 follows, and no newline"),
        (rb"\s*\{.*\}\s*\0", "a zero byte follows"),
    )
)
"""How a line that is no JSON looks, and what is wrong with it then."""

_WRAPPED = (
    (re.compile("Expected `object`, got `array`$"), "a message is one object, not an array"),
    (re.compile("Expected `object`, got `str`$"), "it is encoded twice: print the JSON, not a string that holds it"),
    (
        re.compile("Expected `(?:str|int|bool|object)`, got `(?:array|list)` - at"),
        "a single value stands by itself, not in an array (in R: toJSON(..., auto_unbox = TRUE))",
    ),
)
"""What the decoder says of a value that stands in something else, and what is wrong with it then."""

_ENDS_EARLY = "Input data was truncated"

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Ready | Answer] = msgspec.json.Decoder(FromBot)
_untyped = msgspec.json.Decoder(float_hook=float)


class BadLine(ValueError):
    """A line that is not a message of the expected kind; the text says what is wrong with it."""


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
    if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or 3 * line.count(0) > len(line):
        raise BadLine("not UTF-8: it is UTF-16 or UTF-32; let your program write UTF-8")
    try:
        line.decode()  # the decoder does not look into fields that it skips
        try:
            message = _decoder.decode(line)
        except msgspec.ValidationError:
            message = _with_last_values(line, kind)
    except msgspec.ValidationError as error:
        raise BadLine(_wrapped(str(error)) or _explained(str(error), line, kind)) from None
    except msgspec.DecodeError as error:
        if line.startswith(BOM_UTF8):
            raise BadLine("it begins with a byte order mark") from None
        raise BadLine(f"not JSON: {_malformed(str(error), line)}") from None
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8: byte {error.start + 1} of the line; let your program write UTF-8") from None
    except RecursionError:
        raise BadLine("nested too deeply") from None
    if not isinstance(message, kind):
        raise BadLine(_of_another_type(message.__struct_config__.tag, kind))
    return message


def _with_last_values(line: bytes, kind: type[Struct]) -> Ready | Answer:
    """The message if only the last of equal keys counts; the decoder checks the values of the others too.

    Raises BadLine for a message of another type than `kind`, else what the decoder raises.
    """
    fields = _untyped.decode(line)
    if isinstance(fields, dict) and isinstance(given := fields.get("type"), str) and given != _tag(kind):
        raise BadLine(_of_another_type(given, kind))
    if isinstance(fields, dict) and "comment" in fields:
        fields["comment"] = msgspec.Raw(_encoder.encode(fields["comment"]))
    return msgspec.convert(fields, FromBot)  # type: ignore[no-any-return]


def _malformed(error: str, line: bytes) -> str:
    """What the decoder says is wrong with the JSON, or the usual reason for it."""
    if _HALF_A_PAIR.search(line) and (error == _ENDS_EARLY or "surrogate" in error or "hex escape" in error):
        return "a string holds half of a surrogate pair, such as \\ud83d alone, which is no character"
    if error == _ENDS_EARLY:
        return "the line ends too early; a message is one line"
    for looks, what in _IDIOMS:
        if looks.match(line):
            return what
    return error.removeprefix("JSON is malformed: ")


def _tag(kind: type[Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _of_another_type(given: object, kind: type[Struct]) -> str:
    return f"Invalid value '{given}' - at `$.type`; a message of type `{_tag(kind)}` was awaited"


def _wrapped(error: str) -> str:
    """What the decoder says of a value that stands in something else; empty where it says something else."""
    return next((f"{error}; {what}" for looks, what in _WRAPPED if looks.match(error)), "")


def _explained(error: str, line: bytes, kind: type[Struct]) -> str:
    """What the decoder says is wrong with the message, and what was expected where it does not say that."""
    if error.endswith(("`$.type`", "field `type`")):
        return f"{error}; a message of type `{_tag(kind)}` was awaited"
    if error.startswith("Invalid enum value") and (values := _VALUES.get(error.removesuffix("`").rpartition(".")[2])):
        return f"{error}; expected {' or '.join(f'`{value}`' for value in values)}"
    if error.startswith("Object missing required field") and "`kind`" not in error:
        what = "an action has all the fields of the offer" if "`$." in error else "an answer has `id` and `action`"
        return f"{error}; {what}"
    if error.endswith((".kind`", "`$.action`", "`$.then`")):
        return f"{error}; an action is an object whose `kind` is one that the request offers"
    if error.endswith("`") and ("`$.action." in error or "`$.then." in error) and any(key in line for key in _CHOICES):
        return f"{error}; fill in the offer's choices (protocol/README.md, section 4)"
    return error
