"""Publishing a run: a folder that anybody can keep, copy and check, and for each author the matches of its own bots.

It reads stores and writes folders, and reads the folders of strangers; it must not know who plays or how entries came.
"""
