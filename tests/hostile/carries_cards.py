"""Writes a word where the next match of the same bot reads it: a bit is which of two cold pages of a file was read.

`carries_cards.py PATTERN...`: the files of these patterns are large, and nobody else reads them. A page that was read
is in memory, and comes in a microsecond; one that was not comes from the disk. This outlives the process and its cell.
"""

import glob
import os
import sys
import time

from filler import requests, right, say, start
from wire import only_in_a_cell, report

BITS = 128
MARKS = 15
"""How many pages tell whether an earlier match has written here."""
AREAS = 3
"""A match writes into the first area into which none has written."""
STEP_BYTES = 1 << 14
COLD_US = 20


def pages():
    """Pages that lie so far apart that reading one does not bring another into memory."""
    for path in (path for pattern in sys.argv[1:] for path in sorted(glob.glob(pattern))):
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
        yield from ((fd, place) for place in range(0, os.fstat(fd).st_size - STEP_BYTES, STEP_BYTES))


def read_us(page):
    begun = time.perf_counter_ns()
    os.pread(page[0], 1, page[1])
    return (time.perf_counter_ns() - begun) / 1000


def was_written(marks):
    return sorted(map(read_us, marks))[MARKS // 2] < COLD_US


def carry():
    whole = list(pages())
    size = MARKS + 2 * BITS
    areas = [whole[number * size : (number + 1) * size] for number in range(AREAS)]
    if len(areas[-1]) < size:
        report("carries", "nothing: too few pages")
        return
    number = next((number for number, area in enumerate(areas) if not was_written(area[:MARKS])), AREAS)
    if number:
        pairs = areas[number - 1][MARKS:]
        word = "".join("01"[read_us(pairs[bit]) > read_us(pairs[bit + 1])] for bit in range(0, 2 * BITS, 2))
        report("read", word)
    if number < AREAS:
        word = f"{int.from_bytes(os.urandom(BITS // 8)):0{BITS}b}"
        for bit, pair in zip(word, range(MARKS, size, 2), strict=True):
            read_us(areas[number][pair + int(bit)])
        report("noted", word)


only_in_a_cell()
start()
for number, request in enumerate(requests()):
    if number == 0:
        carry()
    say(right(request))
