"""What referee and bots say in one match, sans I/O: composing lines, judging answers, and telling a match again.

Knows the rules and the protocol; it must not know processes, pipes or clocks.
"""
