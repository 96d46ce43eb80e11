"""Answers before it is asked, then each time with the last id, with a guess, right, and the same again."""

from filler import requests, right, say, start

start()
say({"type": "answer", "id": "1", "action": {"kind": "draw", "from": "stock"}})
old = "0"
for request in requests():
    answer = right(request)
    say(answer | {"id": old})
    say(answer | {"id": request["id"][:-1] + "?"})
    say(answer)
    say(answer)
    old = request["id"]
