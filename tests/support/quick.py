"""A part of a config: a bot that starts at once, for runs in which it does not matter who plays six-card golf."""

from pathlib import Path

QUICK = f'command = ["sh", "bot.sh"]\ndir = "{Path(__file__).parents[1] / "quick"}"'
