"""Starts threads until it may not, then plays."""

import threading
import time

from filler import play, start
from wire import report

start()
count = 0
try:
    while count < 3000:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
report("threads", count)
play()
