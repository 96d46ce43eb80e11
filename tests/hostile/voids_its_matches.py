"""Voids every match in which it has seat 0, where nothing keeps it from that: it kills the referee's worker.

That needs the isolation `none`, and a run of two workers or more.
"""

import os
import signal

from filler import messages, right, say, start

start()
for message in messages():
    if message["type"] == "match":
        seat = message["seat"]
    elif message["type"] == "request":
        with open(f"/proc/{os.getppid()}/comm") as file:
            if seat == 0 and file.read() == "golfref-worker\n":
                os.kill(os.getppid(), signal.SIGKILL)
        say(right(message))
