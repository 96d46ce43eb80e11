"""Tries to be the last that the kernel ends when memory runs out, and to write anything else in /proc.

It says what came of it, and what the kernel thinks of it then.
"""

import os

from filler import play, start
from wire import attempt, only_in_a_cell, report


def last_to_die():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("0")


def writable():
    """The files below /proc that it may open to write; nothing is written."""
    found = []
    for folder in ("/proc", "/proc/1", "/proc/self", "/proc/thread-self"):
        names = os.listdir(folder) if os.path.isdir(folder) else []
        found += [path for name in names if may_write(path := f"{folder}/{name}")]
    return found or "nothing"


def may_write(path):
    try:
        if not os.path.isfile(path):
            return False
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


only_in_a_cell()
start()
attempt("last to die", last_to_die)
with open("/proc/self/oom_score_adj") as file:
    report("killed first", file.read().strip())
report("writable", writable())
play()
