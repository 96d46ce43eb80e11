"""Claims about a run that need a test: each says how often it errs, and a simulation shows it.

Knows the rows of finished matches. It must not know stores or processes, nor plans but for when a tournament may end
(`stopping.py`) and for the sums over pairs (`pair_strengths.py`).
"""
