"""One end of a pipe between a run and its workers. It must not know what is said through it."""

import os

import trio

from referee.play.pump.waits import wait_readable, wait_writable


class PipeEnd:
    """Reads or writes a pipe in trio's loop. A stream of trio's own would fail once a bot has used up the watches."""

    def __init__(self, fd: int) -> None:
        """Take the descriptor over."""
        self._fd = fd
        os.set_blocking(fd, False)

    async def receive(self, most_bytes: int) -> bytes:
        """Return what has come, as soon as something has; empty where the pipe has ended."""
        await trio.lowlevel.checkpoint()
        while True:
            try:
                return os.read(self._fd, most_bytes)
            except BlockingIOError:
                await wait_readable(self._fd)
            except OSError as error:
                raise trio.BrokenResourceError from error

    async def send_all(self, data: bytes) -> None:
        """Send all of it; raises trio.BrokenResourceError where nobody reads any more."""
        await trio.lowlevel.checkpoint()
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                await wait_writable(self._fd)
            except OSError as error:
                raise trio.BrokenResourceError from error

    def close(self) -> None:
        """Close it; call this once nobody waits for it."""
        if self._fd >= 0:
            trio.lowlevel.notify_closing(self._fd)
            os.close(self._fd)
            self._fd = -1
