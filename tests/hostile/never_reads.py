"""Says `ready` unasked, makes its input as narrow as can be and never reads it."""

import fcntl
import time

from filler import say

say({"type": "ready"})
fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
time.sleep(600)
