"""A bot by its content: its files, the archives in which they come, its version, its build, and the store of versions.

This room must not know a competition: neither owners nor submissions, neither matches nor standings.
"""
