"""A single game as `golfref match` shows it: a table of who came where, or the same as JSON."""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from referee.reports.tables.layout import Column, Names, fitted
from referee.rules.match import RoundResult
from referee.rules.record import Record
from referee.tournament.series import Best, Seating


class BotResult(Struct, frozen=True, kw_only=True):
    """A bot's part in a game."""

    seat: int
    name: str
    total: int
    rank: int
    forfeited: bool
    late_slaps: int
    idle_cpu_ms: int
    faults: dict[str, int]


class GameReport(Struct, frozen=True, kw_only=True):
    """A game in `match --json`."""

    variant: str
    seed: str
    game: int
    """From 0, as are the deal and the rotation."""
    deal: int
    rotation: int
    bots: tuple[BotResult, ...]
    """By seat, as are all scores."""
    rounds: tuple[RoundResult, ...]
    record: str | None
    """The file that has its record, a line for each game."""
    best: Best | UnsetType | None = UNSET
    """The best game so far of a seat that plays alone; None where it forfeited all of them."""


def game_report(seating: Seating, record: Record, *, kept_in: str | None, best: Best | None) -> GameReport:
    """The game for `match --json`. `kept_in` is the file of records, `best` the best game of a bot alone so far."""
    return GameReport(
        variant=record.preset,
        seed=record.seed,
        game=seating.game,
        deal=seating.deal,
        rotation=seating.rotation,
        bots=tuple(_bots(record)),
        rounds=record.result.rounds,
        record=kept_in,
        best=best if len(record.seats) == 1 else UNSET,
    )


def _bots(record: Record) -> list[BotResult]:
    return [
        BotResult(
            seat=seat,
            name=bot.name,
            total=record.result.totals[seat],
            rank=record.result.ranks[seat],
            forfeited=bot.forfeited,
            late_slaps=bot.late_slaps,
            idle_cpu_ms=bot.idle_cpu_ms,
            faults=bot.faults,
        )
        for seat, bot in enumerate(record.seats)
    ]


def game_lines(seating: Seating, record: Record, best: Best | None, width: int) -> list[str]:
    """The game as text, in `width` cells. A seat that plays alone is shown beside its best game so far (NIN-13)."""
    names = Names((bot.name for bot in record.seats), width)
    column = Column[BotResult]
    bot = column("bot", lambda one: names(one.name), is_text=True)
    total = column("total", lambda one: str(one.total))
    faults = column("faults", lambda one: faults_in_words(one.faults, forfeited=one.forfeited), is_text=True)
    alone = [
        column("game", lambda _: str(seating.game)),
        bot,
        total,
        column("rounds", lambda _: str(len(record.result.rounds))),
        column("best so far", lambda _: best_in_words(best), is_text=True),
        faults,
    ]
    together = [
        column("seat", lambda one: str(one.seat)),
        bot,
        total,
        column("rank", lambda one: str(one.rank)),
        faults,
        column("late slaps", lambda one: str(one.late_slaps), gives_way=1),
    ]
    rounds = " ".join("/".join(map(str, one.scores)) for one in record.result.rounds)
    at_once = "   slaps: broadcast timing" if record.clocks.slap_timing == "broadcast" else ""
    return [
        fitted(alone if len(record.seats) == 1 else together, _bots(record), width).text,
        f"rounds, points by seat: {rounds}",
        f"seed: {record.seed}   isolation: {record.isolation}{at_once}",
        "",
    ]


def best_in_words(best: Best | None) -> str:
    """Such as `27 in 18 rounds, game 3`; `-` where there is none."""
    return "-" if best is None else f"{best.total} in {best.rounds} rounds, game {best.game}"


def faults_in_words(faults: Mapping[str, int], *, forfeited: bool) -> str:
    """Such as `timeout 2, crashed 1 (forfeited)`; `-` where there is none."""
    counted = ", ".join(f"{kind} {count}" for kind, count in faults.items()) or "-"
    return f"{counted} (forfeited)" if forfeited else counted
