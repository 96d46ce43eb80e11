"""A match as states, one after each event: what lies on the table as the public, a seat or all cards open show it.

It plays records again and follows events. It must not know who shows the states: no terminal, no page, no tournament.
"""
