"""A competition around the matches: entries are checked and qualify, and submissions come in.

It brings together entries, the check of the kit, runs and their pages. Nothing here decides a match.
"""
