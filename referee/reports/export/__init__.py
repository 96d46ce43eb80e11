"""The tables of a run as files for other programs: their columns, their rows, and the formats of the files.

A row is made from a committed match and a part of its record, and written before the next match is read, so that a run
of any length takes the same memory. It must not come to hold cards, slots, keys, lines, commands or texts of bots.
"""
