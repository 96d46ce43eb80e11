"""Takes memory of the kind that it is told, a megabyte at a time, and says how far it came; never more than 400 MB."""

import ctypes
import mmap
import os
import sys
import threading
import time

from filler import play, start
from wire import report

MB = 1 << 20
ENOUGH = 400
EXIT = {"x86_64": 60, "aarch64": 93}
"""The call that ends one thread."""
kept = []


def heap():
    kept.append(bytearray(os.urandom(4096)) * (MB // 4096))


def shared():
    area = mmap.mmap(-1, MB)
    area.write(b"x" * MB)
    kept.append(area)


def zero():
    """A shared mapping of /dev/zero. Dropped from the page tables, it counts for nobody and is still there."""
    with open("/dev/zero", "r+b", buffering=0) as file:
        area = mmap.mmap(file.fileno(), MB)
    area.write(b"x" * MB)
    area.madvise(mmap.MADV_DONTNEED)
    kept.append(area)


def validated():
    """A shared mapping without a file, asked for in the newer way."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    place = libc.mmap(None, ctypes.c_size_t(MB), 3, 0x23, -1, ctypes.c_long(0))
    if place == 2**64 - 1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    ctypes.memset(place, 1, MB)
    libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(MB), 4)


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


def leaderless():
    """The same, and the first thread of each has ended: the kernel then says of the process that it has no memory."""
    child = os.fork()
    if not child:
        area = bytearray(b"x" * 10 * MB)
        threading.Thread(target=time.sleep, args=(600 + len(area) % 2,)).start()
        ctypes.CDLL(None).syscall(EXIT[os.uname().machine], 0)
    while resident_pages(child):
        time.sleep(0.01)
    return 10


def resident_pages(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1])


KINDS = {
    "heap": heap,
    "shared": shared,
    "zero": zero,
    "validated": validated,
    "memfd": memfd,
    "sysv": system_v,
    "forked": forked,
    "leaderless": leaderless,
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
