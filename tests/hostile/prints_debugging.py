"""Prints a line for its author to standard output."""

from filler import requests, right, say, start

start()
for request in requests():
    print("considering", request["decision"])
    say(right(request))
