"""Which matches of a run get pages, if it has more than a site should hold."""

from bisect import bisect_right, insort
from collections.abc import Collection, Sequence
from hashlib import sha256
from itertools import chain, islice, zip_longest

from msgspec import Struct

from referee.site.content import MatchRow
from referee.tournament.config.run_config import RunConfig
from referee.tournament.formats.table import FORMATS
from referee.tournament.results import beaten_shares
from referee.tournament.summary import RoundSummary

USUAL_MATCHES = 500
"""How many matches have pages, unless whoever makes the site says otherwise."""

EXTREMES = 3
"""How many of its best and of its worst matches are told of each bot."""


class Choice(Struct, frozen=True, kw_only=True):
    """What to choose matches by, beside their results. Matches are named by their ids."""

    most: int | None
    """How many at most. None is all."""
    finals: Sequence[int] = ()
    """The matches that decided the tournament."""
    moments: Sequence[int] = ()
    """The matches with highlights."""
    had: Collection[int] = ()
    """The matches that have pages already."""


def finals(config: RunConfig, rounds: Sequence[RoundSummary], ids: Sequence[int]) -> tuple[int, ...]:
    """The ids of the matches that decide the tournament, those of the last round first, of all ids in order.

    These are the last two rounds of a knockout, the last round of a Swiss, and another last stage as a whole.
    """
    deciding = FORMATS[config.stages[-1].format].deciding_rounds
    stage = [one for one in rounds if one.stage == len(config.stages) - 1]
    if deciding is not None:
        stage = stage[-deciding:]
    elif len(config.stages) == 1:
        stage = []
    return tuple(reversed(ids[bisect_right(ids, stage[0].id) :])) if stage else ()


class Extremes:
    """The best and the worst matches of each bot.

    A match is better in which it beat more of its opponents; of equal ones, that in which it had fewer strokes in
    comparison with the mean of its opponents; then the earlier one.
    """

    def __init__(self) -> None:
        self._best: dict[str, list[tuple[float, float, int]]] = {}
        self._worst: dict[str, list[tuple[float, float, int]]] = {}

    def add(self, row: MatchRow) -> None:
        """Take a match in, unless it is out of the standings."""
        if row.number is None or len(row.bots) < 2:
            return
        for seat, (bot, share) in enumerate(zip(row.bots, beaten_shares(row.ranks), strict=True)):
            own = row.totals[seat]
            margin = own - (sum(row.totals) - own) / (len(row.bots) - 1)
            _keep(self._best.setdefault(bot, []), (-share, margin, row.id))
            _keep(self._worst.setdefault(bot, []), (share, -margin, row.id))

    def best(self) -> dict[str, tuple[int, ...]]:
        """By bot the ids of its best matches, the best first."""
        return {bot: tuple(id_ for *_, id_ in some) for bot, some in self._best.items()}

    def worst(self) -> dict[str, tuple[int, ...]]:
        """By bot the ids of its worst matches, the worst first."""
        return {bot: tuple(id_ for *_, id_ in some) for bot, some in self._worst.items()}


def chosen(matches: Sequence[MatchRow], extremes: Extremes, choice: Choice) -> frozenset[int]:
    """The ids of the matches that get pages.

    If there are too many, these come first: the matches that decided the tournament, those with highlights, the best
    and the worst of each bot, those that have pages already, and then a sample.
    """
    can_be = {row.id for row in matches}
    if choice.most is None or len(can_be) <= choice.most:
        return frozenset(can_be)
    wanted = chain(
        choice.finals,
        choice.moments,
        chain.from_iterable(zip_longest(*extremes.best().values(), *extremes.worst().values())),
        sorted(choice.had),
        sorted(can_be, key=lambda id_: sha256(b"%d" % id_).digest()),
    )
    in_order = dict.fromkeys(id_ for id_ in wanted if id_ in can_be)
    return frozenset(islice(in_order, choice.most))


def _keep(some: list[tuple[float, float, int]], one: tuple[float, float, int]) -> None:
    """Keep the least."""
    insort(some, one)
    del some[EXTREMES:]
