"""Leaves what it can behind when it dies: a core dump, with the limit raised as far as it goes."""

import os
import resource
import signal

from filler import requests, start
from wire import attempt

start()
attempt("limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
for _ in requests():
    os.chdir("/tmp")
    os.kill(os.getpid(), signal.SIGQUIT)
