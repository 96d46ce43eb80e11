"""What may be played: the options and their conflicts, the variants as presets, the scoring tables of par golf.

Knows no table and no turn: nothing here changes while a game is played.
"""
