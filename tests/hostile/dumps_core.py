"""Leaves what it can behind when it dies: a core dump.

It would set the limit of dumps to 0 first, with which the kernel starts the host's program for dumps, as root. If it
is told `as it is`, it leaves the limit alone.
"""

import ctypes
import os
import resource
import signal
import sys

from filler import requests, start
from wire import report

NO_DUMP, ANY = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 2)(2**64 - 1, 2**64 - 1)
libc = ctypes.CDLL(None, use_errno=True)


def limits():
    with open("/proc/self/limits") as file:
        lines = {line[:26].strip(): line[26:].split()[0] for line in file}
    return {name: lines[f"Max {words}"] for name, words in NAMES.items()}


NAMES = {"core": "core file size", "real time": "realtime priority", "nice": "nice priority"}
start()
for name, value in (("lower", NO_DUMP), ("raise", ANY)) if sys.argv[1:] != ["as it is"] else ():
    for call in ("setrlimit", "setrlimit64"):
        report(f"{name} by {call}", "done" if not getattr(libc, call)(resource.RLIMIT_CORE, value) else "refused")
    refused = libc.prlimit64(0, resource.RLIMIT_CORE, value, None)
    report(f"{name} by prlimit64", "refused" if refused else "done")
for name, value in limits().items():
    report(name, value)
for _ in requests():
    os.chdir("/tmp")
    os.kill(os.getpid(), signal.SIGQUIT)
