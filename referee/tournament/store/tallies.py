"""How the results of a run are counted: which line-ups there could be, and how often was looked.

The table of a run that can stop comes to the same claims as the look that stopped it. This module must not know how
tables are shown.
"""

from collections.abc import Iterator

from msgspec import Struct

from referee.tournament.config.planned import draw_input
from referee.tournament.config.run_config import RunConfig
from referee.tournament.figures.stopping import Pair, Progress, looks_of
from referee.tournament.formats.round_robin import judged
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import StopRules
from referee.tournament.results import Result
from referee.tournament.store.plans import present_in
from referee.tournament.store.played import among_remaining
from referee.tournament.store.store import Store
from referee.tournament.tally import Tally


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
    """How many of them were not played because [stop] ended the run."""


def tally_for(config: RunConfig) -> Tally:
    """What counts the results of a run with this config."""
    return Tally(ranked=config.ranked, looks=looks_at(config))


def results_among_remaining(store: Store) -> Iterator[tuple[Result, int]]:
    """What bots played among themselves at tables of bots that have left the run, with the seats of the table.

    Where means are compared, nothing of such a table counts: only whole line-ups make means that can be compared.
    Raises StoreError.
    """
    if store.meta().config.order != "means":
        yield from among_remaining(store.retired(), present_in(store))


def stop_verdict(
    config: RunConfig, key: bytes, plan: Plan | None, tally: Tally, *, has_ended: bool
) -> StopVerdict | None:
    """What became of [stop], given all results; None where the run has none, or nothing of it is played.

    `plan` may be missing where it is fixed: such a run cannot stop.
    """
    if config.stop is None or plan is None or not plan.grows:
        return None
    progress = _progress(config, len(plan.rounds) - (tally.matches < len(plan) and not has_ended))
    if progress.played < 1:
        return None
    look = judged(draw_input(config, key), tally.table, progress)
    most = len(plan.whole)
    return StopVerdict(
        settled=look.is_settled,
        words=look.words,
        undecided=look.undecided,
        most_matches=most,
        saved=max(0, most - len(plan)) if has_ended and look.is_settled else 0,
    )


def looks_at(config: RunConfig) -> int:
    """How often the differences of bots are looked at, each of which may decide what is played."""
    stop = config.stop or StopRules()
    return looks_of(_progress(config, 0).planned) if stop.when is not None else 1


def _progress(config: RunConfig, played: int) -> Progress:
    return Progress(played=played, planned=max(config.stages[0].deals, played))
