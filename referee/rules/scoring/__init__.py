"""What layouts score: cards that cancel or count together, and what ending a round costs or earns.

Knows the games and their options alone; it must not know how a game is played.
"""
