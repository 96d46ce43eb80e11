"""Takes all that it gets of something that the kernel counts for each user or for the host, and plays.

`fills_an_account.py WHAT`: pipes, signals, in_flight, files, sockets, tasks, timers, locked or terminals.
"""

import array
import ctypes
import mmap
import os
import signal
import socket
import sys
import time

from filler import play, start
from wire import attempt, only_in_a_cell

LIBC = ctypes.CDLL(None, use_errno=True)
PROCESSES = 20


def endless(act):
    """How often an act can be done, and the error that ended it."""
    kept, done = [], 0
    try:
        while done < 200_000:
            kept.append(act())
            done += 1
    except OSError as error:
        return done, error.errno, kept
    return done, 0, kept


def pipe():
    reading, writing = os.pipe()
    os.write(writing, b".")
    return reading, writing


def under_way():
    """A descriptor in a socket, closed on both sides of it."""
    one, other = socket.socketpair()
    one.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [other.fileno()]))])
    return one, other


def queued():
    """A signal that waits with a value, as the kernel counts it for each user."""
    if LIBC.sigqueue(os.getpid(), signal.SIGRTMIN, 0) != 0:
        raise OSError(ctypes.get_errno(), "sigqueue")


def locked():
    memory = mmap.mmap(-1, 1 << 16)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if LIBC.mlock(ctypes.c_void_p(address), 1 << 16) != 0:
        raise OSError(ctypes.get_errno(), "mlock")
    return memory


def task():
    if not os.fork():
        time.sleep(600)


def timer():
    fd = LIBC.timerfd_create(1, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "timerfd_create")
    return fd


ACTS = {
    "pipes": pipe,
    "signals": queued,
    "in_flight": under_way,
    "files": lambda: os.open("/dev/null", os.O_RDONLY),
    "sockets": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "tasks": task,
    "timers": timer,
    "locked": locked,
    "terminals": lambda: os.open("/dev/ptmx", os.O_RDWR),
}

only_in_a_cell()
start()
what = sys.argv[1]
if what == "signals":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
if what != "tasks":
    for _ in range(PROCESSES):
        if not os.fork():
            ended = endless(ACTS[what])
            time.sleep(600)
attempt(what, lambda: endless(ACTS[what])[:2])
play()
