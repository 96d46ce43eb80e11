"""Tables for a terminal, fitted to a width in cells: a column has what stands in it of a row, and when it gives way.

They show what tournament/standings.py computed. They must not know stores, commands, or where they are printed.
"""
