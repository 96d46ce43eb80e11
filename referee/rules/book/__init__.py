"""What may be played: the options and their conflicts, the variants as presets, the scoring tables of par golf.

Nothing here changes while a game is played; it must not know tables or turns.
"""
