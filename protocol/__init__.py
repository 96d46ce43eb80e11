"""What the referee and the bots say to each other; the specification is README.md in this folder.

This package imports msgspec and nothing else of the project, so a bot or a tool can use it alone.
"""

VERSION = "1"
"""The protocol's version as `hello` states it."""
