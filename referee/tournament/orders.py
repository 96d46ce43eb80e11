"""Orders to play matches of the plan, and the reports of what became of them. Nothing is played here."""

import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct

from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.play.match import MatchSetup
from referee.play.process.pool import Reuse
from referee.play.spec import BotSpec, Confinement
from referee.rules.counts import actions_of
from referee.rules.keyed_streams import bot_seed
from referee.rules.options import Options
from referee.rules.record import GivenSlaps, Record
from referee.rules.variants import Variant
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.results import Result

ATTEMPTS = 3
"""How often a match that the referee or its host spoils is played at most."""

Part = Literal["together", "alone"]
"""Who plays a match of a round: all workers together, or after them one worker alone, which times slaps then."""


def part_of(options: Options, clocks: Clocks) -> Part:
    """Who plays the matches of a game. Slap windows with broadcast timing need no quiet host."""
    return "alone" if options.times_slaps and clocks.slap_timing == "isolated" else "together"


class SessionSetup(Struct, frozen=True, kw_only=True, tag=True):
    """Everything that is fixed before a session's first match. Each worker gets it before its first job."""

    variants: Mapping[str, Variant]
    """By name in tables, the games as blocks play them."""
    bots: tuple[BotSpec, ...]
    """In the order of the config, as they start on this host."""
    shares_cards: bool
    """Whether all matches of a block have the same cards."""
    clocks: Clocks
    faults: FaultPolicy
    confinement: Confinement
    games: tuple[GameMessage, ...]
    """All games that will be played, as `hello` lists them."""
    reuse: Reuse

    def match_setup(self, planned_match: PlannedMatch) -> MatchSetup:
        """A match of the plan, ready to be played."""
        key, rotation = planned_match.deal_key, planned_match.rotation
        return MatchSetup(
            variant=self.variants[planned_match.variant],
            name=planned_match.variant,
            bots=tuple(self.bots[bot] for bot in planned_match.lineup),
            seeds=tuple(bot_seed(key, rotation, seat) for seat in range(len(planned_match.lineup))),
            deal_key=key,
            block=planned_match.block if self.shares_cards else planned_match.number,
            clocks=self.clocks,
            faults=self.faults,
            confinement=self.confinement,
            games=self.games,
        )


class Job(Struct, frozen=True, kw_only=True, tag=True):
    """An order to play matches of one block, one after another."""

    id: int
    """No other job of the dispatcher has it."""
    part: Part
    """Who plays it."""
    matches: tuple[PlannedMatch, ...]
    """In the order of play."""
    is_whole: bool = False
    """Whether they are all that is left of a block with timed slaps, and so must be played on one host. Of other jobs
    the last matches may come back unplayed."""
    host: str = ""
    """The only host that may play it, because it has played others of the block; empty where any may."""


class Stop(Struct, frozen=True, tag=True):
    """An order to a worker: it begins no match from now on, and reports those of its orders that it has not begun."""


class Begun(Struct, frozen=True, kw_only=True, tag=True):
    """A match is played from now on."""

    number: int


class Played(Struct, frozen=True, kw_only=True, tag=True):
    """A match has ended."""

    result: Result
    hash: str
    """SHA-256 of the record's JSON, in hexadecimal."""
    record: bytes
    """The record's JSON, compressed by zlib."""

    @property
    def number(self) -> int:
        """Which match it is."""
        return self.result.number


class Spoiled(Struct, frozen=True, kw_only=True, tag=True):
    """A match was spoiled by the referee or its host."""

    number: int
    reason: str


class Unplayed(Struct, frozen=True, kw_only=True, tag=True):
    """A match was ordered, and is not played: the run stops, or its job has lasted for too long."""

    number: int


class Heartbeat(Struct, frozen=True, tag=True):
    """Nothing has happened, but the worker is alive."""


Report = Begun | Played | Spoiled | Unplayed | Heartbeat


def played(planned_match: PlannedMatch, record: Record) -> Played:
    """The report of a match that has ended."""
    data = msgspec.json.encode(record)
    return Played(
        result=result_of(planned_match, record), hash=sha256(data).hexdigest(), record=zlib.compress(data, level=6)
    )


def result_of(planned_match: PlannedMatch, record: Record) -> Result:
    """The result of a match, from which standings are computed."""
    windows = [move for move in record.moves if isinstance(move, GivenSlaps)]
    return Result(
        number=planned_match.number,
        variant=planned_match.variant,
        block=planned_match.block,
        deal=planned_match.deal,
        rotation=planned_match.rotation,
        redeals=planned_match.redeals,
        versions_before=planned_match.versions_before,
        bots=tuple(seat.name for seat in record.seats),
        totals=record.result.totals,
        ranks=record.result.ranks,
        rounds=sum(not one.playoff for one in record.result.rounds),
        forfeited=tuple(seat.forfeited for seat in record.seats),
        faults=tuple(seat.faults for seat in record.seats),
        late_slaps=tuple(seat.late_slaps for seat in record.seats),
        actions=tuple(actions_of(seat, one, record.result.rounds) for seat, one in enumerate(record.counts)),
        windows=len(windows),
        disturbed=sum(bool(window.disturbed) for window in windows),
        lag_us=record.lag_us,
        idle_cpu_ms=tuple(idle) if any(idle := [seat.idle_cpu_ms for seat in record.seats]) else (),
        counts_cpu=record.counts_cpu,
    )
