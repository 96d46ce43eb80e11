"""Plays, and says what an honest program still gets of what the kernel counts for a user or for the host."""

import fcntl
import os
import select
import signal
import socket
import subprocess
import threading

from filler import play, requests, right, say, start
from wire import attempt, only_in_a_cell


def pipe_pages():
    """How much a new pipe holds."""
    ends = os.pipe()
    held = fcntl.fcntl(ends[0], fcntl.F_GETPIPE_SZ)
    for end in ends:
        os.close(end)
    return held // os.sysconf("SC_PAGE_SIZE")


def watch():
    with select.epoll() as epoll:
        epoll.register(0)
    return "fine"


def send_descriptor():
    """Send an open file, as Python's multiprocessing does."""
    one, other = socket.socketpair()
    socket.send_fds(one, [b"x"], [0])
    os.close(socket.recv_fds(other, 1, 1)[1][0])
    return "fine"


def queue_signal():
    signal.pthread_kill(threading.get_ident(), signal.SIGRTMIN)
    return "fine"


def run_process():
    return "fine" if subprocess.run(["/bin/true"], check=False).returncode == 0 else "failed"


def open_files():
    for file in [os.open("/proc/self/stat", os.O_RDONLY) for _ in range(100)]:
        os.close(file)
    return "fine"


only_in_a_cell()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
start()
for request in requests():
    attempt("pages of a pipe", pipe_pages)
    attempt("watch", watch)
    attempt("descriptor under way", send_descriptor)
    attempt("signal", queue_signal)
    attempt("process", run_process)
    attempt("open files", open_files)
    say(right(request))
    break
play()
