"""A bot by its content: its files, and the archives in which they come.

This room must not know a competition: neither owners nor submissions, neither matches nor standings.
"""
