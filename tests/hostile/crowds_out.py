"""Fills the memory of a small host by processes of 8 MB each, so that none of them is as large as its rival.

All of it together is within the bound of a bot. It is told how many to start, and plays on as if it were nothing.
"""

import os
import sys
import time

from filler import play, start
from wire import report

MB = 1 << 20


def hold():
    """Hold 8 MB until the bot has ended."""
    kept = bytearray(b"x") * (8 * MB)
    while os.getppid() != 1:
        time.sleep(0.05)
    return kept


start()
for number in range(int(sys.argv[1])):
    if not os.fork():
        hold()
        os._exit(0)
    time.sleep(0.01)
    report("holds", 8 * (number + 1))
play()
