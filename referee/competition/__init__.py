"""A competition around the matches: entries are checked and qualify, and submissions come in.

It brings together entries, the check of the kit, runs and their pages. If a submission is interrupted, its entry is the
older version or the newer one. Nothing here decides a match.
"""
