"""Leaves data in the kernel, in sockets and pipes that nobody reads; then plays.

`fills_sockets.py PROCESSES`: so many processes do, which are small themselves.
"""

import os
import signal
import socket
import sys

from filler import play, start
from wire import name_of, only_in_a_cell, report

only_in_a_cell()
start()
kept, held = [], 0
child = 1
for _ in range(int((sys.argv[1:] or ["1"])[0]) - 1):
    child = child and os.fork()
try:
    while True:
        pair = socket.socketpair()
        kept.extend(pair)
        for one in pair:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            one.setblocking(False)
            try:
                while True:
                    held += one.send(b"x" * 65536)
            except BlockingIOError:
                report("holds", held >> 20)
except OSError as error:
    report("refused", name_of(error))
if not child:
    signal.pause()
play()
