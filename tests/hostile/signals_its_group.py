"""Sends a signal to all of its process group and to the cell's first process; it ignores that signal itself."""

import os
import signal
import sys

from filler import requests, right, say, start
from wire import attempt, only_in_a_cell, report

only_in_a_cell()
number = signal.Signals[sys.argv[1]]
if number not in {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
start()
for count, request in enumerate(requests()):
    if count == 1:
        attempt("first", os.kill, 1, number)
        attempt("group", os.killpg, 0, number)
        attempt("all", os.kill, -1, number) if number != signal.SIGKILL else report("all", "spared")
    say(right(request))
