"""Looks for files of /proc that tell of what others do on the host: those that change while it works.

It reads them all, starts processes, takes memory and reads files, and reads them again.
"""

import os

from filler import play, start
from wire import only_in_a_cell, report


def readable():
    for folder, folders, files in os.walk("/proc"):
        if folder == "/proc":
            folders[:] = [name for name in folders if not name.isdigit() and name not in {"self", "thread-self", "net"}]
        for name in files:
            yield os.path.join(folder, name)


def contents():
    found = {}
    for path in readable():
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                found[path] = hash(file.read(1 << 16))
        except OSError:
            continue
    return found


def work():
    for _ in range(100):
        if not (pid := os.fork()):
            os._exit(0)
        os.waitpid(pid, 0)
    taken = bytearray(os.urandom(4096)) * 4096
    with open("/tmp/taken", "wb") as file:
        file.write(taken)
    os.listdir("/usr/bin")


only_in_a_cell()
start()
before = contents()
work()
after = contents()
report("read", len(after))
report("changed", " ".join(path for path in after if after[path] != before.get(path)))
play()
