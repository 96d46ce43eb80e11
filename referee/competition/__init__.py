"""A competition around the matches: entries are checked and qualify, submissions come in, results are published.

It brings together entries, the check of the kit, runs and their pages. Nothing here decides a match.
"""
