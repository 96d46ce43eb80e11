"""Interval bars: what each bot scored, where its true figure lies, and which ranks it can have."""

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from referee.plots.common import MARGIN, Axis, Frame, NothingToDraw, is_phone, names_for, widest
from referee.plots.drawing import BAND, BLUE, SOFT, WIDE, Drawing
from referee.reports.tables.bot_tables import rank
from referee.reports.tables.layout import LONGEST, shortened
from referee.tournament.standings import BotStanding, Interval
from referee.tournament.summary import RunSummary

ROW = 24.0
"""How many pixels high a row is; on a phone more."""

UNRANKED = "-"
"""What stands in place of a rank where a bot has none."""

TOLD = 20
"""Of how many bots the description tells the figures."""


class Bar(Struct, frozen=True, kw_only=True):
    """A row of the picture."""

    rank: str
    bot: str
    figure: float
    interval: Interval | None
    words: str
    """The figure with its interval."""


def intervals(summary: RunSummary, width: int = WIDE, game: str | None = None) -> bytes:
    """The standings, or those of one game, as an SVG picture. Raises NothingToDraw."""
    rows = summary.standings if game is None else summary.variants.get(game, ())
    bars = _bars(summary, rows, by_ratings=game is None and summary.order != "means")
    if not bars:
        raise NothingToDraw("no match counts yet, so there are no standings to draw")
    frame = Frame(
        name="intervals",
        title=f"{summary.name}: standings{f' in {game}' if game else ''}",
        note=_note(summary, game, has_intervals=any(bar.interval for bar in bars)),
        description=_description(summary, game, bars),
        width=width,
    )
    return _stacked(frame, bars) if is_phone(width) else _beside(frame, bars)


def _bars(summary: RunSummary, rows: Sequence[BotStanding], *, by_ratings: bool) -> list[Bar]:
    """A row for each bot, in the order of the table. By ratings where bots met different opponents on purpose."""
    if by_ratings:
        rated = {row.bot: row for row in summary.ratings.bots} if summary.ratings else {}
        return [
            _bar(row, 100 * known.chance, _percent(known.chance_interval), ".1f")
            for row in rows
            if (known := rated.get(row.bot)) is not None and known.chance is not None
        ]
    if summary.rank_by == "strokes":
        return [_bar(row, row.strokes, row.strokes_interval, "+.2f") for row in rows if row.strokes is not None]
    return [
        _bar(row, row.match_points, row.match_points_interval, ".3f") for row in rows if row.match_points is not None
    ]


def _percent(interval: Interval | None) -> Interval | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])


def _bar(row: BotStanding, figure: float, interval: Interval | None, form: str) -> Bar:
    ends = f" [{interval[0]:{form}}, {interval[1]:{form}}]" if interval else ""
    return Bar(rank=rank(row), bot=row.bot, figure=figure, interval=interval, words=f"{figure:{form}}{ends}")


def _figure_in_words(summary: RunSummary, game: str | None) -> str:
    if game is None and summary.order != "means":
        anchor = shortened(summary.ratings.anchor, LONGEST) if summary.ratings else ""
        return f"chance to finish before {anchor}, in percent"
    if summary.rank_by == "strokes":
        return "strokes a round, less the mean of the table; fewer are better"
    return "match points, the share of the opponents at its table that a bot beat"


def _note(summary: RunSummary, game: str | None, *, has_intervals: bool) -> str:
    bars = " The bar is the 95 % confidence interval." if has_intervals else ""
    ranks = " A rank such as 2-4 is the range of ranks that a bot can have."
    ties = " Bots that share a band, grey or white, are tied." if summary.order == "means" else ""
    return f"The dot: {_figure_in_words(summary, game)}.{bars}{ranks}{ties}"


def _description(summary: RunSummary, game: str | None, bars: Sequence[Bar]) -> str:
    told = "; ".join(f"{_rank_in_words(bar)} {bar.bot} {bar.words}" for bar in bars[:TOLD])
    more = f"; and {len(bars) - TOLD} more" if len(bars) > TOLD else ""
    return f"For each bot its {_figure_in_words(summary, game)}, with the interval in brackets. {told}{more}."


def _rank_in_words(bar: Bar) -> str:
    return "not ranked" if bar.rank == UNRANKED else f"rank {bar.rank}"


def _axis(bars: Sequence[Bar], left: float, right: float) -> Axis:
    ends = [end for bar in bars for end in (*(bar.interval or ()), bar.figure)]
    pad = 0.03 * ((max(ends) - min(ends)) or 1.0)
    return Axis(low=min(ends) - pad, high=max(ends) + pad, left=left, right=right)


