"""Highlights that follow from the scores of the rounds: who led when, and how close it was in the end."""

from fractions import Fraction

from referee.highlights.highlight import Found, Match, lead_changes, leaders, strokes


def most_lead_changes(match: Match) -> Found | None:
    """How often the lead changed hands; the moment is the round of the last time."""
    changes = lead_changes(match)
    if not changes:
        return None
    number, former, leader = changes[-1]
    times = {1: "once", 2: "twice"}.get(len(changes), f"{len(changes)} times")
    last = "in" if len(changes) == 1 else "for the last time in"
    where = round_in_words(number, len(match.counted))
    return Found(
        order=Fraction(len(changes)),
        score=len(changes),
        seats=(leader, former),
        moment=f"r{number}",
        words=(
            f"By the scores after each round the lead changes hands {times}, {last} {where}, when {{{leader}}} takes "
            f"it from {{{former}}}."
        ),
    )


def closest_finish(match: Match) -> Found | None:
    """How few strokes lay between the first and the second, for each round played; the moment is the last round."""
    ranks, totals = match.result.ranks, match.result.totals
    if any(totals[seat] != min(totals) for seat, rank in enumerate(ranks) if rank == 1):
        return None
    rounds, margin = len(match.counted), match.margin
    first = leaders(totals)
    if margin:
        first += [seat for seat in range(len(totals)) if totals[seat] == min(totals) + margin][:1]
    return Found(
        order=Fraction(-margin, rounds),
        score=margin,
        seats=tuple(sorted(first, key=lambda seat: (ranks[seat], seat))),
        moment=match.last_round,
        words=_finish_in_words(match, first),
    )


def _finish_in_words(match: Match, first: list[int]) -> str:
    totals, rounds = match.result.totals, len(match.counted)
    after = "one round" if rounds == 1 else f"{rounds} rounds"
    if match.margin:
        winner, second = first
        score = f"{totals[winner]} to {totals[second]}"
        return f"After {after} {{{winner}}} wins by {strokes(match.margin)} ahead of {{{second}}}, {score}."
    *some, last = [f"{{{seat}}}" for seat in first]
    level = f"After {after} {', '.join(some)} and {last} have {strokes(min(totals))} each"
    playoffs = len(match.result.rounds) - rounds
    if match.winner is None:
        return f"{level}, and share the victory."
    how = "a playoff round" if playoffs == 1 else f"{playoffs} playoff rounds"
    return f"{level}, and {{{match.winner}}} wins {how}."


def greatest_swing(match: Match) -> Found | None:
    """The most strokes that a seat made good in a round in which it took the lead from another one."""
    best = None
    totals = match.totals
    for number, (before, after, one) in enumerate(zip(totals, totals[1:], match.counted[1:], strict=False), start=2):
        (loser, *shared), (winner, *level) = leaders(before), leaders(after)
        if shared or level or winner == loser:
            continue
        swing = one.scores[loser] - one.scores[winner]
        if best is None or swing >= best.score:
            where = round_in_words(number, len(totals))
            behind, ahead = before[winner] - before[loser], after[loser] - after[winner]
            scores = f"scores {one.scores[loser]}"
            if one.ender == loser and one.scores[loser] > one.raw[loser]:
                scores = f"ends the round and scores {one.scores[loser]} instead of {one.raw[loser]}"
            best = Found(
                order=Fraction(swing),
                score=swing,
                seats=(winner, loser),
                moment=f"r{number}",
                words=(
                    f"{{{winner}}} overtakes {{{loser}}} in {where}, from {strokes(behind)} behind to {ahead} ahead: "
                    f"{{{winner}}} scores {one.scores[winner]}, {{{loser}}} {scores}."
                ),
            )
    return best


def greatest_comeback(match: Match) -> Found | None:
    """The most strokes by which the later winner lay behind after a round; the moment is the round after that."""
    winner = match.winner
    if winner is None:
        return None
    best = None
    for number, totals in enumerate(match.totals[:-1], start=1):
        behind = totals[winner] - min(totals)
        if behind and (best is None or behind >= best.score):
            leader = leaders(totals)[0]
            left = len(match.counted) - number
            when = "one round" if left == 1 else f"{left} rounds"
            best = Found(
                order=Fraction(behind),
                score=behind,
                seats=(winner, leader),
                moment=f"r{number + 1}",
                words=f"{{{winner}}} is {strokes(behind)} behind {{{leader}}} {when} before the end, and still wins.",
            )
    return best


def round_in_words(number: int, count: int) -> str:
    """Which round of so many it is."""
    return "the last round" if number == count else f"round {number} of {count}"
