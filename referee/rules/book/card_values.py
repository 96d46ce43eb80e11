"""The tables of card values (SCO-01, CAC-40): points by rank, or by card where one differs from its rank."""

_PIPS = {str(points): points for points in range(2, 11)}

B0 = {"0": 0, "1": 1, "A": 1, **_PIPS, "J": 10, "Q": 10, "K": 0}
"""Cactus, with the ranks of both its packs."""
B1 = {"A": 1, **_PIPS, "2": -2, "J": 10, "Q": 10, "K": 0}
"""Six-card golf, and what is played with its values (SCO-01)."""
B2 = {"A": 1, **_PIPS, "J": 0, "Q": 10, "K": 10}
"""Four turns (T4-10)."""
B3 = {"A": 1, **_PIPS, "J": -2, "Q": 12, "K": 0}
"""The two-deck game (TDK-15)."""
B1_RED_KINGS = {**B1, "KH": -1, "KD": -1}
"""Powers (POW-27)."""
