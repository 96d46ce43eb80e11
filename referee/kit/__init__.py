"""Tools for whoever writes a bot, plays against bots, or wants to see what was played.

Knows how matches are played and told. It must not know the command line; what a tool prints is made in `commands`.
"""
