"""Playing the plan: the desk that hands out matches and keeps results, and the workers that play them.

Knows plan, store and play; it must not know tables or commands.
"""
