"""match: a few games between given bots, without a tournament."""

import secrets
import shlex
import sys
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.structs import replace
from tabulate import tabulate

from protocol.cards import Card, is_card
from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, put, put_json, say
from referee.play.faults import HostFault
from referee.play.isolation.levels import bubblewrap, find_problem
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.session import Interrupted, run_session
from referee.play.spec import LONGEST_NAME, SAYS_NOTHING, BadBot, BotSpec, Confinement, Isolation, command_bot
from referee.reports.blame import explain, stderr_lines
from referee.rules.book.changes import BadOptions
from referee.rules.book.variants import UnknownVariant, customised, seat_problem
from referee.rules.describe import advice
from referee.rules.record import Record
from referee.rules.table.chance import BadDeck, Stacked
from referee.rules.table.streams import bot_seed
from referee.tournament.plan.keys import deal_key, master_key

_AGAIN = "run it again; if that happens again, `golfref doctor` looks at this host"


class Ordered(Struct, frozen=True, kw_only=True):
    """What `golfref match` is asked to do."""

    variant: str
    changes: Mapping[str, Any]
    bots: list[str]
    games: int
    seed: str | None
    deck: Path | None
    record: Path | None
    as_json: bool
    isolation: str
    clocks: Clocks
    faults: FaultPolicy
    strict: bool
    show_stderr: bool


class BotResult(Struct, frozen=True, kw_only=True):
    """A bot's part in `match --json`."""

    seat: int
    name: str
    total: int
    rank: int
    forfeited: bool
    late_slaps: int
    idle_cpu_ms: int
    faults: dict[str, int]


class RoundScores(Struct, frozen=True, kw_only=True):
    """A round in `match --json`."""

    scores: tuple[int, ...]
    raw: tuple[int, ...]
    ender: int | None
    capped: bool


class Best(Struct, frozen=True, kw_only=True):
    """The best match of a seat that plays alone (NIN-13)."""

    game: int
    """From 0."""
    rounds: int
    total: int


class MatchReport(Struct, frozen=True, kw_only=True):
    """A game in `match --json`."""

    variant: str
    seed: str
    bots: tuple[BotResult, ...]
    rounds: tuple[RoundScores, ...]
    record: str | None
    best: Best | UnsetType | None = UNSET
    """The best game so far of a seat that plays alone; None where it forfeited all of them."""


class UsageError(ValueError):
    """The command line asks for something impossible; the text says what to change."""


def play_match(order: Ordered) -> int:
    """Play the games and print each when it ends."""
    try:
        setups = _setups(order)
    except HostFault as fault:
        say(f"golfref match: {fault}")
        return HOST_FAILED
    except (UsageError, UnknownVariant, BadOptions, BadBot, BadDeck) as error:
        say(*(f"golfref match: {line}" for line in str(error).splitlines()))
        return USAGE
    say(*(f"note: {text}" for text in advice(setups[0].variant, len(setups[0].bots))))
    records: list[Record] = []

    async def work(pump: Pump) -> None:
        for setup in setups:
            records.append(_with_said_names(await play(pump, setup)))
            _keep(order.record, records)
            _show(order, records)

    try:
        run_session([work])
    except Interrupted:
        say("golfref match: interrupted")
        return INTERRUPTED
    except HostFault as fault:
        say(f"golfref match: void, and no bot's fault: {fault}", f"golfref match: {_AGAIN}")
        return HOST_FAILED
    except UsageError as error:
        say(f"golfref match: {error}")
        return USAGE
    at_fault = any(seat.faults for record in records for seat in record.seats)
    return CHECK_FAILED if order.strict and at_fault else DONE


def _setups(order: Ordered) -> list[MatchSetup]:
    """All games, ready to be played; raises the errors that play_match reports."""
    confinement = _confinement(order.isolation)
    variant = customised(order.variant, order.changes)
    bots = _bots(order.bots, confinement.isolation)
    if problem := seat_problem(variant, len(bots)):
        raise UsageError(problem.text)
    seed = order.seed or secrets.token_hex(8)
    decks = None if order.deck is None else read_decks(order.deck)
    keys = [deal_key(master_key(seed), variant.preset, [bot.name for bot in bots], game) for game in range(order.games)]
    if decks is not None:
        Stacked(keys[0], variant, len(bots), decks)
    return [
        MatchSetup(
            variant=variant,
            name=variant.preset,
            bots=bots,
            seeds=tuple(bot_seed(key, 0, seat) for seat in range(len(bots))),
            deal_key=key,
            seed=seed,
            decks=decks,
            clocks=order.clocks,
            faults=order.faults,
            confinement=confinement,
            games=(GameMessage(variant=variant.preset, name=variant.preset, seats=len(bots)),),
        )
        for key in keys
    ]


def _confinement(level: str) -> Confinement:
    """The confinement of this level; raises UsageError for an unknown level, HostFault for one that is missing here."""
    if level not in get_args(Isolation):
        raise UsageError(f"--isolation: expected none, limits or bwrap, got {level!r}")
    confinement = convert({"isolation": level}, Confinement)
    if confinement.isolation == "bwrap":
        bubblewrap()
    return confinement


def _bots(commands: Sequence[str], isolation: Isolation) -> tuple[BotSpec, ...]:
    """The bots. Those of the same name are numbered from the second on. Raises UsageError for commands not found."""
    bots: list[BotSpec] = []
    for text in commands:
        bot = command_bot(text)
        twins = sum(other.command == bot.command or other.name.partition("#")[0] == bot.name for other in bots)
        bots.append(replace(bot, name=f"{bot.name}#{twins + 1}") if twins else bot)
    problems = [
        f"--bot {text!r}: {problem}"
        for text, bot in zip(commands, bots, strict=True)
        if (problem := find_problem(bot, isolation))
    ]
    if problems:
        raise UsageError("\n".join(problems))
    return tuple(bots)


