"""Uses up the watches of epoll that the kernel allows its user, before it says `ready`; then plays and keeps them.

`fills_the_watches.py SECONDS`: it takes them for so long at most.
The kernel counts a watch by its file and the number of its descriptor, so a thousand descriptors give millions.
"""

import os
import select
import sys
import time

from filler import play, start
from wire import name_of, only_in_a_cell, report

EPOLLS, FREE = 80, 100


def fill(end):
    """Watch one file after another at every free number in each epoll."""
    numbers = [os.dup(0) for _ in range(FREE)]
    while time.monotonic() < end:
        reading, writing = os.pipe()
        os.close(writing)
        kept.append(reading)
        for number in numbers:
            os.dup2(reading, number)
            for epoll in kept_epolls:
                epoll.register(number, 0)


only_in_a_cell()
kept, kept_epolls = [], [select.epoll() for _ in range(EPOLLS)]
try:
    fill(time.monotonic() + float(sys.argv[1]))
except OSError as error:
    report("watches", name_of(error))
start()
play()
