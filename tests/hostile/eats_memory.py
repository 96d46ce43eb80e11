"""Takes memory of the kind that it is told, a megabyte at a time, and says how far it came; never more than 400 MB."""

import ctypes
import mmap
import os
import sys
import time

from filler import play, start
from wire import report

MB = 1 << 20
ENOUGH = 400
kept = []


def heap():
    kept.append(bytearray(os.urandom(4096)) * (MB // 4096))


def shared():
    area = mmap.mmap(-1, MB)
    area.write(b"x" * MB)
    kept.append(area)


def memfd():
    """Files in memory that have no name; several, for a file has a limit of its own."""
    kept.append(os.memfd_create("more"))
    for _ in range(5):
        os.write(kept[-1], b"x" * MB)
    return 5


def system_v():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(0, MB, 0o1600)
    if segment < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    place = libc.shmat(segment, None, 0)
    libc.shmctl(segment, 0, None)
    ctypes.memset(place, 1, MB)


def forked():
    """A process each ten megabytes: none of them is large."""
    if not os.fork():
        area = bytearray(b"x" * 10 * MB)
        time.sleep(600)
        os._exit(len(area) % 2)
    time.sleep(0.01)
    return 10


KINDS = {
    "heap": heap,
    "shared": shared,
    "memfd": memfd,
    "sysv": system_v,
    "forked": forked,
}
start()
taken = 0
try:
    while taken < ENOUGH:
        taken += KINDS[sys.argv[1]]() or 1
        if taken % 10 == 0:
            report("holds", taken)
except (OSError, MemoryError, RecursionError) as error:
    report("refused", getattr(error, "strerror", None) or type(error).__name__)
report("holds", taken)
play()
