"""A person at the table: its seat is a process like any bot's, which passes lines between the referee and the screen.

The screen learns what that seat is sent and nothing else. It must not look at the game, nor at the record before the
match is over.
"""
