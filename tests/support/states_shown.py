"""The states that documents tell, and whether they are what the rules' table holds."""

from collections.abc import Sequence
from typing import Any

import msgspec

from referee.match_states.documents import document
from referee.match_states.states import Change, Document, State
from referee.match_states.view import OPEN
from referee.rules.questions import Ask
from referee.rules.record import Record, walk
from referee.rules.table import Table


def states(made: Document) -> list[State]:
    """The state after each step, made as the page about documents says."""
    state: Any = msgspec.to_builtins(made.start)
    found = []
    for step in made.steps:
        state = apply(state, step.changes)
        found.append(msgspec.convert(state, State))
    return found


def apply(state: Any, changes: Sequence[Change]) -> Any:
    """The state, made of plain dicts and lists, with the changes made. What has not changed is shared with it."""
    for path, value in changes:
        state = _set(state, path, value)
    return state


def _set(state: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    copy: Any = dict(state) if isinstance(state, dict) else list(state)
    copy[path[0]] = _set(copy[path[0]], path[1:], value)
    return copy


def check(state: State, table: Table) -> None:
    """The state with all cards open is what the table holds."""
    assert (state.round, state.playoff, state.dealer) == (table.round, table.playoff, table.dealer)
    assert (state.ender, state.stock, state.pile.count) == (table.ended_by, len(table.stock), len(table.pile))
    assert state.pile.top == tuple(table.pile[-3:])
    held = tuple(card for card in (table.hand, *table.extra) if card is not None)
    assert (state.hand.cards if state.hand else ()) == held
    for seat, now in enumerate(state.seats):
        lies = tuple(None if slot is None else (slot.card, slot.up) for slot in table.layouts[seat])
        assert tuple(None if slot is None else (slot.card, slot.up) for slot in now.slots) == lies
        assert len(now.places) == len(lies) == len(set(now.places))
        assert now.shields == tuple(table.shields[seat])
        assert now.strokes == tuple(sorted(table.strokes[seat]))
        assert (now.total, now.forfeited) == (table.totals[seat], seat in table.forfeited)


def check_at_every_question(record: Record) -> None:
    """The turn may go on by an answer that nobody is told, such as a flip that is declined."""
    found = states(document(record, OPEN))
    latest = {len(game.events): number for number, (game, _) in enumerate(walk(record))}
    for number, (game, _) in enumerate(walk(record)):
        question, events = game.question, len(game.events)
        if events and not (isinstance(question, Ask) and question.decision == "par"):  # the next deal is to come
            check(found[events - 1], game.table)
            assert latest[events] != number or found[events - 1].turn == game.table.turn
