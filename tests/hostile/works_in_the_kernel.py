"""A child of it asks the kernel for memory at once, again and again, which no signal interrupts. It passes all windows.

A process that is stopped goes on until the system call is over.
"""

import mmap
import os
import sys

from filler import start
from wire import play_turns

FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
if not os.fork():
    while True:
        mmap.mmap(-1, 400 << 20, flags=FLAGS).close()
start()
play_turns(int(sys.argv[1]))
