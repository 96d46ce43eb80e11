"""What a bot's author needs to know of its faults, gathered from records one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from referee.match_states.replay import Replay
from referee.reports.faults import LAST_LINES, PlacedFault, faults_of, late_in_words, mishap_of, published_detail
from referee.rules.record import BrokenRecord, Record
from referee.site.content import BotFaults, FaultTold
from referee.tournament.store.rows import CommittedMatch

EXAMPLES = 3
"""In how many matches a fault of one kind is told for a bot."""


class FaultTexts:
    """Takes the matches of a run in the order of commits. Only a few of those with faults are played again."""

    def __init__(self) -> None:
        self._matches: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._told: defaultdict[str, list[FaultTold]] = defaultdict(list)
        self._late: dict[str, tuple[int, str]] = {}

    def add(self, row: CommittedMatch, record: Record) -> None:
        """Count a match."""
        if row.number is None:
            return
        for seat, bot in enumerate(row.identity.bots):
            kinds = row.result.faults[seat]
            if wanted := {kind for kind in kinds if self._matches[bot][kind] < EXAMPLES}:
                self._told[bot] += (one for one in _told(row, record, seat) if one.kind in wanted)
            self._matches[bot].update(kinds.keys())
            if row.result.late_slaps[seat] and bot not in self._late:
                self._late[bot] = (row.id, late_in_words(record, seat))

    def faults(self) -> tuple[BotFaults, ...]:
        """What there is to tell, a part for each bot that was at fault or late, by name."""
        return tuple(
            BotFaults(
                bot=bot,
                matches=dict(self._matches[bot]),
                told=tuple(sorted(self._told[bot], key=lambda one: (list(self._matches[bot]).index(one.kind), one.id))),
                late=self._late[bot][1] if bot in self._late else "",
                late_id=self._late[bot][0] if bot in self._late else None,
            )
            for bot in sorted(self._matches.keys() | self._late)
            if self._matches[bot] or bot in self._late
        )


def _told(row: CommittedMatch, record: Record, seat: int) -> Iterator[FaultTold]:
    """The first fault of each kind of this seat; none where the record does not replay."""
    try:
        found = list(faults_of(record, seat))
        places = _moments(record, seat)
    except (BrokenRecord, ValueError):
        return
    bot = record.seats[seat]
    first: dict[str, tuple[PlacedFault, str]] = {}
    for place, one in enumerate(found):
        first.setdefault(one.mishap.kind, (one, places[place] if place < len(places) else ""))
    for kind, (one, moment) in first.items():
        yield FaultTold(
            kind=kind,
            match=row.number,
            id=row.id,
            seat=seat,
            where=one.where,
            moment=moment,
            detail=published_detail(one.mishap),
            line=one.mishap.line,
            forfeits=one.forfeits,
            stderr=tuple(bot.stderr.splitlines()[-LAST_LINES:]),
            stderr_bytes=bot.stderr_bytes,
        )


def _moments(record: Record, seat: int) -> list[str]:
    """The names of the moments at which this seat was at fault, in order."""
    replay = Replay(record)
    return [replay.steps[answer.step].at for answer in replay.answers if mishap_of(answer.move, seat) is not None]
