"""Tools for whoever writes a bot: they start it, play with it and say what is wrong with it.

Knows how matches are played and told. It must not know the command line; what a tool prints is made in `commands`.
"""
