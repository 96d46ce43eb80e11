"""The plan: who meets whom, in which seats, on which deal, derived from the config and the key alone.

Knows bots as names and numbers; it must not know processes or results.
"""
