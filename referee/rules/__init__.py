"""The games of RULES.md. Pure: no clock, no I/O, no process, and no randomness but the keyed streams."""
