"""Looks for the other bot of its match, which has the same mark in its environment, and sends it a signal."""

import os
import signal
import sys
from pathlib import Path

from filler import play, start
from wire import report

MARK = f"GOLFREF_TEST={os.environ['GOLFREF_TEST']}".encode()


def rivals():
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and MARK in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:
            continue


start()
found = 0
for pid in rivals():
    os.kill(pid, signal.Signals[sys.argv[1]])
    found += 1
report("rivals", found)
play()
