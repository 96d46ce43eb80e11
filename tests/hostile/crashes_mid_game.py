"""Reads memory that there is not, when it is asked for the third time."""

import ctypes

from filler import requests, right, say, start

start()
for number, request in enumerate(requests()):
    if number == 2:
        ctypes.string_at(0)
    say(right(request))
