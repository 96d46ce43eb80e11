"""Tools for authors of bots: a new project, the starters of many languages, an answer sent again (`golfref rerun`).

They know how matches are played and recorded. They must not know the command line.
"""
