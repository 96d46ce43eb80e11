"""A run on disk: one SQLite file. What its results depend on, and how a changed config changes it.

Knows plan, config and finished matches; it must not know how matches are played.
"""
