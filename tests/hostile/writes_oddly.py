"""Writes its answers in every odd way that the specification allows, and is at fault for none of them."""

import json
import sys

from filler import play, requests, right, start
from wire import report


def before(pairs):
    """The answer with these pairs of key and value ahead of its own, all of which come again."""
    return lambda good: b"{" + pairs + b", " + good[1:]


def foreign(request_id):
    """An answer to something that was never asked, on a line of its own."""
    return lambda good: json.dumps({**json.loads(good), "id": request_id}).encode() + b"\n" + good


WAYS = {
    "an earlier type": before(b'"type": "ready"'),
    "an earlier type of no kind": before(b'"type": "nonsense"'),
    "an earlier type that is a number": before(b'"type": 7'),
    "an earlier id that is null": before(b'"id": null'),
    "an earlier action that is none": before(b'"action": [1.5]'),
    "an earlier kind": lambda good: good.replace(b'"action": {', b'"action": {"kind": "fly", '),
    "escaped keys": lambda good: good.replace(b'"type"', b'"\\u0074ype"').replace(b'"kind"', b'"k\\u0069nd"'),
    "fields in another order": lambda good: json.dumps(dict(reversed(json.loads(good).items()))).encode(),
    "unknown fields": before(b'"note": "\\ud83d\\ude00", "x": ' + 90 * b"[" + b"1e999" + 90 * b"]"),
    "an id of 65 characters first": foreign(65 * "x"),
    "an id of 60,000 characters first": foreign(60_000 * "x"),
    "an empty id first": foreign(""),
    "a blank line first": lambda good: b" \t\r\n" + good,
    "white space": lambda good: b" \t" + good.replace(b":", b" :\t") + b" \r",
    "then null": before(b'"then": null'),
}


start()
asked = requests()
for name, bend in WAYS.items():
    report("sent", name)
    sys.stdout.buffer.write(bend(json.dumps(right(next(asked))).encode()) + b"\n")
    sys.stdout.flush()
play()