def _form(axis: Axis) -> str:
    span = axis.high - axis.low
    return ".0f" if span > 10 else ".1f" if span > 0.5 else ".2f" if span > 0.05 else ".3f"


def _beside(frame: Frame, bars: Sequence[Bar]) -> bytes:
    """Rank, name, bar and figure side by side."""
    names = names_for((bar.bot for bar in bars), 200)
    rank_room = max(widest([bar.rank for bar in bars]), widest(["rank"])) + MARGIN
    name_room = min(widest([names(bar.bot) for bar in bars]), 220) + MARGIN
    words_room = widest([bar.words for bar in bars]) + MARGIN
    axis = _axis(bars, MARGIN + rank_room + name_room + 8, frame.width - MARGIN - words_room - 8)
    drawn = frame.drawing(len(bars) * ROW + 20)
    tops = [frame.top + place * ROW for place in range(len(bars))]
    _bands(frame, drawn, bars, ROW)
    axis.draw(drawn, frame.top, frame.top + len(bars) * ROW, lambda figure: format(figure, _form(axis)))
    drawn.group(fill=SOFT, text_anchor="end")
    for bar, top in zip(bars, tops, strict=True):
        drawn.text(MARGIN + rank_room - 8, top + ROW * 0.68, bar.rank)
    drawn.group()
    for bar, top in zip(bars, tops, strict=True):
        drawn.text(MARGIN + rank_room, top + ROW * 0.68, names(bar.bot), room=name_room - 4)
    drawn.group(text_anchor="end")
    for bar, top in zip(bars, tops, strict=True):
        drawn.text(frame.width - MARGIN - 4, top + ROW * 0.68, bar.words, room=words_room)
    _marks(drawn, axis, bars, [top + ROW / 2 for top in tops])
    return drawn.svg()


def _stacked(frame: Frame, bars: Sequence[Bar]) -> bytes:
    """Rank, name and figure in a line, and the bar below it."""
    right = frame.width - MARGIN
    words_room = widest([bar.words for bar in bars])
    rank_room = widest([bar.rank for bar in bars]) + 8
    name_room = right - MARGIN - words_room - rank_room - 12
    names = names_for((bar.bot for bar in bars), name_room)
    axis = _axis(bars, MARGIN + 4, right - 4)
    row = 1.75 * ROW
    drawn = frame.drawing(len(bars) * row + 20)
    tops = [frame.top + place * row for place in range(len(bars))]
    _bands(frame, drawn, bars, row)
    axis.draw(drawn, frame.top, frame.top + len(bars) * row, lambda figure: format(figure, _form(axis)))
    drawn.group()
    for bar, top in zip(bars, tops, strict=True):
        drawn.text(MARGIN + 4, top + 16, bar.rank, fill=SOFT)
        drawn.text(MARGIN + 4 + rank_room, top + 16, names(bar.bot), room=name_room)
        drawn.text(right - 4, top + 16, bar.words, text_anchor="end")
    _marks(drawn, axis, bars, [top + 30 for top in tops])
    return drawn.svg()


def _bands(frame: Frame, drawn: Drawing, bars: Sequence[Bar], row: float) -> None:
    """Every second group of tied bots on a ground of its own."""
    place = 0
    for number, (_, group) in enumerate(groupby(bars, key=_group)):
        size = len(list(group))
        if number % 2 == 0:
            drawn.rect(MARGIN, frame.top + place * row, frame.width - 2 * MARGIN, size * row, BAND)
        place += size


def _group(bar: Bar) -> str:
    """What tied bots have in common. One that has no rank is tied with nobody."""
    return bar.bot if bar.rank == UNRANKED else bar.rank


def _marks(drawn: Drawing, axis: Axis, bars: Sequence[Bar], middles: Sequence[float]) -> None:
    """A bar with its ends, and a dot at the mean."""
    drawn.group(stroke=BLUE, stroke_width=2, fill="none")
    for bar, middle in zip(bars, middles, strict=True):
        if bar.interval:
            low, high = axis.at(bar.interval[0]), axis.at(bar.interval[1])
            drawn.path(f"M{low:.1f} {middle - 5:.1f}v10m0 -5H{high:.1f}m0 -5v10")
    drawn.group(fill=BLUE)
    for bar, middle in zip(bars, middles, strict=True):
        drawn.dot(axis.at(bar.figure), middle, 4)
