"""Fills every account of a user that a cell can fill cheaply; then plays, and keeps them full."""

import fcntl
import os
import signal
import socket
import threading

from filler import play, start
from wire import name_of, only_in_a_cell, report

MEGABYTE = 1 << 20


def fill(name, take):
    """Take until it is refused, and keep what was taken."""
    kept = []
    try:
        while len(kept) < 1_000_000:
            kept.append(take())
    except OSError as error:
        report(name, f"{len(kept)} {name_of(error)}")
    return kept


def pipe(size):
    ends = os.pipe()
    fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, size)
    return ends


def sent_descriptor():
    socket.send_fds(box, [b"x"], [0])


def pending_signal():
    signal.pthread_kill(threading.get_ident(), signal.SIGRTMIN)


only_in_a_cell()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
box, unread = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
box.setblocking(False)
box.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MEGABYTE)
held = [
    fill("descriptors", sent_descriptor),
    fill("signals", pending_signal),
    fill("large pipes", lambda: pipe(MEGABYTE)),
    fill("small pipes", lambda: pipe(MEGABYTE >> 3)),
    fill("tiny pipes", lambda: pipe(MEGABYTE >> 4 | 1)),
]
start()
play()
