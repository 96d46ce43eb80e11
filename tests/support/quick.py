"""Bots for runs in which it does not matter who plays."""

from pathlib import Path

QUICK = f'command = ["sh", "bot.sh"]\ndir = "{Path(__file__).parents[1] / "quick"}"'
"""A part of a config: a bot that starts at once and plays six-card golf."""

FILLER = Path(__file__).with_name("filler.py").read_text(encoding="utf-8")
"""The start of a Python program: what a bot says to play any game. With `start(); play()` after it, it is one."""
