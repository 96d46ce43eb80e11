"""Bots compared with each other, as text: shows what tournament/figures/compare.py computed."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from referee.reports.tables.figures import ALL_PAIRS, signed
from referee.reports.tables.layout import Column, Names, fitted, wrapped
from referee.tournament.figures.compare import Comparison, GameDifference
from referee.tournament.figures.means import Estimate
from referee.tournament.figures.ratings import MOST_TIMES, Chance
from referee.tournament.plan.rounds import Format
from referee.tournament.standings import RankBy

EVEN = 0.5
"""The chance of a bot against one that is as strong."""

BY_RATINGS = (
    "Bots met different opponents in this run, so their means do not compare. Ratings count all matches, and with them "
    "how strong the opponents were."
)

MORE_DEALS = (
    "more deals: about how many each line-up would have to play until that is so, if the difference stays as it is"
)

TIMES = "times: about how many times as many matches it would take until that is so, if the difference stays as it is"

LEAST_P = 0.0001
"""A p-value below this is not printed exactly."""

LIKELY = 0.05
"""A p-value below this is taken as a sign that two bots differ."""

Pair = Comparison | Chance
"""Two bots compared by the means of the figure that ranks, or by their ratings."""


class Compared(Struct, frozen=True, kw_only=True):
    """What `golfref compare --json` prints."""

    name: str
    """The run's."""
    variant: str | None
    """The only game that counts, where one was asked for."""
    format: Format | None
    """None where there are several stages."""
    rank_by: RankBy
    is_over: bool
    """Whether every match of the plan has been played."""
    holds_while_watched: bool
    """Whether p-values hold although the run was to stop by its results."""
    ranked: int
    """How many bots can be compared; all pairs of them are in mind where p is corrected."""
    pairs: tuple[Comparison, ...]
    """By the means of the figure that ranks. Empty where bots met different opponents on purpose."""
    rated: tuple[Chance, ...] = ()
    """By ratings, where means do not compare."""

    @property
    def tests(self) -> int:
        """How many pairs of bots there are."""
        return self.ranked * (self.ranked - 1) // 2

    @property
    def where(self) -> str:
        """The run, or a game of it."""
        return self.name if self.variant is None else f"{self.variant} of {self.name}"

    @property
    def figure(self) -> str:
        """By what the bots are compared."""
        if self.rated:
            return "their ratings"
        return "match points" if self.rank_by == "match-points" else "strokes a round"


def two_bots(compared: Compared, width: int) -> Iterator[str]:
    """The screen that compares two bots, in paragraphs."""
    (pair,) = compared.rated or compared.pairs
    names = Names((pair.bot, pair.other), width)
    yield wrapped(f"{names(pair.bot)} and {names(pair.other)} in {compared.where}, by {compared.figure}", width)
    words = _rated_words(compared, pair, names) if isinstance(pair, Chance) else _words(compared, pair, names)
    yield "\n".join(wrapped(line, width) for line in words)
    if isinstance(pair, Comparison) and len(pair.by_game) > 1:
        games = Names(pair.by_game, width)
        yield fitted(_by_game(pair, compared.rank_by, names, games), list(pair.by_game.items()), width).text
        notes = f"p of all: with all {len(pair.by_game)} games in mind; a bot is named where that is below 0.05"
        if any(one.difference.low is None for one in pair.by_game.values()):
            notes += "; p -: too few deals, or all came out alike"
        yield wrapped(notes, width)
    yield from _notes(compared, width)


