"""match: games between given bots, without a tournament; a summary of several."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.cards import Card, is_card
from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.commands.bots import UsageError, bots_of, confinement_of, shown_names
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.record_file import write_record
from referee.commands.telling import Shown, Teller, telling
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.session import Interrupted, run_session
from referee.play.spec import BadBot, BotSpec, Confinement
from referee.rules.book.changes import BadOptions
from referee.rules.book.variant import Variant
from referee.rules.book.variants import UnknownVariant, customised, seat_problem
from referee.rules.describe import advice
from referee.rules.record import Record
from referee.rules.table.chance import BadDeck, Stacked
from referee.rules.table.streams import bot_seed
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.blocks import for_blocks
from referee.tournament.plan.keys import deal_key, master_key
from referee.tournament.series import Seating, seating

if TYPE_CHECKING:
    from referee.kit.watch.live import HandOver

PlayOne = Callable[[Pump, MatchSetup], Awaitable[Record]]
"""How a game is played."""

_AGAIN = "run it again; if that happens again, `golfref doctor` looks at this host"


class Ordered(Struct, frozen=True, kw_only=True):
    """What `golfref match` is asked to do."""

    variant: str
    changes: Mapping[str, Any]
    bots: list[str]
    folders: list[str]
    games: int
    fixed_seats: bool
    verbose: bool
    seed: str | None
    deck: Path | None
    record: Path | None
    as_json: bool
    isolation: str
    clocks: Clocks
    faults: FaultPolicy
    strict: bool
    show_stderr: bool

    @property
    def rotates(self) -> bool:
        """Whether the bots change seats from game to game."""
        return self.games > 1 and not self.fixed_seats and len(self.bots) > 1


class Table(Struct, frozen=True, kw_only=True):
    """What stays the same in all games of a command."""

    variant: Variant
    bots: tuple[BotSpec, ...]
    """As they were given."""
    confinement: Confinement
    seed: str
    decks: tuple[tuple[Card, ...], ...] | None


def play_match(order: Ordered, hand_over: "HandOver | None" = None) -> int:
    """Play the games; print one game by itself, and what several come to.

    With `hand_over` somebody watches, for as long as standard input lasts.
    """
    try:
        table = _table(order)
    except HostFault as fault:
        say(f"golfref match: {fault}")
        return HOST_FAILED
    except (UsageError, UnknownVariant, BadOptions, BadBot, BadDeck) as error:
        say(*(f"golfref match: {line}" for line in str(error).splitlines()))
        return USAGE
    say(*(f"note: {text}" for text in advice(table.variant, len(table.bots))))
    with telling(_shown(order)) as teller:
        try:
            run_session([lambda pump: _play_all(pump, order, table, teller, hand_over)])
            code = DONE
        except Interrupted:
            teller.ends_with("golfref match: interrupted")
            code = INTERRUPTED
        except HostFault as fault:
            teller.ends_with(f"golfref match: void, and no bot's fault: {fault}", f"golfref match: {_AGAIN}")
            code = HOST_FAILED
        except UsageError as error:
            teller.ends_with(f"golfref match: {error}")
            code = USAGE
    teller.tell_summary()
    return CHECK_FAILED if code == DONE and order.strict and teller.was_at_fault else code


def _shown(order: Ordered) -> Shown:
    return Shown(
        games=order.games,
        bots=len(order.bots),
        rotates=order.rotates,
        verbose=order.verbose,
        as_json=order.as_json,
        show_stderr=order.show_stderr,
        record=order.record,
        clocks=order.clocks,
    )


async def _play_all(pump: Pump, order: Ordered, table: Table, teller: Teller, hand_over: "HandOver | None") -> None:
    if hand_over is None:
        await _play_games(play, pump, order, table, teller)
        return
    async with trio.open_nursery() as nursery:
        nursery.start_soon(hand_over.until_left)
        await _play_games(hand_over.play, pump, order, table, teller)
        nursery.cancel_scope.cancel()


async def _play_games(
    play_one: PlayOne,
    pump: Pump,
    order: Ordered,
    table: Table,
    teller: Teller,
) -> None:
    names = _Names(table.bots)
    attempts = ATTEMPTS if order.games > 1 else 1
    for game in range(order.games):
        seat = seating(game, len(table.bots), rotates=order.rotates)
        setup = _setup(order, table, seat)
        record = names.said(seat, await _play_game(play_one, pump, setup, game, attempts=attempts))
        if order.record is not None:
            _keep(order.record, record, is_first=game == 0)
        teller.tell(seat, record)


async def _play_game(play_one: PlayOne, pump: Pump, setup: MatchSetup, game: int, *, attempts: int) -> Record:
    """The record of a game. One that the host spoils is played again; the last attempt raises HostFault."""
    for _ in range(attempts - 1):
        try:
            return await play_one(pump, setup)
        except HostFault as fault:
            say(f"game {game} is void, and no bot's fault: {fault}; it is played again")
    return await play_one(pump, setup)


def _table(order: Ordered) -> Table:
    """What is to be played; raises the errors that play_match reports."""
    confinement = confinement_of(order.isolation)
    variant = customised(order.variant, order.changes)
    bots = bots_of(order.bots, order.folders, confinement.isolation)
    if problem := seat_problem(variant, len(bots)):
        raise UsageError(problem.text)
    decks = None if order.deck is None else read_decks(order.deck)
    if decks is not None:
        Stacked(bytes(32), variant, len(bots), decks)
    return Table(
        variant=for_blocks(variant) if order.rotates else variant,
        bots=bots,
        confinement=confinement,
        seed=order.seed or secrets.token_hex(8),
        decks=decks,
    )


def _setup(order: Ordered, table: Table, seat: Seating) -> MatchSetup:
    """A game, ready to be played."""
    variant, bots = table.variant, table.bots
    key = deal_key(master_key(table.seed), variant.preset, [bot.name for bot in bots], seat.deal)
    return MatchSetup(
        variant=variant,
        name=variant.preset,
        bots=tuple(bots[bot] for bot in seat.order),
        seeds=tuple(bot_seed(key, seat.rotation, number) for number in range(len(bots))),
        deal_key=key,
        block=seat.deal,
        seed=table.seed,
        decks=table.decks,
        clocks=order.clocks,
        faults=order.faults,
        confinement=table.confinement,
        games=(GameMessage(variant=variant.preset, name=variant.preset, seats=len(bots)),),
    )


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


def _keep(path: Path, record: Record, *, is_first: bool) -> None:
    """Write the record as a line of its own. Raises UsageError."""
    try:
        write_record(path, record, is_first=is_first)
    except OSError as error:
        raise UsageError(f"{path}: cannot write the record: {error.strerror}") from None


class _Names:
    """What the bots are called, with what they said themselves first."""

    def __init__(self, bots: Sequence[BotSpec]) -> None:
        self._bots = bots
        self._said = [""] * len(bots)

    def said(self, seat: Seating, record: Record) -> Record:
        """The record with these names. The deals do not depend on them."""
        for number, bot in enumerate(seat.order):
            self._said[bot] = self._said[bot] or record.seats[number].ready_name.strip()
        names = shown_names(self._bots, self._said)
        seats = zip(record.seats, seat.order, strict=True)
        return replace(record, seats=tuple(replace(one, name=names[bot]) for one, bot in seats))
