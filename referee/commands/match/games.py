"""The games of `golfref match` that are played, told one by one, and summed up."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import trio
from msgspec.structs import replace

from protocol.messages import GameMessage
from referee.commands.console import say
from referee.commands.interrupt import FINISHING
from referee.commands.match.bots import shown_names
from referee.commands.match.options import MatchOptions, Table
from referee.commands.match.output import GamePrinter, Shown, game_printer
from referee.commands.match.record_file import write_record
from referee.ending_signals import Interrupted
from referee.errors import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED
from referee.new_file import NotWritten, refusal
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import BotSpec
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import Record
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.keys import deal_key, master_key
from referee.tournament.series import Seating, seating

PlayOne = Callable[[MatchSetup], Awaitable[Record]]
"""How a game is played."""

_AGAIN = "run it again; if that happens again, `golfref doctor` looks at this host"


def play_games(order: MatchOptions, table: Table) -> int:
    """Play the games, print them, and return the exit code of the command."""
    stopping = trio.Event()

    def stop() -> None:
        stopping.set()
        say(FINISHING)

    with game_printer(_shown(order)) as printer:

        async def work(pump: Pump) -> None:
            await _play_games(partial(play, pump), order, table, printer, stopping)

        code = DONE
        try:
            run_session([work], stop=stop)
        except Interrupted:
            printer.ends_with("golfref: interrupted")
            code = INTERRUPTED
        except HostFault as fault:
            printer.ends_with(f"golfref: void, and no bot's fault: {fault}; {_AGAIN}")
            code = HOST_FAILED
        except NotWritten as error:
            printer.ends_with(*error.printed)
            code = error.exit_code
    printer.print_summary()
    return CHECK_FAILED if code == DONE and order.strict and printer.was_at_fault else code


def _shown(order: MatchOptions) -> Shown:
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


async def _play_games(
    play_one: PlayOne,
    order: MatchOptions,
    table: Table,
    printer: GamePrinter,
    stopping: trio.Event,
) -> None:
    names = _Names(table.bots)
    attempts = ATTEMPTS if order.games > 1 else 1
    for game in range(order.games):
        seat = seating(game, len(table.bots), rotates=order.rotates)
        setup = _setup(order, table, seat)
        record = names.said(seat, await _play_game(play_one, setup, game, attempts=attempts))
        if order.record is not None:
            _keep(order.record, record, is_first=game == 0)
        printer.print_game(seat, record)
        if stopping.is_set():
            return


async def _play_game(play_one: PlayOne, setup: MatchSetup, game: int, *, attempts: int) -> Record:
    """The record of a game. One that the host spoils is played again; the last attempt raises HostFault."""
    for _ in range(attempts - 1):
        try:
            return await play_one(setup)
        except HostFault as fault:
            say(f"game {game} is void, and no bot's fault: {fault}; it is played again")
    return await play_one(setup)


def _setup(order: MatchOptions, table: Table, seat: Seating) -> MatchSetup:
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


def _keep(path: Path, record: Record, *, is_first: bool) -> None:
    """Write the record as a line of its own. Raises NotWritten."""
    try:
        write_record(path, record, is_first=is_first)
    except OSError as error:
        raise refusal(f"{path}: the record cannot be written", error) from None


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
