"""Says `ready` unasked, makes its input as narrow as it may and never reads it."""

import contextlib
import fcntl
import time

from filler import say

say({"type": "ready"})
with contextlib.suppress(PermissionError):  # in a cell
    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
time.sleep(600)
