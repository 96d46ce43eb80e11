"""Bots compared with each other, as text: shows what tournament/figures/compare.py computed."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.reports.tables.figures import ALL_PAIRS, signed
from referee.reports.tables.layout import Column, fitted, wider, wrapped
from referee.reports.tables.names import Names
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
"""A p-value below this is not told exactly."""

LIKELY = 0.05
"""A p-value below this is taken as a sign that two bots differ."""


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


def two_bots(compared: Compared, width: int) -> Iterator[str]:
    """The screen that compares two bots, in paragraphs."""
    if compared.rated:
        yield from _two_rated(compared, compared.rated[0], width)
        return
    (pair,) = compared.pairs
    names = Names((pair.bot, pair.other), width)
    yield wrapped(f"{names(pair.bot)} and {names(pair.other)} in {_where(compared)}, by {_figures(compared)}", width)
    yield "\n".join(wrapped(line, width) for line in _words(compared, pair, names))
    if len(pair.by_game) > 1:
        shown = fitted(_by_game(pair, compared.rank_by, names, Names(pair.by_game, width)), width)
        yield shown.text
        notes = f"p of all: with all {len(pair.by_game)} games in mind; a bot is named where that is below 0.05"
        yield "\n".join([wrapped(notes, width), *([wider([shown], width)] if shown.left_out else [])])
    yield from _warnings(compared, width)


def neighbours(compared: Compared, width: int) -> Iterator[str]:
    """The screen that compares each bot with the next one by rank, in paragraphs."""
    if compared.rated:
        yield from _rated_neighbours(compared, width)
        return
    pairs = compared.pairs
    bots = [*(pair.bot for pair in pairs), pairs[-1].other]
    names = Names(bots, width)
    yield wrapped(f"Each bot less the next one in {_where(compared)}, by {_figures(compared)}", width)
    columns = [
        Column(title="#", cells=[str(number) for number in range(1, len(bots) + 1)]),
        Column(title="bot", cells=[names(bot) for bot in bots], is_text=True),
        Column(title="difference", cells=[*(_difference(pair.difference, compared.rank_by) for pair in pairs), ""]),
        Column(title="p", cells=[*(p_value(pair.p) for pair in pairs), ""], gives_way=3),
        Column(title="p of all", cells=[*(p_value(pair.p_of_all) for pair in pairs), ""], gives_way=1),
        Column(title="better", cells=[*("yes" if pair.is_sure else "-" for pair in pairs), ""], is_text=True),
    ]
    if any(pair.more_deals for pair in pairs):
        columns.append(Column(title="more deals", cells=[*map(_more, pairs), ""], gives_way=2))
    shown = fitted(columns, width)
    yield shown.text
    lines = [
        _p_legend(compared),
        *([MORE_DEALS] if any(pair.more_deals for pair in pairs) else []),
        *_reasons(pairs, names),
    ]
    yield "\n".join([*(wrapped(line, width) for line in lines), *([wider([shown], width)] if shown.left_out else [])])
    yield from _warnings(compared, width)


def _reasons(pairs: Sequence[Comparison], names: Names) -> Iterator[str]:
    """Why it is not told how many more deals would settle it: a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.more_reason:
            by_reason.setdefault(pair.more_reason, []).append(f"{names(pair.bot)} and {names(pair.other)}")
    for reason, some in by_reason.items():
        whom = "any of them" if len(some) == len(pairs) > 1 else "; ".join(some)
        yield f"how many more deals would settle it is not known for {whom}: {reason}"


def _two_rated(compared: Compared, pair: Chance, width: int) -> Iterator[str]:
    """The screen that compares two bots by their ratings."""
    names = Names((pair.bot, pair.other), width)
    yield wrapped(f"{names(pair.bot)} and {names(pair.other)} in {_where(compared)}, by their ratings", width)
    yield "\n".join(wrapped(line, width) for line in _rated_words(compared, pair, names))
    yield wrapped(BY_RATINGS, width)
    yield from _warnings(compared, width)


