"""The games: for each its set-up and its turns, as generators that read like the rule book.

The games know the book, the table and what cards are worth. They must not know how a match ends.
"""
