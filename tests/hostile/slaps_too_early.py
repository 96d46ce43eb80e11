"""Sends slaps for the window to come before it is open, with every id that it knows; in the window it passes."""

from filler import requests, right, say, start

start()
known = ["0"]
for request in requests():
    known = [*known[-3:], request["id"]]
    if request["decision"] == "slap":
        say(right(request) | {"action": {"kind": "pass"}})
        continue
    say(right(request))
    for target in ([0, 0], [0, 1], [1, 0], [1, 1]):
        for one in known:
            say({"type": "answer", "id": one, "action": {"kind": "slap", "target": target}})
