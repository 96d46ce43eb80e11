"""What `golfref match` is asked to do, and what follows from that before anything is played."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec import Struct

from protocol.cards import Card
from protocol.messages import Clocks, FaultPolicy, SlapTiming
from referee.commands.match.record_file import check_record_file
from referee.commands.options import Json, OptionList, Strict, one_of, refuse
from referee.play.spec import BotSpec, Confinement
from referee.rules.variants import Variant

MOST_CLOCK_S = 86_400.0
"""The longest clock, as in a config."""


class MatchOptions(Struct, frozen=True, kw_only=True):
    """What `golfref match` is asked to do."""

    variant: Annotated[str, typer.Option(metavar="VARIANT", help="The game; `golfref variants` lists them.")]
    bots: Annotated[
        list[str],
        typer.Option(
            "--bot", metavar="CMD", help="A bot: its command line, quoted, or builtin:NAME. Once for each seat."
        ),
    ]
    folders: Annotated[
        list[str] | None,
        typer.Option(
            "--dir",
            metavar="FOLDER",
            help="Where a bot starts, as its command sees it: once for all bots, or once for each that is not builtin.",
        ),
    ] = None
    option: OptionList = None
    games: Annotated[
        int, typer.Option(min=1, help="Games to play. Of several, each deal is played once from every seat.")
    ] = 1
    fixed_seats: Annotated[
        bool, typer.Option("--fixed-seats", help="Seats as given, and a deal of its own for each game.")
    ] = False
    verbose: Annotated[bool, typer.Option("--verbose", help="Of several games, show each.")] = False
    seed: Annotated[str | None, typer.Option(help="Fix the deals and the bots' seeds.")] = None
    deck: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Cards in dealing order, a line for each round; # starts a comment; the seed deals what is missing.",
        ),
    ] = None
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep the full record here, a line for each game; an old file is kept as FILE.old1."
        ),
    ] = None
    isolation: Annotated[str, typer.Option(metavar="LEVEL", help="none, limits or bwrap.")] = "limits"
    start_s: Annotated[float, typer.Option(min=0.01, max=MOST_CLOCK_S, help="Seconds for a bot to start.")] = 10.0
    move_s: Annotated[float, typer.Option(min=0.001, max=MOST_CLOCK_S, help="Seconds for an answer.")] = 1.0
    bank_s: Annotated[float, typer.Option(min=0.001, max=MOST_CLOCK_S, help="Seconds of thinking in a match.")] = 60.0
    slap_s: Annotated[float, typer.Option(min=0.001, max=MOST_CLOCK_S, help="Seconds for a slap.")] = 0.2
    slap_timing: Annotated[
        SlapTiming,
        typer.Option(
            metavar="HOW",
            parser=one_of("isolated", "broadcast"),
            help="How slaps are timed: isolated or broadcast.",
        ),
    ] = "isolated"
    policy: Annotated[
        Literal["fallback", "forfeit"],
        typer.Option(
            metavar="POLICY",
            parser=one_of("fallback", "forfeit"),
            help="What a fault costs: fallback or forfeit.",
        ),
    ] = "fallback"
    strikes: Annotated[
        int | None, typer.Option(min=1, help="With fallback: how many faults forfeit the match; default: 10.")
    ] = None
    show_stderr: Annotated[
        bool,
        typer.Option(
            "--show-stderr", help="Show what the bots wrote to standard error, of several games the start in each."
        ),
    ] = False
    as_json: Json = False
    strict: Strict = False

    def check(self) -> None:
        """Raise CommandError where an option has no effect with the others."""
        if self.record is not None:
            check_record_file(self.record)
        if self.games == 1:
            refuse("--games 1", {"--fixed-seats": self.fixed_seats, "--verbose": self.verbose})
        if self.as_json:
            refuse("--json", {"--verbose": self.verbose})
        if self.policy == "forfeit":
            refuse("--policy forfeit", {"--strikes": self.strikes})

    @property
    def clocks(self) -> Clocks:
        """The clocks of every bot."""
        return Clocks(
            start_s=self.start_s,
            move_s=self.move_s,
            bank_s=self.bank_s,
            slap_s=self.slap_s,
            slap_timing=self.slap_timing,
        )

    @property
    def faults(self) -> FaultPolicy:
        """What a fault costs."""
        return FaultPolicy(policy=self.policy, strikes=self.strikes or FaultPolicy().strikes)

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
