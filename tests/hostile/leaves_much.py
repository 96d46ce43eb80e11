"""Plays with many processes beside it, each with memory of its own, all of which take their time to die.

`leaves_much.py PROCESSES MEGABYTES`.
"""

import os
import sys
import time

from filler import play, start
from wire import only_in_a_cell

only_in_a_cell()
start()
for _ in range(int(sys.argv[1])):
    if not os.fork():
        kept = bytearray(int(sys.argv[2]) << 20)
        kept[::4096] = b"x" * len(kept[::4096])
        time.sleep(600)
play()
