"""Begins its answer and does not end it."""

import json
import time

from filler import requests, right, say, start

start()
for request in requests():
    say(json.dumps(right(request))[:-5], end="")
    time.sleep(600)
