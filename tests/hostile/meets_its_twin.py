"""Says to a process of itself that plays the same cards at the same time what it has seen of them: `meets_its_twin.py`.

Two rotations of a deal show a table the same cards after the first answers of all seats, for this bot always turns up
the same slots. So a lock that is named after these cards is a channel: whoever finds it taken has met the other one.
It waits a moment for it, and holds the lock until it is ended. What it finds goes into `met`, beside this program.
"""

import fcntl
import hashlib
import json
import os
import sys
import time

from filler import messages, right, say

MET_S = 0.3
HERE = os.path.dirname(os.path.abspath(__file__))


def meet(cards):
    """Whether another process of this bot has seen the same cards and is alive."""
    lock = os.open(f"{HERE}/{sys.argv[1]}.{hashlib.sha256(cards.encode()).hexdigest()}", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    time.sleep(MET_S)
    return False


seen, has_looked = [], False
for message in messages():
    if message["type"] == "hello":
        say({"type": "ready"})
    elif message["type"] == "request":
        for event in message["events"]:
            if event["event"] == "up_card" or (event["event"] == "turned_up" and len(event["slots"]) > 1):
                seen.append(event)
        if message["decision"] == "turn" and not has_looked:
            has_looked = True
            with open(f"{HERE}/met", "a") as notes:
                notes.write("met\n" if meet(json.dumps(seen)) else "alone\n")
        say(right(message))
