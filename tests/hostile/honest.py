"""Plays, and does nothing else: what every other program here is measured against."""

from filler import play, start

start()
play()
