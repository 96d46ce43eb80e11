"""A child of it stays in vfork for good: what it starts waits for a writer that never comes. It passes all windows.

Who calls vfork sleeps in the kernel until its child is another program, and so is never seen to stop.
"""

import os
import sys

from filler import start
from wire import play_turns

name = f"/tmp/golf{os.getpid()}"
os.mkfifo(name)
fifo = os.open(name, os.O_PATH)
os.unlink(name)
if not os.fork():
    wait = (os.POSIX_SPAWN_OPEN, 99, f"/proc/self/fd/{fifo}", os.O_RDONLY, 0)
    os.posix_spawn(sys.executable, ["python"], {}, file_actions=[wait])
    os._exit(0)
start()
play_turns(int(sys.argv[1]))
