"""The wrong slap that cost its slapper most."""

from fractions import Fraction

from referee.highlights.highlight import Found, Match, strokes


def dearest_wrong_slap(match: Match) -> Found | None:
    """The most strokes that the card of a wrong slap cost its slapper in the round; the moment is the slap window."""
    dearest = [(slap, seat) for seat, one in enumerate(match.counts) if (slap := one.dearest) is not None]
    if not dearest:
        return None
    slap, seat = max(dearest, key=lambda one: (one[0].cost, -one[0].round, -one[0].window))
    owner = slap.owner
    whose = "a card of its own" if seat == owner else f"a card of {{{owner}}}"
    comes = "must take another" if seat == owner else "must keep that card"
    decides = " and the match" if _decides(match, seat, slap.round, slap.cost) else ""
    return Found(
        order=Fraction(slap.cost),
        score=slap.cost,
        seats=(seat,) if seat == owner else (seat, owner),
        moment=f"r{slap.round}w{slap.window}",
        words=(
            f"{{{seat}}} wrongly slaps {whose} in round {slap.round} and {comes}. At the end of the round it scores "
            f"{slap.scored} instead of {slap.without}: the slap costs {strokes(slap.cost)}{decides}."
        ),
    )


def _decides(match: Match, seat: int, number: int, cost: int) -> bool:
    """Whether this seat would have had the lowest total alone without the cost, but did not win alone."""
    if match.result.rounds[number - 1].playoff or match.winner == seat:
        return False
    totals = match.result.totals
    return totals[seat] - cost < min(total for other, total in enumerate(totals) if other != seat)
