"""Plays, and does nothing else, but holds as much memory as it is told in MB; an honest bot may have large tables."""

import sys

from filler import play, start

tables = bytearray(b"x" * (int(sys.argv[1]) << 20))
start()
play()
