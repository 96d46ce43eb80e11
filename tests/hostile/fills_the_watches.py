"""Uses up the watches of epoll that its user may have, and leaves no room in its input for the referee's next line.

`fills_the_watches.py WORKERS SECONDS PATIENCE_S [later]`: so many processes fill, for so many seconds, before it says
`ready`, or from the beginning of its match on.
The kernel counts a watch by its file and the number of its descriptor, so a few hundred descriptors give millions.
Afterwards it plays, but leaves the last byte unread for so long, in a pipe of a single page.
"""

import fcntl
import os
import select
import sys
import time

from filler import right, say, start
from wire import attempt, leaves_a_byte, name_of, only_in_a_cell, report

EPOLLS, FREE = 80, 100


def fill(end):
    """Watch one file after another at every free number in each epoll; returns how many watches that gave."""
    epolls = [select.epoll() for _ in range(EPOLLS)]
    numbers = []
    held, kept = 0, []
    try:
        while len(numbers) < FREE:
            numbers.append(os.dup(0))
        while time.monotonic() < end:
            reading, writing = os.pipe()
            os.close(writing)
            kept.append(reading)
            for number in numbers:
                os.dup2(kept[-1], number)
                for epoll in epolls:
                    epoll.register(number, 0)
                held += EPOLLS
    except OSError as error:
        report("refused", name_of(error))
    report("watches", held)
    time.sleep(600)


def begin():
    """Start the processes that fill."""
    until = time.monotonic() + float(sys.argv[2])
    for _ in range(int(sys.argv[1])):
        if not os.fork():
            fill(until)


only_in_a_cell()
is_later = len(sys.argv) > 4
if not is_later:
    begin()
    time.sleep(float(sys.argv[2]))
attempt("narrow input", fcntl.fcntl, 0, fcntl.F_SETPIPE_SZ, 4096)
start()
for message in leaves_a_byte(float(sys.argv[3])):
    if message["type"] == "match" and is_later:
        begin()
    if message["type"] == "request":
        say(right(message))
