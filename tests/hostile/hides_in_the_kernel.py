"""Makes the kernel hold memory for it that counts as no process's memory, 10 MB at a time, and plays.

`hides_in_the_kernel.py WHAT [MB]`: tables of pages, or files without contents in either folder. Its name looks like the
line of /proc/PID/status that counts tables of pages.
"""

import ctypes
import os
import sys

from filler import requests, right, say, start
from wire import name_of, only_in_a_cell, report

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
MB = 1 << 20
TABLE = 2 * MB
"""How much memory one table of pages maps; the table takes 4 KB."""
STEP_MB = 10
PR_SET_NAME = 15
NO_HUGE_PAGES, READ, PRIVATE, FAILED = 15, 1, 0x4022, 2**64 - 1
kept = []


def tables():
    """A page of zeros is read in each of many places, which is no memory of the process."""
    number = STEP_MB * MB // 4096
    place = LIBC.mmap(None, ctypes.c_size_t(number * TABLE), READ, PRIVATE, -1, ctypes.c_long(0))
    if place == FAILED:
        raise OSError(ctypes.get_errno(), "mmap")
    LIBC.madvise(ctypes.c_void_p(place), ctypes.c_size_t(number * TABLE), NO_HUGE_PAGES)
    memory = (ctypes.c_char * (number * TABLE)).from_address(place)
    for at in range(0, number * TABLE, TABLE):
        memory[at]


def files(folder):
    """Empty files; each takes about a kilobyte."""
    for _ in range(STEP_MB * 1024):
        kept.append(None)
        os.mknod(f"{folder}/{len(kept)}")


WAYS = {
    "tables": tables,
    "tmp": lambda: files("/tmp"),
    "shm": lambda: files("/dev/shm"),
}
only_in_a_cell()
LIBC.prctl(PR_SET_NAME, b"VmPTE: 0 kB", 0, 0, 0)
start()
enough_mb = int((sys.argv[2:] or ["400"])[0])
held_mb = 0
for request in requests():
    try:
        while held_mb < enough_mb:
            WAYS[sys.argv[1]]()
            held_mb += STEP_MB
            report("holds", held_mb)
    except OSError as error:
        report("refused", name_of(error))
        enough_mb = 0
    say(right(request))
