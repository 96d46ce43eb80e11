"""Does to its own pipes whatever the kernel lets it do between two answers, and plays.

The other ends of the pipes are the referee's. Nothing here may keep it from reading, writing, or looking at others.
"""

import array
import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import termios

from filler import requests, right, say, start
from wire import attempt

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = ctypes.create_string_buffer(b"\n" * 4096, 4096)


def own(fd, flags):
    """Its own pipe opened once more: for the other direction, or with other flags."""
    return os.open(f"/proc/self/fd/{fd}", flags | os.O_NONBLOCK)


def be_told(fd):
    """Signals for whatever happens to the pipe."""
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)


def steal_its_output():
    """Writes, and reads it again before the referee does, so that it is woken for nothing.

    All lines together are fewer than those that a bot may write unasked, for the referee may be quicker.
    """
    back = own(1, os.O_RDONLY)
    for _ in range(900):
        os.write(1, b"\n")
        with contextlib.suppress(BlockingIOError):
            os.read(back, 65536)
    os.close(back)


def fill_its_input():
    """Leaves no room in its own input, and takes everything out again."""
    back = own(0, os.O_WRONLY)
    put = 0
    try:
        while True:
            put += os.write(back, b" " * 4096)
    except BlockingIOError:
        pass
    while put > 0:
        put -= len(os.read(0, put))
    os.close(back)


def write_in_packets():
    packets = own(1, os.O_WRONLY | os.O_DIRECT)
    for _ in range(10):
        os.write(packets, b"\n")
    os.close(packets)


def give_pages():
    """Pages of its own in the pipe, which it changes when they are there."""
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(PAGE), 1)
    LIBC.vmsplice(1, vector, 1, 8)
    PAGE[0] = b" "


def splice_a_file():
    with open(__file__, "rb") as file:
        reading, writing = os.pipe()
        LIBC.splice(file.fileno(), None, writing, None, 1, 0)
        LIBC.tee(reading, 2, 1, 0)


def send_its_ends():
    """Its ends under way in a socket, in the hands of no process."""
    pair = socket.socketpair()
    pair[0].sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    return pair


signal.signal(signal.SIGIO, lambda *_: None)
start()
for number, request in enumerate(requests()):
    if number == 0:
        kept = send_its_ends()
        for fd in (0, 1, 2):
            attempt("told", be_told, fd)
            attempt("narrow", fcntl.fcntl, fd, fcntl.F_SETPIPE_SZ, 4096)
            attempt("unread", fcntl.ioctl, fd, termios.FIONREAD, bytes(4))
        for act in (fill_its_input, write_in_packets, give_pages, splice_a_file, steal_its_output):
            attempt(act.__name__, act)
    say(right(request))
