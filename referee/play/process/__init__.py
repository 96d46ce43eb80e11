"""One bot's processes: how they start, what is read and written, who watches them, and how all that they started ends.

Knows the sandbox and the lines that are exchanged; it must not know games, nor decide when a bot is asked.
"""
