"""Watching: a match that was played, step by step, and a run, match by match.

It reads records, and stores without their lock. It must not hold up whoever plays or writes.
"""