def _rated_words(compared: Compared, pair: Chance, names: Names) -> Iterator[str]:
    one, other = names(pair.bot), names(pair.other)
    yield f"Of 100 matches of the two, {one} wins {_chance(pair)}; a tie counts half."
    if pair.p is None:
        yield "There is no p-value: one of them has played too few deals."
        return
    yield f"Two bots that are equally good differ so much in {odds(pair.p)} tournaments ({_told(pair.p)})."
    if pair.p_of_all is not None and compared.tests > 1:
        yield f"With all {compared.tests:,} pairs of bots in mind it is {_told(pair.p_of_all)}."
    better = one if pair.chance >= EVEN else other
    if pair.is_sure:
        yield f"So {better} is better ({ALL_PAIRS})."
    elif pair.p < LIKELY:
        yield f"So {better} is better if you asked for these two before you saw the tables; else it is not known."
    else:
        yield "So it is not known which of them is better."
    if pair.times is not None:
        yield f"About {pair.times:,} times as many matches would settle it, if the difference stays as it is."
    elif not pair.is_sure:
        yield f"More than {MOST_TIMES:,} times as many matches would be needed to settle it."


def _rated_neighbours(compared: Compared, width: int) -> Iterator[str]:
    """The screen that compares each bot with the next one by rating."""
    pairs = compared.rated
    bots = [*(pair.bot for pair in pairs), pairs[-1].other]
    names = Names(bots, width)
    yield wrapped(f"Each bot against the next one in {_where(compared)}, by their ratings", width)
    columns = [
        Column(title="#", cells=[str(number) for number in range(1, len(bots) + 1)]),
        Column(title="bot", cells=[names(bot) for bot in bots], is_text=True),
        Column(title="wins of 100", cells=[*map(_chance, pairs), ""]),
        Column(title="p", cells=[*(p_value(pair.p) for pair in pairs), ""], gives_way=3),
        Column(title="p of all", cells=[*(p_value(pair.p_of_all) for pair in pairs), ""], gives_way=1),
        Column(title="better", cells=[*("yes" if pair.is_sure else "-" for pair in pairs), ""], is_text=True),
    ]
    if any(pair.times for pair in pairs):
        columns.append(Column(title="times", cells=[*map(_times, pairs), ""], gives_way=2))
    shown = fitted(columns, width)
    yield shown.text
    lines = [_p_legend(compared), *([TIMES] if any(pair.times for pair in pairs) else [])]
    yield "\n".join(wrapped(line, width) for line in lines)
    yield wrapped(BY_RATINGS, width)
    yield from _warnings(compared, width)


def _p_legend(compared: Compared) -> str:
    every = f"with all {compared.tests:,} pairs of bots in mind"
    if compared.tests == 1:
        every = "the same, as there is only one pair"
    what = "the probability that two equally good bots differ so much"
    return f"p: {what}; p of all: {every}; better: p of all is below 0.05"


def _times(pair: Chance) -> str:
    return "" if pair.is_sure or pair.p is None else f">{MOST_TIMES}" if pair.times is None else str(pair.times)


def _chance(pair: Chance) -> str:
    """The chance in percent with its interval, as `62.1 [55.0, 68.7]`."""
    ends = "-" if pair.chance_interval is None else ", ".join(f"{100 * end:.1f}" for end in pair.chance_interval)
    return f"{100 * pair.chance:.1f} [{ends}]"


def p_value(p: float | None) -> str:
    """A p-value, as `0.03` or `<0.0001`; `-` where there is none."""
    if p is None:
        return "-"
    return "<0.0001" if p < LEAST_P else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _told(p: float) -> str:
    """A p-value in a sentence, as `p = 0.03` or `p < 0.0001`."""
    return f"p {p_value(p) if p < LEAST_P else f'= {p_value(p)}'}".replace("<", "< ")


def odds(p: float) -> str:
    """A p-value in words, such as `3 of 100`."""
    for of in (100, 1000, 10_000):
        if p * of >= 0.95:
            return f"{p * of:.0f} of {of:,}"
    return "fewer than 1 of 10,000"


