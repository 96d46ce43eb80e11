"""Lines to and from bytes. Decoding is strict, and whatever is wrong with a line is one exception, `BadLine`."""

from functools import cache
from typing import TypeVar

import msgspec

from protocol.messages import Answer, FromReferee, Ready

M = TypeVar("M", Ready, Answer)

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
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        raise BadLine(str(error)) from None
    except msgspec.DecodeError as error:
        raise BadLine(f"not JSON: {error}") from None
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8: byte {error.start + 1} of the line") from None
    except RecursionError:
        raise BadLine("nested too deeply") from None
