"""Entries: folders with the programs of contestants, their versions, how they are built, and where versions are kept.

A bot is content: its version names it. Nothing here knows what is played, or what came of it.
"""
