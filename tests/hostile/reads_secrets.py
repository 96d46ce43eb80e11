"""Looks for a secret in everything that it can read: the files that it is told, other processes, the usual places.

`reads_secrets.py SECRET FILE...`; the secret comes in two halves, for it would find itself.
"""

import contextlib
import os
import sys
from pathlib import Path

from filler import play, start
from wire import report

SECRET = sys.argv[1].replace("/", "").encode()
OWN = str(os.getpid())
LARGEST = 1 << 20


def search(path):
    try:
        with open(path, "rb") as file:
            return SECRET in file.read(LARGEST)
    except OSError:
        return False


def search_memory(pid):
    """The writable memory of a process."""
    with open(f"/proc/{pid}/maps") as file:
        areas = [line.split()[0].split("-") for line in file if " rw" in line]
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for low, high in areas:
            try:
                memory.seek(int(low, 16))
                if SECRET in memory.read(min(int(high, 16) - int(low, 16), 64 << 20)):
                    return True
            except OSError:
                continue
    return False


def search_processes():
    others = [folder for folder in Path("/proc").glob("[0-9]*") if folder.name != OWN]
    for folder in others:
        for name in ("environ", "cmdline", "mountinfo", "comm"):
            if search(folder / name):
                yield f"{name} of a process"
        with contextlib.suppress(OSError):
            if any(os.path.isfile(fd) and search(fd) for fd in (folder / "fd").iterdir()):
                yield "open file of a process"
    for pid in {os.getppid(), 1}:
        with contextlib.suppress(OSError):
            if search_memory(pid):
                yield "memory of a process"


def search_folders():
    for top in ("/tmp", "/var/tmp", "/dev/shm", "/home", "/root", "/run", "/bot", "/opt", "/mnt", "/srv", "/etc"):
        for place, folders, files in os.walk(top):
            folders[:] = [name for name in folders if os.path.join(place, name) not in (sys.prefix, sys.base_prefix)]
            for name in files:
                path = os.path.join(place, name)
                if os.path.isfile(path) and search(path):
                    yield f"file {os.path.basename(path)}"


start()
found = set(search_processes())
for path in sys.argv[2:]:
    if search(path):
        found.add(f"file {os.path.basename(path)}")
if os.getcwd() == "/bot":
    found |= set(search_folders())
if SECRET in repr(os.environ).encode():
    found.add("own environment")
report("found", ", ".join(sorted(found)) or "nothing")
play()
