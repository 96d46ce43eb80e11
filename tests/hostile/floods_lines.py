"""Never stops writing answers that are well made and answer nothing, asked or not, in whole pipes full."""

import json
import os

from filler import requests, right, start

start()
for request in requests():
    block = (json.dumps(right(request) | {"id": "guess"}) + "\n").encode() * 500
    while True:
        os.write(1, block)
