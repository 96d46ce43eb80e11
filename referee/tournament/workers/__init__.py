"""Where matches are played: job runners, in the run's own process or in workers, and the crew that keeps workers alive.

Knows orders and play; it must not know plan, store, keys, tables or commands.
"""
