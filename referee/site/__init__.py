"""Pages to look at: a static site of a run, with a viewer of its matches.

It reads runs and states. It must not know the rules of any game, nor how matches are played, nor the command line.
"""
