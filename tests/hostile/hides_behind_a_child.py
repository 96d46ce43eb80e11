"""Answers well while a child does what another of these programs does: `hides_behind_a_child.py SECONDS PROGRAM ...`.

It thinks for SECONDS at its second request: while it is asked, nothing of it is frozen.
"""

import os
import subprocess
import sys
import time

from filler import requests, right, say, start

feed, into = os.pipe()
os.write(into, b'{"type": "hello"}\n' + 40 * b'{"type": "request", "id": "x", "legal": [{"kind": "none"}]}\n')
folder = os.path.dirname(os.path.abspath(__file__))
subprocess.Popen([sys.executable, f"{folder}/{sys.argv[2]}.py", *sys.argv[3:]], stdin=feed, stdout=subprocess.DEVNULL)
start()
for number, request in enumerate(requests()):
    time.sleep(float(sys.argv[1]) if number == 1 else 0)
    say(right(request))
