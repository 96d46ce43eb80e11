"""Answers well while a child does what another of these programs does: `hides_behind_a_child.py PROGRAM WORD...`."""

import os
import subprocess
import sys

from wire import play, start

feed, into = os.pipe()
os.write(into, b'{"type": "hello"}\n' + 40 * b'{"type": "request", "id": "x", "legal": [{"kind": "none"}]}\n')
folder = os.path.dirname(os.path.abspath(__file__))
subprocess.Popen([sys.executable, f"{folder}/{sys.argv[1]}.py", *sys.argv[2:]], stdin=feed, stdout=subprocess.DEVNULL)
start()
play()
