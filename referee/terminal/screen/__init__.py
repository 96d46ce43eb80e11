"""A table on a terminal: how it is drawn, and how a person chooses among offers.

It must not know the rules of any game, nor bots, stores or processes: it sees events, offers and keys. Only `pages.py`
and `terminal.py` know textual, the library that draws on the terminal.
"""
