"""Its child computes for 18 ms ten times a second, whoever's turn it is; the bot itself answers at once.

No look that is taken ten times a second finds that it computed for long. At its end it says how much that was.
"""

import os
import time

from filler import requests, right, say, start
from wire import report

BURST_S, PAUSE_S = 0.018, 0.082


def burned_s():
    with open(f"/proc/{child}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


child = os.fork()
while not child:
    end = time.process_time() + BURST_S
    while time.process_time() < end:
        pass
    time.sleep(PAUSE_S)
start()
before = None
for request in requests():
    if before is not None:
        report("burned", f"{burned_s() - before:.2f}")
    say(right(request))
    before = burned_s()