def read_decks(path: Path) -> tuple[tuple[Card, ...], ...]:
    """The decks in a file: each line holds the card codes of a round in dealing order, `#` starts a comment.

    Raises UsageError.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--deck {path}: cannot be read: {error}") from None
    decks = []
    for number, line in enumerate(lines, start=1):
        cards = line.partition("#")[0].split()
        for card in cards:
            if not is_card(card):
                column = line.index(card) + 1
                raise UsageError(f"{path}:{number}:{column}: `{card}` is no card code, such as 10H or X1")
        if cards:
            decks.append(tuple(cards))
    return tuple(decks)


def _with_said_names(record: Record) -> Record:
    """The record in which a bot has the name that it said itself, where its command line tells none.

    Bots of the same name are numbered from the second on. The deals do not depend on these names.
    """
    names: list[str] = []
    for seat in record.seats:
        said = seat.ready_name.strip()[:LONGEST_NAME]
        name = said if said and seat.name.partition("#")[0] in SAYS_NOTHING else seat.name
        numbered = (f"{name.partition('#')[0]}#{number}" for number in count(2))
        names.append(next(free for free in chain([name], numbered) if free not in names))
    return replace(record, seats=tuple(replace(seat, name=names[number]) for number, seat in enumerate(record.seats)))


def _keep(path: Path | None, records: Sequence[Record]) -> None:
    """Write the records, one a line. All are written each time, so that an interruption leaves whole lines."""
    if path is None:
        return
    try:
        path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    except OSError as error:
        raise UsageError(f"{path}: cannot write the record: {error.strerror}") from None


def _show(order: Ordered, records: Sequence[Record]) -> None:
    """Show the game that was played last; a seat alone is shown beside its own best so far."""
    record, game = records[-1], len(records) - 1
    if order.as_json:
        put_json(msgspec.json.encode(_report(order, records)))
    elif len(record.seats) == 1:
        _show_alone(records)
    else:
        _show_table(record)
    for seat in range(len(record.seats)):
        faults = list(explain(record, seat))
        say(*faults)
        if faults:
            say(f"  {_whole_conversation(order, record, game, seat)}")
        if order.show_stderr and not record.seats[seat].faults:
            say(f"seat {seat} {record.seats[seat].name}", *stderr_lines(record, seat, last=sys.maxsize))


def _whole_conversation(order: Ordered, record: Record, game: int, seat: int) -> str:
    """How to see all that was said to a bot and by it, in words."""
    if order.record is None:
        return f"`--record FILE` keeps the whole conversation; `--seed {shlex.quote(record.seed)}` deals the same cards"
    where = shlex.quote(f"{order.record}:{game}")
    return f"all of it: golfref replay {where} --seat {seat} --wire"


def _show_table(record: Record) -> None:
    rows = [
        (seat, bot.name, record.result.totals[seat], record.result.ranks[seat], _faults(record, seat), bot.late_slaps)
        for seat, bot in enumerate(record.seats)
    ]
    put(tabulate(rows, headers=["seat", "bot", "total", "rank", "faults", "late slaps"], disable_numparse=[1, 4]))
    _show_particulars(record)


def _show_alone(records: Sequence[Record]) -> None:
    """Show the last game of a seat that plays alone, beside its best one so far (NIN-13)."""
    record, best = records[-1], best_alone(records)
    against = "-" if best is None else f"{best.total} in {best.rounds} rounds, game {best.game + 1}"
    row = (
        len(records),
        record.seats[0].name,
        record.result.totals[0],
        len(record.result.rounds),
        against,
        _faults(record, 0),
    )
    put(
        tabulate([row], headers=["game", "bot", "total", "rounds", "best so far", "faults"], disable_numparse=[1, 4, 5])
    )
    _show_particulars(record)


def best_alone(records: Sequence[Record]) -> Best | None:
    """Return the best of the games that a seat played alone (NIN-13), None where it forfeited them all."""
    games = [
        Best(game=game, rounds=len(record.result.rounds), total=record.result.totals[0])
        for game, record in enumerate(records)
        if not record.seats[0].forfeited
    ]
    return min(games, key=lambda one: (-one.rounds, one.total), default=None)


def _show_particulars(record: Record) -> None:
    put("rounds, points by seat: " + " ".join("/".join(map(str, one.scores)) for one in record.result.rounds))
    at_once = "   slaps: broadcast timing" if record.clocks.slap_timing == "broadcast" else ""
    put(f"seed: {record.seed}   isolation: {record.isolation}{at_once}", "")


def _report(order: Ordered, records: Sequence[Record]) -> MatchReport:
    record = records[-1]
    result = record.result
    return MatchReport(
        variant=record.preset,
        seed=record.seed,
        bots=tuple(
            BotResult(
                seat=seat,
                name=bot.name,
                total=result.totals[seat],
                rank=result.ranks[seat],
                forfeited=bot.forfeited,
                late_slaps=bot.late_slaps,
                idle_cpu_ms=bot.idle_cpu_ms,
                faults=bot.faults,
            )
            for seat, bot in enumerate(record.seats)
        ),
        rounds=tuple(
            RoundScores(scores=one.scores, raw=one.raw, ender=one.ender, capped=one.capped) for one in result.rounds
        ),
        record=None if order.record is None else str(order.record),
        best=best_alone(records) if len(record.seats) == 1 else UNSET,
    )


def _faults(record: Record, seat: int) -> str:
    bot = record.seats[seat]
    counted = ", ".join(f"{kind} {count}" for kind, count in bot.faults.items()) or "-"
    return f"{counted} (forfeited)" if bot.forfeited else counted
