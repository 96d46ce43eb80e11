"""The published bundle of a run: how it is made, signed and checked.

It reads stores, writes a folder, and reads the folders of strangers; it must not know entries or competitions.
"""
