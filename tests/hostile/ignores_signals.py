"""Takes no signal that can be ignored, plays to the end, and stays."""

import signal
import time

from filler import play, start

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, signal.SIG_IGN)
start()
play()
while True:
    time.sleep(600)
