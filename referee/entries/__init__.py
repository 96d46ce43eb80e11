"""Entries: whose they are, and their last checks.

Nothing here knows what is played, or what came of it.
"""
