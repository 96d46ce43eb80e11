"""Uses up the watches of its user in epolls that no process has: they are under way in a socket. Then it plays.

`hides_its_watches.py SECONDS`.
"""

import array
import os
import select
import socket
import sys
import time

from filler import play, start
from wire import only_in_a_cell, report

FREE = 100


def hide(end):
    """One epoll after another is filled, sent and closed; returns how many watches all of them have."""
    held, kept = 0, []
    files = [os.pipe()[0] for _ in range(20)]
    while time.monotonic() < end:
        epoll = select.epoll()
        try:
            numbers = [os.dup(0) for _ in range(FREE)]
            for file in files:
                for number in numbers:
                    os.dup2(file, number)
                    epoll.register(number, 0)
                    held += 1
        except OSError:
            time.sleep(0.05)
        for number in numbers:
            os.close(number)
        try:
            kept.append(socket.socketpair())
            kept[-1][0].sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [epoll.fileno()]))])
        except OSError:
            time.sleep(0.05)
    return held


only_in_a_cell()
children = 8
for _ in range(children):
    if not os.fork():
        report("hidden", hide(time.monotonic() + float(sys.argv[1])))
        time.sleep(600)
time.sleep(float(sys.argv[1]))
start()
play()
