"""What a bot's author needs to know of its faults, gathered from records one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from referee.match_states.replay import Answer, Replay
from referee.reports.faults import LAST_LINES, late_in_words, mishap_of, published_detail
from referee.rules.questions import Ask
from referee.rules.record import BrokenRecord, Forfeit, Mishap, Record
from referee.site.content import BotFaults, FaultExample
from referee.site.pages.highlights import place_in_words
from referee.tournament.store.rows import CommittedMatch

EXAMPLES = 3
"""In how many matches a fault of one kind is described."""


class FaultTexts:
    """Takes the matches of a run in the order of commits. Only a few of those with faults are played again."""

    def __init__(self) -> None:
        self._matches: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._examples: defaultdict[str, list[FaultExample]] = defaultdict(list)
        self._late: dict[str, tuple[int, str]] = {}

    def add(self, row: CommittedMatch, record: Record) -> None:
        """Count a match."""
        if row.number is None:
            return
        for seat, bot in enumerate(row.identity.bots):
            kinds = row.result.faults[seat]
            if wanted := {kind for kind in kinds if self._matches[bot][kind] < EXAMPLES}:
                self._examples[bot] += (one for one in _examples(row, record, seat) if one.kind in wanted)
            self._matches[bot].update(kinds.keys())
            if row.result.late_slaps[seat] and bot not in self._late:
                self._late[bot] = (row.id, late_in_words(record, seat))

    def faults(self) -> tuple[BotFaults, ...]:
        """What there is to tell, a part for each bot that was at fault or late, by name."""
        return tuple(
            BotFaults(
                bot=bot,
                matches=dict(self._matches[bot]),
                examples=tuple(
                    sorted(self._examples[bot], key=lambda one: (list(self._matches[bot]).index(one.kind), one.id))
                ),
                late=self._late[bot][1] if bot in self._late else "",
                late_id=self._late[bot][0] if bot in self._late else None,
            )
            for bot in sorted(self._matches.keys() | self._late)
            if self._matches[bot] or bot in self._late
        )


def _examples(row: CommittedMatch, record: Record, seat: int) -> Iterator[FaultExample]:
    """The first fault of each kind of this seat; none where the record does not replay."""
    try:
        replay = Replay(record)
    except (BrokenRecord, ValueError):
        return
    bot, kinds = record.seats[seat], set[str]()
    for answer in replay.answers:
        mishap = mishap_of(answer.move, seat)
        if mishap is None or mishap.kind in kinds:
            continue
        kinds.add(mishap.kind)
        moment = replay.steps[answer.step].at
        yield FaultExample(
            kind=mishap.kind,
            match=row.number,
            id=row.id,
            seat=seat,
            where=_where(answer, moment, mishap),
            moment=moment,
            detail=published_detail(mishap),
            line=mishap.line,
            forfeits=isinstance(answer.move, Forfeit),
            stderr=tuple(bot.stderr.splitlines()[-LAST_LINES:]),
            stderr_bytes=bot.stderr_bytes,
        )


def _where(answer: Answer, moment: str, mishap: Mishap) -> str:
    """The moment of a fault in words, with the decision that was asked for."""
    if mishap.kind in ("start_failed", "start_timeout"):
        return "before the match"
    if answer.question is None:
        return "after the last round"
    asked = answer.question if isinstance(answer.question, Ask) else answer.question.asks[0]
    return f'{place_in_words(moment)}, at its decision "{asked.decision}"'
