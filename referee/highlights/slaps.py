"""Highlights of games in which cards are slapped out of turn."""

from fractions import Fraction

from referee.highlights.course import SlapMade, WrongSlap
from referee.highlights.highlight import Found, Match, strokes


def longest_run(match: Match) -> Found | None:
    """The most right slaps of a seat without a wrong one between them; the moment is the first of them."""
    runs: dict[int, list[SlapMade]] = {}
    best: list[SlapMade] = []
    for slap in match.course.slaps if match.course else ():
        run = runs.setdefault(slap.seat, [])
        if slap.verdict == "right":
            run.append(slap)
            best = run.copy() if len(run) > len(best) else best
        elif slap.verdict == "wrong":
            run.clear()
    if len(best) < 2:
        return None
    first, last = best[0], best[-1]
    where = (
        f"in round {first.round}" if first.round == last.round else f"from round {first.round} to round {last.round}"
    )
    return Found(
        order=Fraction(len(best)),
        score=len(best),
        seats=(first.seat,),
        round=first.round,
        event=first.event,
        words=f"{{{first.seat}}} makes {len(best)} right slaps, none wrong between them, {where}.",
    )


def dearest_wrong_slap(match: Match) -> Found | None:
    """The most points that the card of a wrong slap cost its slapper in the round."""
    wrong = [one for one in (match.course.wrong if match.course else ()) if one.cost > 0]
    if not wrong:
        return None
    best = max(wrong, key=lambda one: one.cost)
    seat, owner = best.slap.seat, best.slap.owner
    whose = "a wrong card of its own" if seat == owner else f"a wrong card of {{{owner}}}"
    comes = "must take another" if seat == owner else "must keep it"
    decides = " and the match" if _decides(match, best) else ""
    return Found(
        order=Fraction(best.cost),
        score=best.cost,
        seats=(seat,) if seat == owner else (seat, owner),
        round=best.slap.round,
        event=best.slap.event,
        words=(
            f"{{{seat}}} slaps {whose} in round {best.slap.round} and {comes}. At the end of the round it scores "
            f"{best.scored} instead of {best.without}: the slap costs {strokes(best.cost)}{decides}."
        ),
    )


def _decides(match: Match, wrong: WrongSlap) -> bool:
    """Whether the slapper would have had the lowest total alone without it, but did not win alone."""
    if match.result.rounds[wrong.slap.round - 1].playoff or match.winner == wrong.slap.seat:
        return False
    totals = match.result.totals
    others = [total for seat, total in enumerate(totals) if seat != wrong.slap.seat]
    return totals[wrong.slap.seat] - wrong.cost < min(others)
