"""How a run and its workers talk: frames over pipes, each a length (four bytes, the lowest first) and MessagePack."""

import struct
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")

READ_BYTES = 65536

_LENGTH = struct.Struct("<I")


def frame(message: Struct) -> bytes:
    """A message as it is written."""
    data = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(data)) + data


class Frames(Generic[T]):
    """What has been read of messages of one type."""

    def __init__(self, decoder: "msgspec.msgpack.Decoder[T]") -> None:
        self._decoder = decoder
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[T]:
        """The messages that are whole now; raises msgspec.DecodeError for what is none."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            message = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield self._decoder.decode(message)
