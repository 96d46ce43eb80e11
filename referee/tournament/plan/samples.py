"""Balanced samples of line-ups, where not all are played, and how an amendment of the tournament adds to them.

Every bot is in about equally many line-ups of a sample, and pairs meet about equally often. The line-ups follow from
a stream of the master key, so that anybody can draw a sample again.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from referee.rules.keyed_streams import Stream
from referee.tournament.plan.lineups import LineupRule
from referee.tournament.plan.planned_match import Lineup

_MOST_LOOKED_AT = 500
"""Among how many line-ups one is sought that can be changed: the sample may hold very many."""


def choose_lineups(
    stream: Stream,
    rule: LineupRule,
    wanted: int | None,
    *,
    had: Sequence[Lineup] | None = None,
    newcomers: Collection[int] = (),
) -> list[Lineup]:
    """All line-ups, or a balanced sample where fewer are wanted. Each is in rising order.

    Each line-up is put together bot by bot: the next bot is one of those in the fewest line-ups, among these one that
    has met the bots already in it least often, and among these it is drawn by lot. In a gauntlet challengers get as
    many as challengers, and the field as many as the field.

    After an amendment the line-ups that a sample `had` stay, and others follow. First each newcomer gets as many
    line-ups as each of the other bots is in at least, with those that it has met least often, among these by lot.
    Raises ValueError where there would be more than MOST_LINEUPS.
    """
    if why := rule.too_many(wanted):
        raise ValueError(why)
    every = rule.count
    if wanted is None or wanted >= every:
        return rule.lineups()
    if had is None and rule.is_plain and wanted > every // 2:
        # All line-ups together are balanced, so what a balanced sample leaves of them is balanced too.
        left_out = {*choose_lineups(stream, rule, every - wanted)}
        return [lineup for lineup in rule.lineups() if lineup not in left_out]
    sample = _Sample(stream, rule)
    for lineup in had or ():
        sample.add(lineup)
    fewest = {bot: sample.fewest_of_others(bot, newcomers) for bot in sorted(newcomers)}
    for bot, count in fewest.items():
        sample.seat(bot, min(count, rule.count_with((bot,))))
    sample.fill(wanted)
    if had is None:
        sample.balance()
    return list(sample.lineups)


class _Sample:
    """The line-ups of a sample so far, how many each bot is in, and how often each pair meets."""

    def __init__(self, stream: Stream, rule: LineupRule) -> None:
        self.lineups: dict[Lineup, None] = {}
        """In the order in which they came."""
        self._stream, self._rule = stream, rule
        self._played = [0] * rule.bots
        self._met = [[0] * rule.bots for _ in range(rule.bots)]
        self._of: list[dict[Lineup, None]] = [{} for _ in range(rule.bots)]

    def draw(self) -> Lineup:
        """The next line-up by the rule of choose_lineups. It may be a known one where no other last bot is left."""
        lineup: Lineup = ()
        met = [0] * self._rule.bots
        while len(lineup) < self._rule.seats:
            free = self._rule.next_bots(lineup)
            fewest = min(self._played[bot] for bot in free)
            able = [bot for bot in free if self._played[bot] == fewest]
            if len(lineup) == self._rule.seats - 1:
                able = [bot for bot in able if tuple(sorted((*lineup, bot))) not in self.lineups] or able
            least = min(met[bot] for bot in able)
            able = [bot for bot in able if met[bot] == least]
            bot = able[self._stream.below(len(able))]
            lineup = (*lineup, bot)
            met = [before + more for before, more in zip(met, self._met[bot], strict=True)]
        return tuple(sorted(lineup))

    def add(self, lineup: Lineup) -> None:
        """Take the line-up into the sample."""
        self.lineups[lineup] = None
        self._count(lineup, 1)
        for bot in lineup:
            self._of[bot][lineup] = None

    def remove(self, lineup: Lineup) -> None:
        """Take the line-up out of the sample."""
        del self.lineups[lineup]
        self._count(lineup, -1)
        for bot in lineup:
            del self._of[bot][lineup]

    def fill(self, wanted: int) -> None:
        """Draw new line-ups until there are so many."""
        while len(self.lineups) < wanted:
            lineup = self.draw()
            self.add(lineup if lineup not in self.lineups else self._another(lineup))

    def seat(self, bot: int, wanted: int) -> None:
        """Draw new line-ups with a bot until it is in so many."""
        while self._played[bot] < wanted:
            lineup: tuple[int, ...] = (bot,)
            while len(lineup) < self._rule.seats:
                free = self._rule.next_bots(lineup)
                least = min(self._met[bot][other] for other in free)
                able = [other for other in free if self._met[bot][other] == least]
                lineup = (*lineup, able[self._stream.below(len(able))])
            lineup = tuple(sorted(lineup))
            self.add(lineup if lineup not in self.lineups else self._another(lineup, bot))

    def fewest_of_others(self, bot: int, newcomers: Collection[int]) -> int:
        """In how many line-ups each bot is at least that is no newcomer, and a challenger where this one is."""
        others = [other for other in range(self._rule.bots) if other not in newcomers and self._are_alike(bot, other)]
        return min((self._played[other] for other in others), default=0)

    def balance(self) -> None:
        """Let bots that are in more line-ups than others by two or more give them seats, as far as that can be done."""
        while (found := next(self._unequal(), None)) is not None:
            more, fewer, able = found
            least = min(self._cost(one, more, fewer) for one in able)
            cheapest = [one for one in able if self._cost(one, more, fewer) == least]
            lineup = cheapest[self._stream.below(len(cheapest))]
            self.remove(lineup)
            self.add(_exchanged(lineup, more, fewer))

    def _unequal(self) -> Iterator[tuple[int, int, list[Lineup]]]:
        """A bot with too many line-ups, one with too few, and in which of them the one can give its seat to the other.

        Where anybody may meet anybody, there always is such a line-up. Challengers give seats to challengers only.
        """
        bots = sorted(range(self._rule.bots), key=lambda bot: (-self._played[bot], bot))
        for more in bots:
            for fewer in reversed(bots):
                if self._played[more] - self._played[fewer] < 2:
                    break
                if self._are_alike(more, fewer):
                    able = list(islice(self._able(more, fewer), _MOST_LOOKED_AT))
                    if able:
                        yield more, fewer, able

    def _able(self, more: int, fewer: int) -> Iterator[Lineup]:
        """The line-ups in which one bot can give its seat to another, those that came last first."""
        for lineup in reversed(self._of[more]):
            if fewer not in lineup:
                changed = _exchanged(lineup, more, fewer)
                if changed not in self.lineups and self._rule.allows(changed):
                    yield lineup

    def _are_alike(self, one: int, other: int) -> bool:
        """Whether two bots have the same part in a gauntlet."""
        return (one in self._rule.challengers) == (other in self._rule.challengers)

    def _cost(self, lineup: Lineup, more: int, fewer: int) -> int:
        """How much more often pairs that have met often meet if a bot gives the other its seat in this line-up."""
        return sum(self._met[fewer][bot] - self._met[more][bot] for bot in lineup if bot != more)

    def _another(self, lineup: Lineup, kept: int | None = None) -> Lineup:
        """A line-up that the sample does not have, as near to a known one as can be. There must be one.

        It has the bot that is to be `kept`.
        """
        fewest = sorted(range(self._rule.bots), key=lambda bot: (self._played[bot], bot))
        for bot in fewest:
            for given in (one for one in lineup if one != kept):
                changed = _exchanged(lineup, given, bot)
                if bot not in lineup and changed not in self.lineups and self._rule.allows(changed):
                    return changed
        every = self._rule.in_order()
        return next(one for one in every if one not in self.lineups and (kept is None or kept in one))

    def _count(self, lineup: Lineup, by: int) -> None:
        for bot in lineup:
            self._played[bot] += by
            for other in lineup:
                self._met[bot][other] += by


def _exchanged(lineup: Lineup, given: int, taken: int) -> Lineup:
    """The line-up with a bot in another one's place."""
    return tuple(sorted((*(bot for bot in lineup if bot != given), taken)))
