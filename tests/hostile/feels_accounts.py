"""Plays, and says what an honest program may still have of what the kernel counts for each user."""

import fcntl
import os
import signal
import socket
import threading

from filler import play, requests, right, say, start
from wire import attempt, only_in_a_cell


def pipe_bytes():
    """How much a new pipe holds."""
    ends = os.pipe()
    held = fcntl.fcntl(ends[0], fcntl.F_GETPIPE_SZ)
    for end in ends:
        os.close(end)
    return held


def send_descriptor():
    """Send an open file, as Python's multiprocessing does."""
    one, other = socket.socketpair()
    socket.send_fds(one, [b"x"], [0])
    os.close(socket.recv_fds(other, 1, 1)[1][0])
    return "sent"


def queue_signal():
    signal.pthread_kill(threading.get_ident(), signal.SIGRTMIN)
    return "queued"


only_in_a_cell()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
start()
for request in requests():
    attempt("pipe", pipe_bytes)
    attempt("descriptor", send_descriptor)
    attempt("signal", queue_signal)
    say(right(request))
    break
play()
