"""The bot of a person's seat: it passes lines from the referee to the screen, and answers back. It must not read them.

It is started as any bot is, as a program of its own, and imports nothing of ours. Where the screen is gone, it exits.
"""

import os
import select
import socket
from collections.abc import Callable


def main() -> None:
    """Pass on what comes from either side until one of them ends."""
    with socket.socket(socket.AF_UNIX) as screen:
        screen.connect(os.environ["GOLFREF_SCREEN"])
        ways: dict[int, Callable[[bytes], None]] = {0: screen.sendall, screen.fileno(): _to_referee}
        poll = select.poll()
        for fd in ways:
            poll.register(fd, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                data = os.read(fd, 65536)
                if not data:
                    return
                ways[fd](data)


def _to_referee(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()
