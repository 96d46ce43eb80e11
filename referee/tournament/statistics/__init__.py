"""Claims about a run that need a test: each says how often it errs, and a simulation shows it.

Knows the rows of finished matches; it must not know stores, plans or processes.
"""
