"""A child fills standard error as fast as it is read, for as long as the match lasts; its parent plays."""

import os

from filler import play, start

if not os.fork():
    while True:
        os.write(2, b"never mind\n" * 6000)
start()
play()
