"""Rounds that are drawn and played in memory, by bots whose results are told."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from random import Random

from msgspec import Struct, field

from referee.tournament.plan.meetings import Meetings
from referee.tournament.plan.rounds import End, Entrant, Field, Past, Round, StageRules, Table
from referee.tournament.plan.schedule import PlannedVariant
from referee.tournament.results import Result

Ranks = Callable[[Sequence[str]], Sequence[int]]
"""The ranks of the bots at a table, in their order."""

Draw = Callable[[Field, Past], Round | End]


def field_of(
    bots: Iterable[str], seats: Mapping[str, int], rules: StageRules, *, owners: Mapping[str, str] | None = None
) -> Field:
    """A field of these bots; `seats` is by variant. With owners they are kept apart."""
    return Field(
        master_key=b"k" * 32,
        bots=[Entrant(name=bot, owner=(owners or {}).get(bot, "")) for bot in bots],
        variants=[PlannedVariant(variant=variant, seats=some) for variant, some in seats.items()],
        stages=[rules],
        apart=owners is not None,
    )


def dice(seed: int) -> Random:
    """Chance that can be told again."""
    return Random(seed)  # noqa: S311 - a simulation


def by_name(bots: Sequence[str]) -> list[int]:
    """The bot whose name comes first always wins, and so on."""
    return [sorted(bots).index(bot) + 1 for bot in bots]


def by_strength(strengths: Mapping[str, float], chance: Random) -> Ranks:
    """Rankings of the model of Plackett and Luce, where the chance to win goes as the exponential of the strength."""

    def ranks(bots: Sequence[str]) -> list[int]:
        luck = [strengths[bot] - log(chance.expovariate(1)) for bot in bots]
        return [sorted(luck, reverse=True).index(one) + 1 for one in luck]

    return ranks


def results_of(table: Table, ranks: Ranks) -> list[Result]:
    """The matches of a table, one for each rotation."""
    seats = len(table.bots)
    return [
        Result(
            number=0,
            variant=table.variant,
            block=0,
            deal=table.deal,
            rotation=rotation,
            bots=table.bots,
            totals=(0,) * seats,
            ranks=tuple(ranks(table.bots)),
            rounds=1,
            forfeited=(False,) * seats,
            faults=({},) * seats,
            late_slaps=(0,) * seats,
        )
        for rotation in range(seats)
    ]


class Played(Struct, kw_only=True):
    """A tournament in memory. It keeps the sums over its past, and the results only where it is told to."""

    rounds: list[Round] = field(default_factory=list)
    results: list[list[Result]] = field(default_factory=list)
    meetings: Meetings = field(default_factory=Meetings)

    def play(self, entered: Field, draw: Draw, ranks: Ranks, *, most: int | None = None) -> End | None:
        """Draw and play rounds until the end, or so many; returns the end."""
        number = 0
        while most is None or number < most:
            drawn = draw(entered, Past(rounds=self.rounds, meetings=self.meetings))
            if isinstance(drawn, End):
                return drawn
            self.rounds.append(drawn)
            self.meetings.drawn(drawn)
            self.results.append([result for table in drawn.tables for result in results_of(table, ranks)])
            for result in self.results[-1]:
                self.meetings.ended(result)
            number += 1
        return None
