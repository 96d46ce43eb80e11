"""Answers requests with lines that are no answers, each of another kind; says which, and plays once it is through."""

import json
import sys

from filler import play, requests, right, start
from wire import report


def action(good, given):
    return json.dumps({**json.loads(good), "action": given}).encode()


def swap(good, value):
    return action(good, {"kind": "swap", "slot": value})


def kind(text):
    return lambda good: json.dumps({**json.loads(good), "action": {"kind": text}}).encode()


def field(value):
    """An answer with this in a field that nobody reads."""
    return lambda good: good[:-1] + b', "x": ' + value + b"}"


KINDS = {
    "bytes that are no UTF-8": field(b'"\xff\xfe\xed\xa0\x80"'),
    "a byte order mark": lambda good: b"\xef\xbb\xbf" + good,
    "UTF-16": lambda good: good.decode().encode("utf-16").replace(b"\n", b""),
    "a NUL at the end": lambda good: good + b"\0",
    "not a number": field(b"NaN"),
    "infinity": field(b"-Infinity"),
    "half a surrogate": kind("\ud800"),
    "steering characters": lambda good: b"\x1b]0;owned\x07\x1b[2J\r" + good,
    "an array": lambda good: b"[" + good + b"]",
    "two on a line": lambda good: good + good,
    "a comment": lambda good: good + b" // done",
    "single quotes": lambda good: good.replace(b'"', b"'"),
    "arrays in arrays": field(30_000 * b"[" + 30_000 * b"]"),
    "objects in objects": field(10_000 * b'{"x":' + b"1" + 10_000 * b"}"),
    "a number for an id": lambda good: b'{"id": 7, ' + good[1:].replace(b'"id"', b'"x"'),
    "half a surrogate in a field that nobody reads": field(b'"\\ude00\\ud83d"'),
    "no type": lambda good: b"{" + good.partition(b", ")[2],
    "a later type": lambda good: good[:-1] + b', "type": "ready"}',
    "a later action": lambda good: good[:-1] + b', "action": null}',
    "a later kind": lambda good: good.replace(b"}}", b', "kind": "fly"}}'),
    "an unknown kind": kind("\u202e\x1b[31m../../etc\r\n"),
    "a huge slot": lambda good: swap(good, 10**4000),
    "a hugest slot": lambda good: swap(good, 1).replace(b'"slot": 1', b'"slot": 1' + 60_000 * b"0"),
    "a huge exponent": lambda good: swap(good, 1).replace(b'"slot": 1', b'"slot": 1e999999999'),
    "a fraction": lambda good: swap(good, 1.0),
    "true for a slot": lambda good: swap(good, True),
    "text for a slot": lambda good: swap(good, "1"),
    "a negative slot": lambda good: swap(good, -1),
    "null for a slot": lambda good: swap(good, None),
    "no slot": kind("swap"),
    "many slots": lambda good: action(good, {"kind": "turn_up", "slots": 9000 * [1]}),
}


sys.set_int_max_str_digits(0)
start()
asked = requests()
for name, spoil in KINDS.items():
    report("sent", name)
    sys.stdout.buffer.write(spoil(json.dumps(right(next(asked))).encode()) + b"\n")
    sys.stdout.flush()
play()
