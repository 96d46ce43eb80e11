"""Lines to and from bytes. Decoding is strict, and whatever is wrong with a line is one exception, `BadLine`."""

from codecs import BOM_UTF8
from functools import cache
from typing import TypeVar

import msgspec
from msgspec import Struct

from protocol.messages import Answer, FromReferee, Ready

M = TypeVar("M", Ready, Answer)

_CHOICES = (b'"one_of"', b'"pick"', b'"any_of"')
"""By these a value is known that still is an offer's choice."""

_encoder = msgspec.json.Encoder()


class BadLine(ValueError):
    """A line that is not a message of the expected kind; the text says what is wrong with it."""


def encode(message: FromReferee | Ready | Answer) -> bytes:
    """The message as one line of UTF-8 JSON, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_ready(line: bytes) -> Ready:
    """The `ready` message of a line; raises BadLine."""
    return _decode(line, Ready)


def decode_answer(line: bytes) -> Answer:
    """The `answer` message of a line; raises BadLine."""
    return _decode(line, Answer)


@cache
def _decoder(kind: type[M]) -> msgspec.json.Decoder[M]:
    return msgspec.json.Decoder(kind)


def _decode(line: bytes, kind: type[M]) -> M:
    decoder: msgspec.json.Decoder[M] = _decoder(kind)
    try:
        line.decode()  # the decoder does not look into fields that it skips
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        raise BadLine(_explained(str(error), line, kind)) from None
    except msgspec.DecodeError as error:
        if line.startswith(BOM_UTF8):
            raise BadLine("it begins with a byte order mark") from None
        raise BadLine(f"not JSON: {_malformed(str(error), line)}") from None
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8: byte {error.start + 1} of the line") from None
    except RecursionError:
        raise BadLine("nested too deeply") from None


def _malformed(error: str, line: bytes) -> str:
    """The decoder's words, or what commonly is the matter."""
    if error == "Input data was truncated":
        return "the line ends too early; a message is one line"
    if line.lstrip().startswith(b"{'"):
        return "strings need double quotes; in Python print json.dumps(...)"
    return error.removeprefix("JSON is malformed: ")


def _explained(error: str, line: bytes, kind: type[Struct]) -> str:
    """The decoder's words, and what was expected where it only says what was not."""
    if error.endswith("`$.type`"):
        return f"{error}; a message of type `{kind.__struct_config__.tag}` was awaited"
    if error.endswith((".kind`", "`$.action`", "`$.then`")):
        return f"{error}; an action is an object whose `kind` is one that the request offers"
    if error.endswith("`") and ("`$.action." in error or "`$.then." in error) and any(key in line for key in _CHOICES):
        return f"{error}; fill in the offer's choices (protocol/README.md, section 4)"
    return error
