"""How a run and its workers talk: in frames over pipes, each a length (four bytes, lowest first) and MessagePack."""

import struct
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")

PIPE_READ_BYTES = 65536

_LENGTH = struct.Struct("<I")


def frame(message: Struct) -> bytes:
    """The bytes of a message."""
    data = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(data)) + data


class Frames(Generic[T]):
    """Puts messages of one type together from the pieces that are read."""

    def __init__(self, decoder: "msgspec.msgpack.Decoder[T]") -> None:
        self._decoder = decoder
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[T]:
        """The messages that are whole with this piece; raises msgspec.DecodeError for one that cannot be decoded."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            message = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield self._decoder.decode(message)
