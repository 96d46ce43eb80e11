"""A ladder: bots come and go, neighbours in rating meet most, and it goes on until somebody says that it is over."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import hypot

from referee.rules.keyed_streams import Stream
from referee.tournament.figures.strengths import Strength, strengths_of
from referee.tournament.formats.seating import Player, players_of
from referee.tournament.formats.swiss import sizes_of
from referee.tournament.plan.meetings import meetings_of
from referee.tournament.plan.rounds import Block, DrawInput, End, History, Round

LEAST_TABLES = 4
"""A round has so many tables of each size, or as many as seat everybody once, so that no worker waits for long."""

MOST_TABLES = 4
"""A bot about which little is known has the first choice of opponents at so many tables of a round at most."""

NEAREST = 6
"""A bot meets so many of its nearest neighbours in the order, or as many as fill two tables with it, and all others of
whom it is not known whether they are better."""

ANYBODY = 8
"""One in so many opponents is drawn from everybody."""

_INFORMATION = 0.2
"""What one match adds against a bot about as good, in 1 / variance of a strength: p (1 - p), with p around one half."""


def next_round(field: DrawInput, past: History, *, stage: int = 0) -> Round | End:
    """The next round. It ends only where the rules say how many rounds there are.

    A round has as many seats as there are bots, roughly, but not everybody plays equally often in it. Table by table,
    the bot of whose strength least is known is seated, counting what this round will tell of it. It meets bots that
    may be as good as it, and the nearest ones; some opponents are drawn from everybody.
    """
    rules = field.stages[stage]
    number = past.rounds[-1].number + 1 if past.rounds else 0
    if rules.rounds is not None and sum(one.stage == stage for one in past.rounds) >= rules.rounds:
        return End(reason=f"all {rules.rounds} rounds of the ladder have been played")
    meetings = meetings_of(past)
    strengths = strengths_of(meetings.scores, [bot.name for bot in field.bots])
    drawing = _Drawing(field, strengths, Stream(field.master_key, f"ladder/{number}"))
    tables: list[Block] = []
    for seats in sizes_of(field.variants):
        games = [variant.variant for variant in field.variants if variant.seats == seats]
        lineups = drawing.lineups(seats, told=len(games) * rules.deals * seats * (seats - 1) * _INFORMATION)
        tables += meetings.next_tables(games, lineups, rules.deals)
    return Round(number=number, title=f"round {number + 1} of the ladder", stage=stage, tables=tuple(tables))


def most_matches(field: DrawInput, *, stage: int = 0) -> int | None:
    """How many matches the ladder has if its bots stay as they are. None where it has no end."""
    rules = field.stages[stage]
    if rules.rounds is None:
        return None
    matches = sum(tables_of(len(field.bots), variant.seats) * variant.seats for variant in field.variants)
    return rules.rounds * rules.deals * matches


def tables_of(bots: int, seats: int) -> int:
    """How many tables of this size a round has."""
    return max(LEAST_TABLES, bots // seats)


class _Drawing:
    """The tables of one round."""

    def __init__(self, field: DrawInput, strengths: Mapping[str, Strength], stream: Stream) -> None:
        lots = stream.shuffled(sorted(field.bots, key=lambda bot: bot.name))
        players = players_of(lots, apart=field.apart)
        self._players = sorted(players, key=lambda player: -strengths[player.name].strength)
        self._place = {player.name: place for place, player in enumerate(self._players)}
        self._strengths = strengths
        self._stream = stream

    def lineups(self, seats: int, *, told: float) -> list[list[str]]:
        """The tables of one size. `told` is what a table tells of each of its bots, in 1 / variance."""
        lineups: list[list[str]] = []
        seated, chose = Counter[str](), Counter[str]()
        while len(lineups) < tables_of(len(self._players), seats):
            able = [player for player in self._players if chose[player.name] < MOST_TABLES] or self._players
            first = max(able, key=lambda player: self._doubt(player, seated[player.name] * told))
            chose[first.name] += 1
            lineup = self._table(first, seats, seated)
            seated.update(lineup)
            lineups.append(lineup)
        return lineups

    def _doubt(self, player: Player, told: float) -> float:
        """The variance of a bot's strength, after so much more has been told of it."""
        return 1 / (1 / self._strengths[player.name].stderr ** 2 + told)

    def _table(self, first: Player, seats: int, seated: Counter[str]) -> list[str]:
        """The first bot with its opponents. Who sits at fewer tables of this round is preferred, else it is the lot."""
        table = [first]
        while len(table) < seats:
            groups = {player.group for player in table}
            free = [player for player in self._players if player.group not in groups]
            able = free if self._stream.below(ANYBODY) == 0 else self._rivals(first, free, seats)
            least = min(seated[player.name] for player in able)
            able = [player for player in able if seated[player.name] == least]
            table.append(able[self._stream.below(len(able))])
        return [player.name for player in table]

    def _rivals(self, first: Player, free: Sequence[Player], seats: int) -> list[Player]:
        """Those of whom it is not known whether they are better than the first, and the nearest ones."""
        place = self._place[first.name]
        nearest = sorted(free, key=lambda player: abs(self._place[player.name] - place))
        near = {player.name for player in nearest[: max(NEAREST, 2 * (seats - 1))]}
        own = self._strengths[first.name]
        return [
            player
            for player in free
            if player.name in near
            or abs((other := self._strengths[player.name]).strength - own.strength) < hypot(own.stderr, other.stderr)
        ]
