"""Keeps a list of many mappings in each of many processes, none of which has any memory to speak of; then plays.

`splits_its_mappings.py PROCESSES`.
"""

import ctypes
import os
import signal
import sys

from filler import requests, right, say, start
from wire import only_in_a_cell, report

PAGE, READ, PRIVATE = 4096, 1, 0x4022
MAPPINGS = 60_000
only_in_a_cell()
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
start()
processes, split = int(sys.argv[1]), 0
place = libc.mmap(None, ctypes.c_size_t(MAPPINGS * PAGE), 0, PRIVATE, -1, ctypes.c_long(0))
for request in requests():
    while split < MAPPINGS and not libc.mprotect(ctypes.c_void_p(place + split * PAGE), PAGE, READ):
        split += 2
    while processes > 1:
        processes -= 1
        if not os.fork():
            signal.pause()
    report("computed", sum(range(5_000_000)))
    say(right(request))