def _words(compared: Compared, pair: Comparison, names: Names) -> Iterator[str]:
    """What is known of two bots, a sentence a line."""
    if not pair.games:
        yield f"They cannot be compared: {pair.difference.reason}."
        yield from _together(compared, pair, names)
        return
    what = _difference(pair.difference, compared.rank_by)
    yield f"{names(pair.bot)} less {names(pair.other)}: {what} {_figures(compared)}."
    if pair.p is None:
        yield f"There is no p-value: {pair.difference.reason}."
    else:
        yield from _sureness(compared, pair, pair.p, names)
    yield from _together(compared, pair, names)


def _together(compared: Compared, pair: Comparison, names: Names) -> Iterator[str]:
    """The difference on the same deals, or that there are none."""
    if pair.together is None:
        yield "They never sat at one table for a whole deal."
        return
    blocks = pair.together.blocks
    deals = f"{blocks:,} deal{'s' * (blocks != 1)} at which both sat"
    what = _difference(pair.together, compared.rank_by)
    sure = pair.together.reason if pair.together_p is None else _told(pair.together_p)
    who = "" if pair.games else f", {names(pair.bot)} less {names(pair.other)}"
    yield f"On the {deals}{who}: {what}{f' ({sure})' * bool(sure)}."


def _sureness(compared: Compared, pair: Comparison, p: float, names: Names) -> Iterator[str]:
    better = names(_better(pair, pair.difference, compared.rank_by))
    yield f"Two bots that are equally good differ so much in {odds(p)} tournaments ({_told(p)})."
    if pair.p_of_all is not None and compared.tests > 1:
        yield f"With all {compared.tests:,} pairs of bots in mind it is {_told(pair.p_of_all)}."
    if pair.is_sure:
        yield f"So {better} is better ({ALL_PAIRS})."
    elif p < LIKELY:
        yield f"So {better} is better if you asked for these two before you saw the tables; else it is not known."
    else:
        yield "So it is not known which of them is better."
    if pair.is_sure:
        return
    if pair.more_deals is None:
        yield f"How many more deals would settle it cannot be told: {pair.more_reason}."
    else:
        more = f"{pair.more_deals:,} more deal{'s' * (pair.more_deals != 1)}"
        yield f"About {more} for each line-up would settle it, if the difference stays as it is."


def _by_game(pair: Comparison, rank_by: RankBy, bots: Names, games: Names) -> list[Column]:
    rows = list(pair.by_game.items())
    return [
        Column(title="game", cells=[games(game) for game, _ in rows], is_text=True),
        Column(title="difference", cells=[_difference(one.difference, rank_by) for _, one in rows]),
        Column(title="p", cells=[_p_of_game(one, one.p) for _, one in rows], gives_way=2),
        Column(title="p of all", cells=[_p_of_game(one, one.p_of_all) for _, one in rows], gives_way=1),
        Column(title="better", cells=[_of_game(pair, one, rank_by, bots) for _, one in rows], is_text=True),
    ]


def _p_of_game(one: GameDifference, p: float) -> str:
    return "-" if one.difference.low is None else p_value(p)


def _of_game(pair: Comparison, one: GameDifference, rank_by: RankBy, bots: Names) -> str:
    return bots(_better(pair, one.difference, rank_by)) if one.is_sure else "-"


def _better(pair: Comparison, difference: Estimate, rank_by: RankBy) -> str:
    """Which bot has the better figure. Fewer strokes are better."""
    return pair.bot if (difference.mean < 0) == (rank_by == "strokes") else pair.other


def _difference(one: Estimate, rank_by: RankBy) -> str:
    interval = None if one.low is None or one.high is None else (one.low, one.high)
    return signed(one.mean, interval, 3 if rank_by == "match-points" else 2)


def _more(pair: Comparison) -> str:
    return "" if pair.is_sure else "-" if pair.more_deals is None else f"{pair.more_deals:,}"


def _where(compared: Compared) -> str:
    return compared.name if compared.variant is None else f"{compared.variant} of {compared.name}"


def _figures(compared: Compared) -> str:
    return "match points" if compared.rank_by == "match-points" else "strokes a round"


def _warnings(compared: Compared, width: int) -> Iterator[str]:
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
