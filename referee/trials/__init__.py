"""What `golfref doctor` and the benchmarks try out: the machine, starts of bots, races whose outcome is known.

Knows how matches are played; it must not know tournaments.
"""
