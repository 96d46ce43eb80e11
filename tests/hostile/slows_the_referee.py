"""Has as many threads as it may, and writes a byte to standard error all the time; is late with one answer.

Whoever looks after it has much to look at, and is woken all the time; that must not pass for the referee's lateness.
`slows_the_referee.py TASKS LATE_S`.
"""

import os
import sys
import threading
import time

from filler import requests, right, say, start


def sleep_in_threads(count):
    try:
        for _ in range(count):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    except RuntimeError:
        pass
    time.sleep(600)


def drip():
    while True:
        os.write(2, b".")
        time.sleep(0.0005)


start()
threading.stack_size(65536)
for act in (drip, *[lambda: sleep_in_threads(30)] * (int(sys.argv[1]) // 31)):
    if not os.fork():
        act()
for number, request in enumerate(requests()):
    if number == 1:
        time.sleep(float(sys.argv[2]))
    say(right(request))
