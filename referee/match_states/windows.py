"""The slap windows of a match as data: what everybody was told of them, and the times for those who may have them."""

from collections.abc import Iterator, Sequence

from protocol import events as wire
from protocol.text import printable
from referee.match_states.reel import Answer, Reel
from referee.match_states.states import FaultOfStep, Reacted, SlapOfWindow, SlapWindow
from referee.match_states.view import OPEN, Viewer
from referee.match_states.words import NOTE_LIMIT
from referee.reports.faults import published_detail
from referee.rules.questions import Window
from referee.rules.record import GivenSlaps, Mishap, Reaction


def windows(reel: Reel, viewer: Viewer) -> Iterator[SlapWindow]:
    """The slap windows, in order. A seat is told its own times, OPEN all times, and the public none."""
    for answer in reel.answers:
        if isinstance(answer.move, GivenSlaps) and isinstance(answer.question, Window):
            yield _window(reel, answer, answer.move, answer.question, viewer)


def _window(reel: Reel, answer: Answer, move: GivenSlaps, question: Window, viewer: Viewer) -> SlapWindow:
    options, is_open = reel.variant.options, viewer == OPEN
    steps = [number for number in range(answer.first, answer.first + answer.events) if reel.moments[number].window]
    return SlapWindow(
        at=f"r{move.round}w{move.window}",
        round=move.round,
        number=move.window,
        step=answer.first,
        steps=len(steps),
        discarder=question.discarder,
        discard=answer.top or "",
        slaps=tuple(
            SlapOfWindow(seat=one.seat, target=one.target, card=one.card.value, verdict=one.verdict, step=number)
            for number in steps
            if isinstance(one := reel.events[number], wire.Slapped) and one.card.value is not None
        ),
        slap_order=options.slap_order,
        photo_finish_us=options.photo_finish_us,
        reactions=tuple(_reacted(one, answer) for one in move.reactions if is_open or one.seat == viewer),
        asked=move.asked if is_open else (),
        order=move.order if is_open else (),
        lots=move.lots if is_open else (),
        groups=tuple(_groups(move, options.photo_finish_us)) if is_open and options.slap_order == "reaction" else (),
        disturbed=move.disturbed if is_open else "",
    )


def _reacted(reaction: Reaction, answer: Answer) -> Reacted:
    fault = reaction.fault
    return Reacted(
        seat=reaction.seat,
        target=reaction.target,
        raw_us=reaction.raw_us,
        wait_us=reaction.wait_us,
        corrected_us=reaction.corrected_us,
        late=reaction.late,
        hint=reaction.hint,
        fault=None if fault is None else fault_of(fault),
        comment=answer.comments.get(reaction.seat, ""),
    )


def fault_of(mishap: Mishap, *, forfeits: bool = False) -> FaultOfStep:
    """A fault, with its texts made safe to show, and without paths of the organiser's host."""
    return FaultOfStep(
        kind=mishap.kind,
        detail=printable(published_detail(mishap), NOTE_LIMIT),
        line=printable(mishap.line, NOTE_LIMIT),
        forfeits=forfeits,
    )


def _groups(move: GivenSlaps, margin_us: int) -> Iterator[tuple[int, ...]]:
    """The photo finishes (CAC-25): those that slapped, by group, in the order that came out."""
    times = {one.seat: one.corrected_us or 0.0 for one in move.reactions if one.target is not None}
    waiting: Sequence[int] = move.order
    while waiting:
        fastest = min(times[seat] for seat in waiting)
        group = tuple(seat for seat in waiting if times[seat] == fastest or times[seat] - fastest < margin_us)
        yield group
        waiting = [seat for seat in waiting if seat not in group]
