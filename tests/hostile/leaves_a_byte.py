"""Has an input of a single page and leaves its last byte unread for a time, so that the next line does not fit.

`leaves_a_byte.py SECONDS`.
"""

import fcntl
import sys

from filler import right, say, start
from wire import leaves_a_byte

fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
start()
for message in leaves_a_byte(float(sys.argv[1])):
    if message["type"] == "request":
        say(right(message))
