"""Writes to the output and standard error of its parent, by way of /proc; `forges_the_log.py WORD`."""

import os
import sys

from filler import play, start
from wire import name_of, report

LINE = f"golfref match: void, says {sys.argv[1]}\n".encode()


def parents():
    pid = os.getppid()
    while pid > 1:
        yield pid
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])


def forge(path):
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        os.write(fd, LINE)
        os.close(fd)
    except OSError as error:
        return name_of(error)
    return "written"


start()
places = [f"/proc/{pid}/fd/{fd}" for pid in (*list(parents())[:1], 1) for fd in (1, 2)]
for place in places[: None if os.getcwd() == "/bot" else 2]:
    report("forged", forge(place))
play()
