"""play: a person at the terminal against bots."""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from tabulate import tabulate

from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.commands.bots import UsageError, bots_of
from referee.commands.console import DONE, HOST_FAILED, INTERRUPTED, USAGE, put, say
from referee.commands.record_file import write_record
from referee.kit.screen import terminal
from referee.play.match import MatchSetup
from referee.play.spec import BUILTIN, LONGEST_NAME, BadBot, BotSpec, Confinement, shipped
from referee.reports.blame import explain
from referee.rules.check_options import BadOptions, seat_problem, with_options
from referee.rules.describe import advice, rules_in_full
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import GivenSlaps, Record, SeatRecord
from referee.rules.variants import UnknownVariant
from referee.tournament.plan.keys import deal_key, master_key

if TYPE_CHECKING:
    from referee.kit.play.page import PlayPage


class PlayOrder(Struct, frozen=True, kw_only=True):
    """What `golfref play` is asked to do."""

    variant: str
    changes: Mapping[str, Any]
    against: Sequence[str]
    name: str
    seat: int
    seed: str | None
    record: Path | None
    clocks: Clocks
    """The person's; the bots have those of a tournament."""
    pace_s: float


def play_with_person(order: PlayOrder) -> int:
    """Play a match on the terminal, and print how it went."""
    try:
        setup = setup_of(order)
    except (UsageError, UnknownVariant, BadOptions, BadBot) as error:
        say(*(f"golfref play: {line}" for line in str(error).splitlines()))
        return USAGE
    if why := terminal.problem():
        say(f"golfref play: {why}")
        return USAGE
    terminal.prepare()
    # textual takes long to import, and may be missing
    from referee.kit.play.page import PlayPage  # noqa: PLC0415
    from referee.kit.screen.pages import Terminal  # noqa: PLC0415

    page = PlayPage(setup, order.seat, rules_in_full(setup.variant), terminal.glyphs(), pace_s=order.pace_s)
    with closing(page):
        Terminal(page).run(mouse=False)
    return _tell(order, setup, page)


def _tell(order: PlayOrder, setup: MatchSetup, page: "PlayPage") -> int:
    """Print what came of it, and keep the record."""
    if page.outcome is None:
        if page.problem:
            say("golfref play: the match could not be played:", *(f"  {line}" for line in page.problem.splitlines()))
            return HOST_FAILED
        say("golfref play: you left before the end, so there is no result and no record")
        return INTERRUPTED
    record = page.outcome.record
    if record is None:
        say(f"golfref play: void, and nobody's fault: {page.outcome.void}")
        return HOST_FAILED
    rows = [
        (record.result.ranks[seat], seat, bot.name, record.result.totals[seat]) for seat, bot in enumerate(record.seats)
    ]
    put(tabulate(sorted(rows), headers=["rank", "seat", "player", "total"], disable_numparse=[2]))
    put(f"seed: {setup.seed}", *_reactions(record, order.seat))
    of_bots = replace(record, seats=_without_late_slaps(record.seats, order.seat))
    for seat in range(len(record.seats)):
        say(*explain(of_bots, seat))
    return _keep(order.record, record)


def _reactions(record: Record, seat: int) -> list[str]:
    """The person's slaps as the referee measured them, and the fastest ones of the bots."""
    times: dict[bool, list[float]] = {True: [], False: []}
    for move in record.moves:
        for reaction in move.reactions if isinstance(move, GivenSlaps) else ():
            if reaction.target is not None and reaction.corrected_us is not None:
                times[reaction.seat == seat].append(reaction.corrected_us)
    said = []
    if times[True]:
        middle = sorted(times[True])[len(times[True]) // 2]
        said.append(f"your slaps: {len(times[True])}, the median after {middle / 1e6:.3f} s as the referee measured it")
    if times[False]:
        said.append(f"slaps of the bots: {len(times[False])}, the fastest after {min(times[False]) / 1e6:.6f} s")
    if unanswered := record.seats[seat].late_slaps:
        windows = sum(isinstance(move, GivenSlaps) for move in record.moves)
        said.append(f"you pressed nothing in {unanswered} of {windows} slap windows, or too late")
    return said


def _without_late_slaps(seats: tuple[SeatRecord, ...], person: int) -> tuple[SeatRecord, ...]:
    """The seats, with nothing to explain where the person let the time of a slap window pass."""
    return tuple(replace(bot, late_slaps=0) if seat == person else bot for seat, bot in enumerate(seats))


def _keep(path: Path | None, record: Record) -> int:
    if path is None:
        return DONE
    try:
        write_record(path, record, is_first=True)
    except OSError as error:
        say(f"golfref play: {path}: cannot write the record: {error.strerror}")
        return USAGE
    put(f"record: {path}; `golfref replay {path} --step` shows the match again")
    return DONE


def setup_of(order: PlayOrder) -> MatchSetup:
    """The match; the bot at the person's seat is none yet. Raises the errors that `play_with_person` reports."""
    variant = with_options(order.variant, order.changes)
    rivals = _rivals(order.against)
    seats = len(rivals) + 1
    if problem := seat_problem(variant, seats):
        raise UsageError(f"{problem.option}: {problem.text}; you take one seat, each bot of --against another")
    if not 0 <= order.seat < seats:
        raise UsageError(f"--seat: expected 0 to {seats - 1}, got {order.seat}")
    if order.name in {bot.name for bot in rivals} or not 0 < len(order.name) <= LONGEST_NAME:
        raise UsageError(f"--name: expected 1 to {LONGEST_NAME} characters, and not the name of a bot at the table")
    person = BotSpec(name=order.name, command=("person",), dir="/", env={}, clocks=order.clocks)
    bots = (*rivals[: order.seat], person, *rivals[order.seat :])
    say(*(f"note: {text}" for text in advice(variant, seats)))
    seed = order.seed or secrets.token_hex(8)
    key = deal_key(master_key(seed), variant.preset, [bot.name for bot in bots], 0)
    return MatchSetup(
        variant=variant,
        name=variant.preset,
        bots=bots,
        seeds=tuple(bot_seed(key, 0, seat) for seat in range(seats)),
        deal_key=key,
        seed=seed,
        clocks=Clocks(slap_timing=order.clocks.slap_timing, start_s=order.clocks.start_s),
        faults=FaultPolicy(strikes=1000),
        confinement=Confinement(isolation="limits"),
        games=(GameMessage(variant=variant.preset, name=variant.preset, seats=seats),),
    )


def _reads_as_names(text: str) -> bool:
    """Whether a text that is no command here can only be meant as names of shipped bots, of which some are wrong."""
    is_plain = not any(character.isspace() or character in "/\"'" for character in text)
    return is_plain and bool(text) and shutil.which(text) is None and not Path(text).is_file()


def _rivals(against: Sequence[str]) -> tuple[BotSpec, ...]:
    """The bots, each by its name, as `builtin:NAME`, or by its command line; names may stand together with commas.

    Raises UsageError and BadBot.
    """
    commands = []
    for text in against:
        parts = text.replace(",", " ").split()
        if (parts and all(part.removeprefix(BUILTIN) in shipped() for part in parts)) or _reads_as_names(text):
            commands += [f"{BUILTIN}{part.removeprefix(BUILTIN)}" for part in parts]
        else:
            commands.append(text)
    try:
        return bots_of(commands, [], "limits")
    except UsageError as error:
        said = str(error).replace("--bot ", "--against ").partition("; if it lies elsewhere, --dir")[0]
        raise UsageError(f"{said}\nshipped bots: {', '.join(shipped())}") from None
