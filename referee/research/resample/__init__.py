"""Another state of a match that one seat cannot tell from the present one.

referee/research/README.md has the mathematics. This room knows games and their chance, and neither environments nor
numbers of moves.
"""

from referee.research.resample.replay import TooRare, other_state, rewritten

__all__ = ["TooRare", "other_state", "rewritten"]
