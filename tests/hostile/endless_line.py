"""Answers with a line that does not end."""

from filler import requests, say, start

start()
for _ in requests():
    while True:
        say("x" * 65536, end="")
