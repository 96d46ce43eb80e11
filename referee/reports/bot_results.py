"""The matches of one bot of a run with what came of them, the worst first, so that its author knows what to replay."""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from referee.reports.game import faults_in_words
from referee.reports.tables.layout import Column, fitted, wider
from referee.reports.tables.names import Names
from referee.rules.counts import SlapCounts
from referee.tournament.results import Result, beaten_shares
from referee.tournament.store.store import Store

MOST_SHOWN = 20
"""How many matches the table shows."""


class OwnResult(Struct, frozen=True, kw_only=True):
    """What a match came to for a bot."""

    match: int
    """Its number in the run."""
    variant: str
    seat: int
    bots: tuple[str, ...]
    """By seat, as are the totals."""
    totals: tuple[int, ...]
    rank: int
    """1 is best."""
    beaten: float
    """The share of its opponents that it beat; a tie counts half."""
    behind: int
    """How many strokes its total is above the best other one; negative where it is below."""
    forfeited: bool
    faults: dict[str, int]
    slaps: SlapCounts | None
    """None where the match had no slap windows."""
    late_slaps: int
    """How many slaps and passes came too late, which is no fault."""


class OwnResults(Struct, frozen=True, kw_only=True):
    """All matches of a bot that count, the worst first."""

    bot: str
    matches: tuple[OwnResult, ...]


def bot_results(store: Store, bot: str, variant: str | None = None) -> OwnResults:
    """The matches of this bot, or those of one game.

    Matches that it forfeited come first, then those in which it beat the fewest and was the farthest behind. Raises
    StoreError.
    """
    found = [
        own_result(result, result.bots.index(bot))
        for result in store.results()
        if bot in result.bots and variant in (None, result.variant)
    ]
    found.sort(key=lambda one: (not one.forfeited, one.beaten, -one.behind, one.match))
    return OwnResults(bot=bot, matches=tuple(found))


def results_table(results: OwnResults, width: int) -> Iterator[str]:
    """The worst of the matches with a heading, in `width` cells, and how the slaps of all of them came out."""
    rows, count = results.matches[:MOST_SHOWN], len(results.matches)
    games = Names((row.variant for row in results.matches), width)
    some = f", the {len(rows)} worst of {count}" if count > len(rows) else ", the worst first"
    shown = fitted(_columns(rows, games), width)
    yield f"Matches of {Names([results.bot], width)(results.bot)}{some}\n"
    yield shown.text
    yield ""
    yield from [note for note in [wider([shown], width)] if note]
    yield "behind: strokes above the best other total; below it where negative"
    yield from _all_slaps(results, games)


def _all_slaps(results: OwnResults, games: Names) -> Iterator[str]:
    """A line for each game in which it could slap."""
    for variant in dict.fromkeys(row.variant for row in results.matches if row.slaps):
        rows = [row for row in results.matches if row.variant == variant]
        counts = sum((row.slaps for row in rows if row.slaps), SlapCounts())
        missed = sum(row.late_slaps for row in rows)
        yield (
            f"slaps in all {len(rows)} matches of {games(variant)}: {counts.right} right, "
            f"{counts.wrong} wrong, {counts.late} after another, {missed} times no answer in time"
        )


def _columns(rows: Sequence[OwnResult], games: Names) -> list[Column]:
    """The columns of the table. Slaps have some where there are any."""
    columns = [
        Column(title="match", cells=[str(row.match) for row in rows]),
        Column(title="game", cells=[games(row.variant) for row in rows], is_text=True),
        Column(title="seat", cells=[str(row.seat) for row in rows]),
        Column(title="rank", cells=[f"{row.rank} of {len(row.bots)}" for row in rows]),
        Column(title="total", cells=[str(row.totals[row.seat]) for row in rows]),
        Column(title="behind", cells=[f"{row.behind:+d}" for row in rows]),
        Column(
            title="faults",
            cells=[faults_in_words(row.faults, forfeited=row.forfeited) for row in rows],
            is_text=True,
        ),
    ]
    if not any(row.slaps for row in rows):
        return columns
    return [
        *columns,
        Column(title="right\nslaps", cells=[_counted(row, "right") for row in rows]),
        Column(title="wrong", cells=[_counted(row, "wrong") for row in rows]),
        Column(title="after\nanother", cells=[_counted(row, "late") for row in rows], gives_way=1),
        Column(
            title="no answer\nin time",
            cells=["-" if row.slaps is None else str(row.late_slaps) for row in rows],
            gives_way=2,
        ),
    ]


def _counted(row: OwnResult, verdict: Literal["right", "wrong", "late"]) -> str:
    return "-" if row.slaps is None else str(getattr(row.slaps, verdict))


def own_result(result: Result, seat: int) -> OwnResult:
    """What a match came to for the bot on this seat."""
    others = [total for other, total in enumerate(result.totals) if other != seat]
    return OwnResult(
        match=result.number,
        variant=result.variant,
        seat=seat,
        bots=result.bots,
        totals=result.totals,
        rank=result.ranks[seat],
        beaten=beaten_shares(result.ranks)[seat],
        behind=result.totals[seat] - min(others),
        forfeited=result.forfeited[seat],
        faults=result.faults[seat],
        slaps=result.slaps[seat] if result.slaps else None,
        late_slaps=result.late_slaps[seat],
    )
