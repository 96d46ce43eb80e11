"""Leaves data in the kernel, in sockets and pipes that nobody reads; then plays."""

import socket

from filler import play, start
from wire import name_of, only_in_a_cell, report

only_in_a_cell()
start()
kept, held = [], 0
try:
    while True:
        kept.extend(socket.socketpair())
        kept[-1].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        kept[-1].setblocking(False)
        try:
            while True:
                held += kept[-1].send(b"x" * 65536)
        except BlockingIOError:
            report("holds", held >> 20)
except OSError as error:
    report("refused", name_of(error))
play()
