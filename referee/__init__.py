"""The referee and arena for programs that play Golf, the card game."""

__version__ = "0.1.0"
