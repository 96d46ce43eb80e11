"""The games: for each its set-up and its turns, as generators that read like the rule book.

Knows the book and the table; it must not know how a layout is scored or how a match ends.
"""
