"""Entries: folders with the programs of contestants, as they are read; whose they are, and their last checks.

Nothing here knows what is played, or what came of it.
"""
