"""All that the pages of a run tell, gathered from its store: once, or again and again while the run is played.

Each record is read once. The store's lock is never touched.
"""

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice

from referee.highlights.gather import Highlights
from referee.highlights.highlight import Highlight
from referee.plots.data import ChartData
from referee.rules.record import BrokenRecord, NoRecord, read_record
from referee.site.choosing import Extremes
from referee.site.content import BotFaults, MatchRow
from referee.site.pages.faults import FaultTexts
from referee.tournament.config.run_config import RunConfig
from referee.tournament.standings import Standings, ranked_otherwise
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.store.tallies import results_among_remaining, tally_for

AT_ONCE = 64
"""So many matches are read before the store is let go: a long look would keep its side file from shrinking."""

MOST_MOMENTS = 30
"""How many highlights the pages have."""

RECENT_S = 900.0
"""Matches of the last quarter of an hour are recent."""


class Gathering:
    """What has been gathered of a run."""

    def __init__(self, config: RunConfig) -> None:
        self.games = [one.name for one in config.variants]
        self.rows: dict[int, MatchRow] = {}
        """All committed matches that have been looked at, by id. Which have pages is not told here."""
        self.extremes = Extremes()
        self.charts = ChartData(order=config.order, rank_by=config.rank_by)
        self._faults = FaultTexts()
        self._highlights = Highlights()
        self._begun_s: float | None = None
        """When the first matches were looked at. It is not known when these were played."""
        self._seen_s: dict[int, float] = {}
        """By id when each later match was seen."""
        self._line_ups: dict[tuple[str, ...], tuple[str, ...]] = {}
        """Every line-up once, so that long runs take little memory."""

    def take(self, store: Store, check: Callable[[], None]) -> None:
        """Look at all that was committed since.

        Raises StoreError, and what `check` raises, which is called again and again.
        """
        now_s = time.monotonic()
        for row in _committed(store, max(self.rows, default=0), store.last_id()):
            check()
            if self._begun_s is not None:
                self._seen_s[row.id] = now_s
            self.charts.add_result(row)
            self.rows[row.id] = self._row(row, self._read(store, row))
            self.extremes.add(self.rows[row.id])
        self._begun_s = now_s if self._begun_s is None else self._begun_s

    def recent(self) -> set[int]:
        """The ids of the matches that were played in the last quarter of an hour, as far as that is known."""
        since_s = time.monotonic() - RECENT_S
        return {id_ for id_, seen_s in self._seen_s.items() if seen_s >= since_s}

    def recent_highlights(self) -> tuple[Highlight, ...]:
        """The two best highlights of recent matches, each of another match."""
        found = [one for game in (None, *self.games) for one in self.highlights(game)]
        recent = self.recent()
        return tuple({one.id: one for one in reversed(found) if one.id in recent}.values())[:-3:-1]

    def faults(self) -> tuple[BotFaults, ...]:
        """What is told of the faults of each bot."""
        return self._faults.faults()

    def highlights(self, variant: str | None = None) -> tuple[Highlight, ...]:
        """The best of all games or of one, the best first."""
        return self._highlights.best(MOST_MOMENTS, variant)

    def _read(self, store: Store, row: CommittedMatch) -> str:
        """Take in what the record tells; returns what is wrong with it."""
        try:
            data = store.record(row.id)
            record = read_record(data)
            if sha256(data).hexdigest() != row.hash:
                return "its record is not the one that its result names; `golfref verify` says more"
            self._highlights.add(row, record.result, record.counts)
            self._faults.add(row, record)
        except (NoRecord, BrokenRecord, StoreError, ValueError, LookupError) as error:
            return str(error)
        self.charts.add_times(row, record.moves)
        return ""

    def _row(self, row: CommittedMatch, problem: str) -> MatchRow:
        result, bots = row.result, row.identity.bots
        return MatchRow(
            id=row.id,
            number=row.number,
            variant=row.identity.variant,
            bots=self._line_ups.setdefault(bots, bots),
            totals=result.totals,
            ranks=result.ranks,
            faults=tuple(sum(kinds.values()) for kinds in result.faults),
            forfeited=result.forfeited,
            rounds=result.rounds,
            problem=problem,
        )


def standings_by_game(store: Store) -> dict[str, Standings]:
    """The standings of each game, as `standings_in` tells them of one. Raises StoreError."""
    config = store.meta().config
    tallies = {entry.name: tally_for(config) for entry in config.variants}
    for result in store.results():
        tallies[result.variant].add(result)
    for result, seats in results_among_remaining(store):
        tallies[result.variant].add(result, seats=seats)
    found = {game: tally.standings(config.rank_by) for game, tally in tallies.items()}
    if config.order == "means":
        return found
    return {game: ranked_otherwise(standings, config.order, {}) for game, standings in found.items()}


def _committed(store: Store, after: int, last: int) -> Iterator[CommittedMatch]:
    """The matches with ids from `after`, exclusive, to `last`, inclusive."""
    while after < last:
        some = [row for row in islice(store.matches(after), AT_ONCE) if row.id <= last]
        yield from some
        after = some[-1].id if some else last
