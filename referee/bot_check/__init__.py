"""Whether a bot keeps the protocol: `steps.py` is the table of contents, `run.py` plays and gathers what is wrong.

A check plays real matches (`test_match.py`) with the real process of the bot through the referee's own pump and
conversation, so that its verdict is the referee's. The other seats are played in memory. Nothing here judges what is
legal.
"""
