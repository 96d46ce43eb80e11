"""Thinks for most of a long time that it is allowed, without a sound, once asleep and once at work; then plays."""

import sys
import time

from filler import requests, right, say, start

start()
for number, request in enumerate(requests()):
    if number == 1:
        time.sleep(float(sys.argv[1]))
    if number == 2:
        end = time.process_time() + 0.7
        while time.process_time() < end:
            pass
    say(right(request))
