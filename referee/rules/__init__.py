"""The games of RULES.md. They are pure: they use no clock, no I/O, no process and no chance but the keyed streams."""
