"""play: a person at the terminal against bots."""

import secrets
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct
from msgspec.structs import replace
from tabulate import tabulate

from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.commands.console import put, say
from referee.commands.match.bots import UsageError, bots_of
from referee.commands.match.options import MOST_CLOCK_S
from referee.commands.match.record_file import check_record_file, write_record
from referee.commands.options import OptionList, Preset, changes
from referee.errors import DONE, HOST_FAILED, INTERRUPTED, CommandError
from referee.new_file import refusal
from referee.play.match import MatchSetup
from referee.play.spec import BUILTIN, LONGEST_NAME, BotSpec, Confinement, shipped
from referee.reports.faults import explain
from referee.rules.check_options import seat_problem, with_options
from referee.rules.describe import advice, rules_in_full
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import GivenSlaps, Record, SeatRecord
from referee.terminal.screen import terminal
from referee.tournament.plan.keys import deal_key, master_key

if TYPE_CHECKING:
    from referee.terminal.play.page import PlayPage


class PlayOptions(Struct, frozen=True, kw_only=True):
    """What `golfref play` is asked to do."""

    variant: Preset
    against: Annotated[
        list[str],
        typer.Option(
            metavar="BOTS",
            help="Your rivals: names of shipped bots, with commas between them, or a quoted command line. May be given "
            "several times.",
        ),
    ]
    option: OptionList = None
    seat: Annotated[int, typer.Option(min=0, help="Your seat; the bots take the others in their order.")] = 0
    name: Annotated[str, typer.Option(metavar="NAME", help="What you are called in the record.")] = "human"
    seed: Annotated[str | None, typer.Option(help="Fix the deals and the bots' seeds.")] = None
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the full record here.")] = None
    pace_s: Annotated[float, typer.Option("--pace", min=0, metavar="SECONDS", help="How long each event is shown.")] = (
        0.6
    )
    move_s: Annotated[float, typer.Option(min=1, max=MOST_CLOCK_S, help="Seconds for each of your decisions.")] = 900.0
    bank_s: Annotated[float, typer.Option(min=1, max=MOST_CLOCK_S, help="Seconds for all of them together.")] = 14400.0
    slap_s: Annotated[float, typer.Option(min=0.2, max=MOST_CLOCK_S, help="Seconds for a slap.")] = 4.0

    @property
    def clocks(self) -> Clocks:
        """The person's; the bots have those of a tournament."""
        own = {"move_s": self.move_s, "bank_s": self.bank_s, "slap_s": self.slap_s}
        return Clocks(start_s=60.0, **own, slap_timing="broadcast")


def play(order: PlayOptions) -> int:
    """Play against bots yourself, on this terminal.

    Example: golfref play cactus --against keeper,greedy
    """
    if order.record is not None:
        check_record_file(order.record)
    setup = setup_of(order)
    if why := terminal.problem():
        raise CommandError(why)
    terminal.prepare()
    # textual takes long to import, and may be missing
    from referee.terminal.play.page import PlayPage  # noqa: PLC0415
    from referee.terminal.screen.pages import Terminal  # noqa: PLC0415

    page = PlayPage(setup, order.seat, rules_in_full(setup.variant), terminal.glyphs(), pace_s=order.pace_s)
    with closing(page):
        Terminal(page).run(mouse=False)
    return _report(order, setup, page)


def _report(order: PlayOptions, setup: MatchSetup, page: "PlayPage") -> int:
    """Print what came of it, and keep the record."""
    if page.outcome is None:
        if page.problem:
            lines = "\n".join(f"  {line}" for line in page.problem.splitlines())
            raise CommandError(f"the match could not be played:\n{lines}", HOST_FAILED)
        raise CommandError("you left before the end, so there is no result and no record", INTERRUPTED)
    record = page.outcome.record
    if record is None:
        raise CommandError(f"void, and no bot's fault: {page.outcome.void}", HOST_FAILED)
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
        raise refusal(f"{path}: the record cannot be written", error) from None
    put(f"record: {path}; `golfref replay {path} --step` shows the match again")
    return DONE


def setup_of(order: PlayOptions) -> MatchSetup:
    """The match; the bot at the person's seat is none yet. Raises GolfrefError."""
    variant = with_options(order.variant, changes(order.option))
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
