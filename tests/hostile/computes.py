"""Computes for so long for each answer, and says by its own clock of the processor how long that was.

It takes SECONDS for its first answers, as many as ANSWERS says, and plays the others at once.
"""

import sys
import time

from filler import requests, right, say, start
from wire import report

seconds, answers = float(sys.argv[1]), int(sys.argv[2])
start()
for number, request in enumerate(requests()):
    before = time.process_time_ns()
    while number < answers and time.process_time_ns() - before < seconds * 1e9:
        pass
    report("computed", (time.process_time_ns() - before) // 1000)
    say(right(request))
