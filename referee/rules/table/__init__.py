"""The table itself: what lies where, the questions put to seats, who sees what happens, and where chance comes from.

Knows the book; it must not know any single game, nor what a layout scores.
"""
