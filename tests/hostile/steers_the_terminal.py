"""Its name, its faults and its standard error would move the cursor, turn letters round and begin new lines."""

import os

from filler import requests, right, say, start

NASTY = "\x1b[2J\x1b]0;owned\x07\u202egolf\u2066\r\n../../\x9b31m\u2028\x00\x7f"
start(name=("\x1b[2J\u202e\r\n../../x\x9b" + "n" * 40)[:60], version="1\n2", author="\u2066../\x1b]0;a\x07")
os.write(2, NASTY.encode() + b"\xff\xfe\n")
for request in requests():
    say(right(request) | {"action": {"kind": NASTY}})
