"""The plan: who meets whom, in which seats, on which deal, derived from the config and the key alone.

Knows bots as names and numbers. It must not know processes, nor results but as the past from which rounds are drawn
(`rounds.py`, `meetings.py`).
"""