def neighbours(compared: Compared, width: int) -> Iterator[str]:
    """The screen that compares each bot with the next one in the order of the table, in paragraphs."""
    pairs: Sequence[Pair] = compared.rated or compared.pairs
    bots = [*(pair.bot for pair in pairs), pairs[-1].other]
    names = Names(bots, width)
    how = "against the next one" if compared.rated else "less the next one"
    yield wrapped(f"Each bot {how} in {compared.where}, by {compared.figure}", width)

    def of_pair(cell: Callable[[Pair], str]) -> Callable[[int], str]:
        return lambda place: cell(pairs[place]) if place < len(pairs) else ""

    title, meaning = ("times", TIMES) if compared.rated else ("more deals", MORE_DEALS)
    has_more = any(pair.times if isinstance(pair, Chance) else pair.more_deals for pair in pairs)
    columns = [
        Column("#", lambda place: str(place + 1)),
        Column("bot", lambda place: names(bots[place]), is_text=True),
        Column(
            "wins of 100" if compared.rated else "difference", of_pair(lambda pair: _figure(pair, compared.rank_by))
        ),
        Column("p", of_pair(lambda pair: p_value(pair.p)), gives_way=3),
        Column("p of all", of_pair(lambda pair: p_value(pair.p_of_all)), gives_way=1),
        Column("better", of_pair(lambda pair: "yes" if pair.is_sure else "-"), is_text=True),
        *[Column(title, of_pair(_more), gives_way=2)] * has_more,
    ]
    yield fitted(columns, range(len(bots)), width).text
    lines = [_p_legend(compared), *[meaning] * has_more, *_reasons(compared.pairs, names)]
    yield "\n".join(wrapped(line, width) for line in lines)
    yield from _notes(compared, width)


