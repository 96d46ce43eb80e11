"""Plays without a fault, as programs of Node, Go or asyncio do: it waits for its input with a new epoll each time."""

import json
import os
import select

from filler import right, say

text = b""
while True:
    with select.epoll() as epoll:
        epoll.register(0, select.EPOLLIN)
        epoll.poll()
    data = os.read(0, 65536)
    if not data:
        break
    *lines, text = (text + data).split(b"\n")
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready"})
        elif message["type"] == "request":
            say(right(message))
