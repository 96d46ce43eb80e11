"""How a bot is kept from the host: levels, the cell of bubblewrap, filters of system calls, control groups.

Knows what a bot is; it must not know what is played, nor start a bot itself.
"""
