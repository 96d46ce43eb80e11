"""A bot for four-card golf that has learned by playing against itself: learn.py teaches it, bot.py plays."""
