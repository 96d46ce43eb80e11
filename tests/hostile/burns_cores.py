"""Children, so many, compute without end, above all while the rival thinks; the bot itself answers at once.

At its end it says how much they have burned.
"""

import contextlib
import os
import sys

from filler import requests, right, say, start
from wire import report

CHILDREN = int((sys.argv[1:] or ["4"])[0])


def burned_s():
    ticks = 0
    for child in children:
        with open(f"/proc/{child}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


children = []
for _ in range(CHILDREN):
    child = os.fork()
    if not child:
        with contextlib.suppress(OSError):
            os.setsid()
        while True:
            pass
    children.append(child)
start()
before = None
for request in requests():
    if before is not None:
        report("burned", f"{burned_s() - before:.2f}")
    say(right(request))
    before = burned_s()
