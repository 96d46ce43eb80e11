"""From raw scores to round scores: shooting the moon (SCO-13), and what ending a round costs or earns (KNK, CAC-41).

This module sees the raw scores by seat and the seat that knocked or ended the round. It must not see a card.
"""

from collections.abc import Sequence

from referee.rules.options import Options
from referee.rules.variants import Variant, size


def score_round(variant: Variant, raw: Sequence[int], ender: int | None) -> tuple[int, ...]:
    """Return the round scores by seat (SCO-13, SCO-14).

    `ender` is the seat that knocked (KNO-04) or ended the round, None when nobody did.
    """
    options = variant.options
    if options.moon:
        moon_at = 10 * size(variant) if options.moon_at is None else options.moon_at
        if max(raw) >= moon_at:
            return tuple(0 if score >= moon_at else moon_at for score in raw)
    scores = list(raw)
    if ender is not None:
        own = raw[ender]
        scores[ender] = _cactus_knocker(options, own) if variant.has("cactus_knock") else _knocker(options, raw, own)
    return tuple(scores)


def _cactus_knocker(options: Options, own: int) -> int:
    """CAC-41: more points than the threshold are multiplied by the factor."""
    threshold, factor = options.cactus_knock
    return own * factor if own > threshold else own


def _knocker(options: Options, raw: Sequence[int], own: int) -> int:
    """KNK-01, KNK-02, KNK-08: a beaten knocker pays, one who alone is lowest earns; `knock_tie` says what a tie is."""
    if own > min(raw):
        outcome = "penalty"
    elif raw.count(own) > 1:
        outcome = options.knock_tie
    else:
        outcome = "bonus"
    if outcome == "penalty":
        return _penalised(options.knock_penalty, raw, own)
    return _rewarded(options.knock_bonus, len(raw), own) if outcome == "bonus" else own


def _penalised(penalty: str | None, raw: Sequence[int], own: int) -> int:
    """KNK-03: no penalty, `double`, `double5` (KNK-04), `highest` (KNK-05), `twice_players` (KNK-06), or points."""
    match penalty:
        case None:
            return own
        case "double":
            return own + max(own, 0)
        case "double5":
            return own + max(own, 0) + 5
        case "highest":
            return max(raw)
        case "twice_players":
            return own + 2 * len(raw)
        case _:
            return own + int(penalty.removeprefix("add:"))


def _rewarded(bonus: str | None, seats: int, own: int) -> int:
    """KNK-07: the reward makes a positive score 0, or takes off a point for each seat."""
    match bonus:
        case "zero":
            return min(own, 0)
        case "minus_players":
            return own - seats
        case _:
            return own
