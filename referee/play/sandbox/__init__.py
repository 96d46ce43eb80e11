"""How a bot is kept from the host: levels, the cell of bubblewrap, filters of system calls, control groups.

This room knows how a bot is described. It must not know what is played, and it starts no bot.
"""
