"""What is tried out before it counts: the machine, starts of bots, races whose outcome is known, games by the dice.

Knows how matches are played; it must not know tournaments.
"""
