"""Tables for a terminal, a file for each, fitted to a width in cells.

They show what tournament/standings.py computed. They must not know stores, commands, or where they are printed.
"""
