"""Another state of a match that one seat cannot tell from the present one. README.md here has the mathematics.

It knows games and their chance, and neither environments nor numbers of moves.
"""

from referee.research.resample.replay import TooRare, other_state, rewritten

__all__ = ["TooRare", "other_state", "rewritten"]
