"""Screens on a terminal: to play at the table, to step through a match, to follow a run.

They use textual; what golfref prints as plain lines is made in `commands`.
"""
