"""The pump: one task that moves the lines of all matches in flight and owns their clocks.

Knows conversations, bots and races; it must not know what is played.
"""
