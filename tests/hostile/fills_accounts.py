"""Takes as much as it gets of everything that the kernel counts for a user or for the host; then plays and keeps it.

Whatever it tells was counted up to the first refusal, or up to a bound where nothing would refuse.
"""

import ctypes
import mmap
import os
import signal
import socket
import threading
import time

from filler import play, start
from wire import name_of, only_in_a_cell, report

libc = ctypes.CDLL(None, use_errno=True)
MEGABYTE = 1 << 20
KEPT = []


def fill(name, take, most=1_000_000):
    """Take until it is refused, keep what was taken, and report how much that is and why there is no more."""
    why = "and no refusal"
    count = 0
    try:
        while count < most:
            KEPT.append(take())
            count += 1
    except OSError as error:
        why = name_of(error)
    except RuntimeError:
        why = "EAGAIN"
    report(name, f"{count} {why}")


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def sent_descriptor():
    socket.send_fds(box, [b"x"], [0])


def pending_signal():
    signal.pthread_kill(threading.get_ident(), signal.SIGRTMIN)


def locked_page():
    page = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    checked(libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page))), mmap.PAGESIZE))
    return page


def process_with_pipes():
    """A process that holds as many pipes as it may have descriptors, each as large as pipes are made."""
    pid = os.fork()
    if not pid:
        try:
            while True:
                os.pipe()
        except OSError:
            os.write(ends[1], b".")
            time.sleep(600)
    os.read(ends[0], 1)
    return pid


def idle_process():
    pid = os.fork()
    if not pid:
        time.sleep(600)
    return pid


only_in_a_cell()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
box, unread = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
box.setblocking(False)
box.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MEGABYTE)
ends = os.pipe()
fill("descriptors under way", sent_descriptor)
fill("signals", pending_signal)
fill("locked pages", locked_page)
fill("processes full of pipes", process_with_pipes, 20)
fill("processes", idle_process)
fill("open files", lambda: os.open("/proc/self/stat", os.O_RDONLY))
start()
play()
