"""The tables of decisions and slaps, for which each match is played again from its record."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from msgspec import Struct

from protocol.events import Slapped
from referee.reports.export.columns import ExportTable, Scope
from referee.reports.export.of_matches import MATCH, SEAT, OfSeat, no_replay
from referee.rules.game import Game
from referee.rules.questions import Ask, Sealed, Window
from referee.rules.record import (
    BrokenRecord,
    Given,
    GivenSlaps,
    GivenTogether,
    NoRecord,
    Reaction,
    Record,
    read_record,
    walk,
    was_asked,
)
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

S = TypeVar("S")

Verdict = Literal["right", "wrong", "late"]
"""What becomes of a slap: it takes the card, the card is wrong, or it is right but another bot was first."""


def _of_each(sources: Callable[[CommittedMatch, Record], Iterator[S]]) -> Callable[[Store, Scope], Iterator[S]]:
    def of_all(store: Store, scope: Scope) -> Iterator[S]:
        for row, data in store.with_records(scope.until):
            if not scope.has(row):
                continue
            try:
                yield from sources(row, read_record(data))
            except NoRecord as error:
                raise StoreError(f"{store.path}: the record of match #{row.id} is damaged ({error})") from None
            except (BrokenRecord, ValueError) as error:  # options that there cannot be, too
                raise no_replay(store, row.id, error) from None

    return of_all


class _Decision(OfSeat, frozen=True, kw_only=True):
    place: int
    game: Game
    ask: Ask
    given: Given

    @property
    def asked(self) -> bool:
        """Whether the bot was asked."""
        return was_asked(self.given, self.game.table.forfeited)


def _decisions(row: CommittedMatch, record: Record) -> Iterator[_Decision]:
    place = 0
    for game, move in walk(record):
        if not isinstance(move, Given | GivenTogether):
            continue
        asks = game.question.asks if isinstance(game.question, Sealed) else (game.question,)
        answers = move.answers if isinstance(move, GivenTogether) else (move,)
        for ask, given in zip(asks, answers, strict=True):
            if not isinstance(ask, Ask) or ask.seat != given.seat:
                raise BrokenRecord(f"seat {given.seat} is not asked for decision {place + 1}")
            place += 1
            yield _Decision(row=row, seat=given.seat, place=place, game=game, ask=ask, given=given)


DECISIONS = ExportTable(
    _of_each(_decisions),
    {
        **MATCH,
        "place": ("int", lambda one: one.place),
        "round": ("int", lambda one: one.game.table.round),
        "turn": ("int", lambda one: one.game.turn_number),
        **SEAT,
        "decision": ("text", lambda one: one.ask.decision),
        "action": ("text", lambda one: str(one.given.action.__struct_config__.tag)),
        "asked": ("bool", lambda one: one.asked),
        "time_us": ("int?", lambda one: one.given.time_us if one.asked else None),
        "waived_us": ("int?", lambda one: one.given.waived_us if one.asked else None),
        "joined": ("bool", lambda one: one.given.joined),
        "fault": ("text?", lambda one: one.given.fault and one.given.fault.kind),
        "forfeited": ("bool", lambda one: one.seat in one.game.table.forfeited),
    },
)
"""A row for each decision but slaps of each match."""


class _Opened(Struct, frozen=True, kw_only=True):
    """A slap window as it was when its answers came in."""

    move: GivenSlaps
    discarder: int
    turn: int
    events: int
    """How many events there had been."""


class _Slap(OfSeat, frozen=True, kw_only=True):
    window: _Opened
    own: Reaction
    close: set[int]
    """The seats between whose slaps the lot decided."""
    verdicts: dict[int, Verdict]

    @property
    def move(self) -> GivenSlaps:
        """The answers of all seats."""
        return self.window.move


def _slaps(row: CommittedMatch, record: Record) -> Iterator[_Slap]:
    """A source for each seat of each window; what became of its slaps stands before the next window."""
    opened: list[_Opened] = []
    game = None
    for game, move in walk(record):
        if isinstance(move, GivenSlaps):
            if not isinstance(game.question, Window):
                raise BrokenRecord(f"no slap window is open where window {move.window} was recorded")
            discarder, turn, events = game.question.discarder, game.turn_number, len(game.events)
            opened.append(_Opened(move=move, discarder=discarder, turn=turn, events=events))
    if game is None:
        return
    options = game.table.options
    margin_us = options.photo_finish_us if options.slap_order == "reaction" else None
    for window, end in zip(opened, [*(one.events for one in opened), None][1:], strict=True):
        events_of = game.events[window.events : end]
        close = set() if margin_us is None else photo_finishes(window.move.reactions, margin_us)
        verdicts = {event.seat: event.verdict for event in events_of if isinstance(event, Slapped)}
        reactions = {reaction.seat: reaction for reaction in window.move.reactions}
        for seat in range(len(row.result.bots)):
            own = reactions.get(seat, Reaction(seat=seat))
            yield _Slap(row=row, seat=seat, window=window, own=own, close=close, verdicts=verdicts)


SLAPS = ExportTable(
    _of_each(_slaps),
    {
        **MATCH,
        "round": ("int", lambda one: one.move.round),
        "turn": ("int", lambda one: one.window.turn),
        "window": ("int", lambda one: one.move.window),
        **SEAT,
        "discarder": ("bool", lambda one: one.seat == one.window.discarder),
        "asked": ("int?", lambda one: _place(one.seat, one.move.asked)),
        "raw_us": ("float?", lambda one: one.own.raw_us),
        "wait_us": ("float?", lambda one: one.own.wait_us),
        "corrected_us": ("float?", lambda one: one.own.corrected_us),
        "late": ("bool", lambda one: one.own.late),
        "slapped": ("bool", lambda one: one.own.target is not None),
        "lot": ("int", lambda one: one.move.lots.index(one.seat) + 1),
        "place": ("int?", lambda one: _place(one.seat, one.move.order)),
        "photo_finish": ("bool", lambda one: one.seat in one.close),
        "verdict": ("text?", lambda one: one.verdicts.get(one.seat)),
        "fault": ("text?", lambda one: one.own.fault and one.own.fault.kind),
        "disturbed": ("text?", lambda one: one.move.disturbed or None),
    },
)
"""A row for each bot in each slap window of each match."""


def _place(seat: int, order: Sequence[int]) -> int | None:
    """Where a seat stands in an order, from 1; None where it does not."""
    return order.index(seat) + 1 if seat in order else None


def photo_finishes(reactions: Sequence[Reaction], margin_us: int) -> set[int]:
    """The seats of a window between whose slaps the lot decided (CAC-25).

    These are slaps that are less than the margin behind the fastest one that no earlier group has.
    """
    times = sorted((one.corrected_us or 0.0, one.seat) for one in reactions if one.target is not None)
    close: set[int] = set()
    while times:
        group = [seat for time_us, seat in times if time_us - times[0][0] < margin_us]
        close.update(group if len(group) > 1 else ())
        times = times[len(group) or 1 :]
    return close
