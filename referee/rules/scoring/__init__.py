"""What layouts score: card values, cards that cancel or count together, and what ending a round costs or earns.

Knows the book alone; it must not know how a game is played.
"""
