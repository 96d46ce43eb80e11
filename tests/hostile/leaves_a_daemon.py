"""A grandchild, in a session of its own where it may have one, holds the pipes and waits; the bot plays and leaves."""

import os
import time

from filler import play, start
from wire import name_of, report

if not os.fork():
    try:
        os.setsid()
        report("session", "new")
    except OSError as error:
        report("session", name_of(error))
    if not os.fork():
        time.sleep(600)
    os._exit(0)
os.wait()
start()
play()
