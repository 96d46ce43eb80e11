"""The tables of card values (SCO-01, CAC-40): points by rank, or by card where one differs from its rank."""

_PIPS = {str(points): points for points in range(2, 11)}

B0 = {"0": 0, "1": 1, "A": 1, **_PIPS, "J": 10, "Q": 10, "K": 0}
"""Cactus has this table (CAC-40); it names the ranks of both packs that Cactus can have."""
B1 = {"A": 1, **_PIPS, "2": -2, "J": 10, "Q": 10, "K": 0}
"""Six-card golf has this table, and so has every game that is played with its values (SCO-01)."""
B2 = {"A": 1, **_PIPS, "J": 0, "Q": 10, "K": 10}
"""The game of four turns has this table (T4-10)."""
B3 = {"A": 1, **_PIPS, "J": -2, "Q": 12, "K": 0}
"""The two-deck game has this table (TDK-15)."""
B1_RED_KINGS = {**B1, "KH": -1, "KD": -1}
"""Powers has this table (POW-27): red kings count -1."""
