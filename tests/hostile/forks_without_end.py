"""Multiplies as fast as it can: `forks_without_end.py parent` answers all the while, `all` does not.

Outside a cell it stops at two thousand, which the machine of whoever tests this survives.
"""

import contextlib
import os
import sys
import time

from filler import play, start
from wire import is_caged

start()
end = time.monotonic() + 60
if sys.argv[1] == "all" or not os.fork():
    generations = 1000 if is_caged() else 11
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            generations -= generations > 0 and os.fork() >= 0
        if not generations:
            time.sleep(end - time.monotonic())
play()
