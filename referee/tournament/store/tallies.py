"""How the results of a run are counted: which line-ups there could be, and how often was looked.

The table of a run that can stop comes to the same claims as the look that stopped it. This module must not know how
tables are shown.
"""

from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from referee.tournament.formats.draw import most_matches
from referee.tournament.plan.growing import GrowingPlan
from referee.tournament.plan.rounds import StopRules
from referee.tournament.plan.schedule import BasePlan
from referee.tournament.results import Result
from referee.tournament.standings import Tally
from referee.tournament.statistics.looks import p_at_look
from referee.tournament.statistics.stopping import Pair, Parts, judge
from referee.tournament.store.facts import Facts, field_of, possible_lineups
from referee.tournament.store.plans import present_in
from referee.tournament.store.played import among_remaining
from referee.tournament.store.store import Store


class StopVerdict(Struct, frozen=True, kw_only=True):
    """What became of what [stop] asks for."""

    settled: bool
    """Whether all of it holds."""
    words: str
    undecided: tuple[Pair, ...]
    """The pairs of bots that were to be settled and are not."""
    most_matches: int
    """How many matches the run would have had if nothing had stopped it."""
    saved: int
    """How many of them were not played, where the run was stopped; else 0."""


def tally_for(facts: Facts) -> Tally:
    """What counts the results of a run with these facts."""
    p_value = partial(p_at_look, looks=_looks(facts))
    return Tally(ranked=facts.ranked, possible=possible_lineups(facts), p_value=p_value)


def results_among_remaining(store: Store) -> Iterator[tuple[Result, int]]:
    """What bots played among themselves at tables of bots that have left the run, with the seats of the table.

    Where means are compared, nothing of such a table counts: only whole line-ups make means that can be compared.
    Raises StoreError.
    """
    if store.meta().facts.order != "means":
        yield from among_remaining(store.retired(), present_in(store))


def stop_verdict(
    facts: Facts, key: bytes, plan: BasePlan | None, tally: Tally, *, has_ended: bool
) -> StopVerdict | None:
    """What became of [stop], given all results; None where the run has none, or nothing of it is played.

    `plan` may be missing where it is fixed: such a run cannot stop.
    """
    if facts.stop is None or not isinstance(plan, GrowingPlan):
        return None
    parts = _parts(facts, len(plan.rounds) - (tally.matches < len(plan) and not has_ended))
    if parts.played < 1:
        return None
    figures = tally.comparer("match-points").points
    games = [one.name for one in facts.variants]
    bots = facts.challengers or tuple(bot.name for bot in facts.bots)
    look = judge(figures, facts.stop, bots=bots, games=games, parts=parts)
    most = most_matches(field_of(facts, key), plan.whole) or len(plan)
    return StopVerdict(
        settled=look.is_settled,
        words=look.words,
        undecided=look.undecided,
        most_matches=most,
        saved=max(0, most - len(plan)) if has_ended and parts.played < parts.planned else 0,
    )


def _looks(facts: Facts) -> int:
    """How many looks at the differences of bots the run has, each of which may decide what is played."""
    stop = facts.stop or StopRules()
    return _parts(facts, 0).looks if stop.when is not None else 1


def _parts(facts: Facts, played: int) -> Parts:
    return Parts(played=played, planned=max(facts.stage_rules[0].deals, played))