def _reasons(pairs: Sequence[Comparison], names: Names) -> Iterator[str]:
    """Why it is not known how many more deals would settle it: a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.more_reason:
            by_reason.setdefault(pair.more_reason, []).append(f"{names(pair.bot)} and {names(pair.other)}")
    for reason, some in by_reason.items():
        whom = "any of them" if len(some) == len(pairs) > 1 else "; ".join(some)
        yield f"how many more deals would settle it is not known for {whom}: {reason}"


def _p_legend(compared: Compared) -> str:
    every = f"with all {compared.tests:,} pairs of bots in mind"
    if compared.tests == 1:
        every = "the same, as there is only one pair"
    what = "the probability that two equally good bots differ at least this much"
    return f"p: {what}; p of all: {every}; better: p of all is below 0.05"


# Sentences


def _rated_words(compared: Compared, pair: Chance, names: Names) -> Iterator[str]:
    """What the ratings say of two bots, a sentence a line."""
    yield f"Of 100 matches of the two, {names(pair.bot)} wins {_chance(pair)}; a tie counts half."
    if pair.p is None:
        yield "There is no p-value: one of them has played too few deals."
        return
    yield from _sureness(compared, pair, pair.p, names(pair.bot if pair.chance >= EVEN else pair.other))
    if pair.times is not None:
        yield f"About {pair.times:,} times as many matches would settle it, if the difference stays as it is."
    elif not pair.is_sure:
        yield f"More than {MOST_TIMES:,} times as many matches would be needed to settle it."


def _words(compared: Compared, pair: Comparison, names: Names) -> Iterator[str]:
    """What the means say of two bots, a sentence a line."""
    if not pair.games:
        yield f"They cannot be compared: {pair.difference.reason}."
    else:
        what = _difference(pair.difference, compared.rank_by)
        yield f"{names(pair.bot)} less {names(pair.other)}: {what} {compared.figure}."
        if pair.p is None:
            yield f"There is no p-value: {pair.difference.reason}."
        else:
            better = names(_better(pair, pair.difference, compared.rank_by))
            yield from _sureness(compared, pair, pair.p, better)
            yield from _more_words(pair)
    yield from _together(compared, pair, names)


def _sureness(compared: Compared, pair: Pair, p: float, better: str) -> Iterator[str]:
    """How sure it is that one bot is better."""
    yield f"Two bots that are equally good differ at least this much in {odds(p)} tournaments ({_p_words(p)})."
    if pair.p_of_all is not None and compared.tests > 1:
        yield f"With all {compared.tests:,} pairs of bots in mind it is {_p_words(pair.p_of_all)}."
    if pair.is_sure:
        yield f"So {better} is better ({ALL_PAIRS})."
    elif p < LIKELY:
        yield f"So {better} is better if you asked for these two before you saw the tables; else it is not known."
    else:
        yield "So it is not known which of them is better."


def _more_words(pair: Comparison) -> Iterator[str]:
    """How many more deals would settle it."""
    if pair.is_sure:
        return
    if pair.more_deals is None:
        yield f"How many more deals would settle it is not known: {pair.more_reason}."
    else:
        more = f"{pair.more_deals:,} more deal{'s' * (pair.more_deals != 1)}"
        yield f"About {more} for each line-up would settle it, if the difference stays as it is."


def _together(compared: Compared, pair: Comparison, names: Names) -> Iterator[str]:
    """The difference on the same deals, or that there are none."""
    if pair.together is None:
        yield "They never sat at one table for a whole deal."
        return
    blocks = pair.together.blocks
    deals = f"{blocks:,} deal{'s' * (blocks != 1)} at which both sat"
    what = _difference(pair.together, compared.rank_by)
    sure = pair.together.reason if pair.together_p is None else _p_words(pair.together_p)
    who = "" if pair.games else f", {names(pair.bot)} less {names(pair.other)}"
    yield f"On the {deals}{who}: {what}{f' ({sure})' * bool(sure)}."


def _notes(compared: Compared, width: int) -> Iterator[str]:
    """By what bots are compared where means do not, and what a look at a run that goes on is worth."""
    if compared.rated:
        yield wrapped(BY_RATINGS, width)
    if compared.holds_while_watched:
        yield wrapped(
            "The run looks at its own results while it is played. p is corrected for that, and holds whenever you "
            "look; ± is that of a single look.",
            width,
        )
    elif not compared.is_over:
        yield wrapped(
            "The run is not over. If you look again and again until two bots differ, you find differences by chance. "
            "With [stop] in the config, golfref looks for you, and corrects p for that.",
            width,
        )


# Figures


def p_value(p: float | None) -> str:
    """A p-value, as `0.03` or `<0.0001`; `-` where there is none."""
    if p is None:
        return "-"
    return "<0.0001" if p < LEAST_P else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _p_words(p: float) -> str:
    """A p-value in a sentence, as `p = 0.03` or `p < 0.0001`."""
    return f"p {p_value(p) if p < LEAST_P else f'= {p_value(p)}'}".replace("<", "< ")


def odds(p: float) -> str:
    """A p-value in words, such as `3 of 100`."""
    for of in (100, 1000, 10_000):
        if p * of >= 0.95:
            return f"{p * of:.0f} of {of:,}"
    return "fewer than 1 of 10,000"


def _figure(pair: Pair, rank_by: RankBy) -> str:
    return _chance(pair) if isinstance(pair, Chance) else _difference(pair.difference, rank_by)


def _chance(pair: Chance) -> str:
    """The chance in percent with its interval, as `62.1 [55.0, 68.7]`."""
    ends = "-" if pair.chance_interval is None else ", ".join(f"{100 * end:.1f}" for end in pair.chance_interval)
    return f"{100 * pair.chance:.1f} [{ends}]"


def _more(pair: Pair) -> str:
    """How many more deals, or times as many matches, would settle it."""
    if pair.is_sure or (isinstance(pair, Chance) and pair.p is None):
        return ""
    if isinstance(pair, Chance):
        return f">{MOST_TIMES}" if pair.times is None else str(pair.times)
    return "-" if pair.more_deals is None else f"{pair.more_deals:,}"


def _better(pair: Comparison, difference: Estimate, rank_by: RankBy) -> str:
    """Which bot has the better figure. Fewer strokes are better."""
    return pair.bot if (difference.mean < 0) == (rank_by == "strokes") else pair.other


def _difference(one: Estimate, rank_by: RankBy) -> str:
    interval = None if one.low is None or one.high is None else (one.low, one.high)
    return signed(one.mean, interval, 3 if rank_by == "match-points" else 2)


Game = tuple[str, GameDifference]


def _by_game(pair: Comparison, rank_by: RankBy, bots: Names, games: Names) -> list[Column[Game]]:
    def p_of(p: Callable[[GameDifference], float]) -> Callable[[Game], str]:
        return lambda row: "-" if row[1].difference.low is None else p_value(p(row[1]))

    def better(row: Game) -> str:
        return bots(_better(pair, row[1].difference, rank_by)) if row[1].is_sure else "-"

    return [
        Column("game", lambda row: games(row[0]), is_text=True),
        Column("difference", lambda row: _difference(row[1].difference, rank_by)),
        Column("p", p_of(lambda one: one.p), gives_way=2),
        Column("p of all", p_of(lambda one: one.p_of_all), gives_way=1),
        Column("better", better, is_text=True),
    ]
