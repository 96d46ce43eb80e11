"""New versions of entries that come in while a competition goes on: read, built, checked, and put in place or refused.

Whatever happens at whatever moment, an entry is the older version or the newer one. Nothing here knows how a match is
played, and nothing decides whether a bot is good.
"""
