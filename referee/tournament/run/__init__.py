"""Playing the plan: the dispatcher that hands out jobs and keeps results, their order, and rounds as they are drawn.

Knows plan, store and workers; it must not know tables or commands.
"""
