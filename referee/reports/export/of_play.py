"""The rows of decisions and slaps, for which each match is played again from its record."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from protocol.events import Slapped
from referee.reports.export.of_matches import no_replay
from referee.reports.export.rows import DecisionRow, SlapRow
from referee.reports.export.scope import Scope
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
from referee.rules.secrets import TableEvent
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

R = TypeVar("R")


def decision_rows(store: Store, scope: Scope) -> Iterator[DecisionRow]:
    """A row for each decision but slaps of each match. Raises StoreError."""
    return _of_each(store, scope, _decisions)


def slap_rows(store: Store, scope: Scope) -> Iterator[SlapRow]:
    """A row for each bot in each slap window of each match. Raises StoreError."""
    return _of_each(store, scope, _slaps)


def _of_each(store: Store, scope: Scope, rows: Callable[[CommittedMatch, Record], Iterator[R]]) -> Iterator[R]:
    for row, data in store.with_records(scope.until):
        if not scope.has(row):
            continue
        try:
            yield from rows(row, read_record(data))
        except NoRecord as error:
            raise StoreError(f"{store.path}: the record of match #{row.id} is damaged ({error})") from None
        except (BrokenRecord, ValueError) as error:  # options that there cannot be, too
            raise no_replay(store, row.id, error) from None


def _decisions(row: CommittedMatch, record: Record) -> Iterator[DecisionRow]:
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
            yield _decision_row(row, game, place, ask, given)


def _decision_row(row: CommittedMatch, game: Game, place: int, ask: Ask, given: Given) -> DecisionRow:
    is_asked = was_asked(given, game.table.forfeited)
    return DecisionRow(
        match=row.number,
        id=row.id,
        game=row.identity.variant,
        place=place,
        round=game.table.round,
        turn=game.turn_number,
        seat=given.seat,
        bot=row.result.bots[given.seat],
        decision=ask.decision,
        action=str(given.action.__struct_config__.tag),
        asked=is_asked,
        time_us=given.time_us if is_asked else None,
        waived_us=given.waived_us if is_asked else None,
        joined=given.joined,
        fault=None if given.fault is None else given.fault.kind,
        forfeited=given.seat in game.table.forfeited,
    )


class _Opened(Struct, frozen=True, kw_only=True):
    """A slap window as it was when its answers came in."""

    move: GivenSlaps
    game: Game
    """The game as it is at the end."""
    discarder: int
    turn: int
    events: int
    """How many events there had been."""


def _slaps(row: CommittedMatch, record: Record) -> Iterator[SlapRow]:
    opened: list[_Opened] = []
    for game, move in walk(record):
        if isinstance(move, GivenSlaps):
            if not isinstance(game.question, Window):
                raise BrokenRecord(f"no slap window is open where window {move.window} is told")
            discarder = game.question.discarder
            opened.append(
                _Opened(move=move, game=game, discarder=discarder, turn=game.turn_number, events=len(game.events))
            )
    for number, one in enumerate(opened):
        end = opened[number + 1].events if number + 1 < len(opened) else None
        yield from _of_window(row, one, one.game.events[one.events : end])


def _of_window(row: CommittedMatch, window: _Opened, events: Sequence[TableEvent]) -> Iterator[SlapRow]:
    """A row for each seat of a window, after which these events came, up to the next one."""
    move, options = window.move, window.game.table.options
    margin_us = options.photo_finish_us if options.slap_order == "reaction" else None
    close = set() if margin_us is None else photo_finishes(move.reactions, margin_us)
    verdicts = {event.seat: event.verdict for event in events if isinstance(event, Slapped)}
    reactions = {reaction.seat: reaction for reaction in move.reactions}
    for seat, bot in enumerate(row.result.bots):
        own = reactions.get(seat, Reaction(seat=seat))
        yield SlapRow(
            match=row.number,
            id=row.id,
            game=row.identity.variant,
            round=move.round,
            turn=window.turn,
            window=move.window,
            seat=seat,
            bot=bot,
            discarder=seat == window.discarder,
            asked=_place(seat, move.asked),
            raw_us=own.raw_us,
            wait_us=own.wait_us,
            corrected_us=own.corrected_us,
            late=own.late,
            slapped=own.target is not None,
            lot=move.lots.index(seat) + 1,
            place=_place(seat, move.order),
            photo_finish=seat in close,
            verdict=verdicts.get(seat),
            fault=None if own.fault is None else own.fault.kind,
            disturbed=move.disturbed or None,
        )


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
