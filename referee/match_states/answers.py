"""What the bots answered, and the slap windows, as data: what everybody was told, and for some viewers more."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from protocol import events as wire
from protocol.text import printable
from referee.match_states.replay import Answer, Replay
from referee.match_states.states import Answered, FaultOfStep, Reacted, SlapOfWindow, SlapWindow
from referee.match_states.view import OPEN, Viewer
from referee.match_states.words import NOTE_LIMIT
from referee.reports.faults import published_detail
from referee.rules.questions import Ask, Sealed, Window
from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Mishap, Reaction


def answered(answer: Answer) -> Iterator[Answered]:
    """What was answered; slaps stand with their windows."""
    match answer.move, answer.question:
        case Given() as given, Ask(decision=decision):
            yield _given(given, decision, answer)
        case GivenTogether(answers=answers), Sealed(asks=asks):
            yield from (_given(given, ask.decision, answer) for given, ask in zip(answers, asks, strict=True))
        case Forfeit(seat=seat, fault=fault), _:
            yield Answered(seat=seat, fault=_fault(fault, forfeits=True))


def _given(given: Given, decision: str, answer: Answer) -> Answered:
    return Answered(
        seat=given.seat,
        decision=decision,
        action=given.action,
        time_us=given.time_us,
        waived_us=given.waived_us,
        joined=given.joined,
        fault=None if given.fault is None else _fault(given.fault),
        comment=answer.comments.get(given.seat, ""),
    )


def windows(replay: Replay, viewer: Viewer) -> Iterator[SlapWindow]:
    """The slap windows, in order. A seat is told its own times, OPEN all times, and the public none."""
    for answer in replay.answers:
        if isinstance(answer.move, GivenSlaps) and isinstance(answer.question, Window):
            yield _window(replay, answer, answer.move, answer.question, viewer)


def reacted(answer: Answer) -> Iterator[Reacted]:
    """What the seats did in a slap window, with their times."""
    if isinstance(answer.move, GivenSlaps):
        yield from (_reacted(one, answer) for one in answer.move.reactions)


def _window(replay: Replay, answer: Answer, move: GivenSlaps, question: Window, viewer: Viewer) -> SlapWindow:
    steps = list(takewhile(lambda step: step.moment == replay.steps[answer.step].moment, replay.steps[answer.step :]))
    options, is_open = replay.variant.options, viewer == OPEN
    return SlapWindow(
        at=f"r{move.round}w{move.window}",
        round=move.round,
        number=move.window,
        step=answer.step,
        steps=len(steps),
        discarder=question.discarder,
        discard=answer.top or "",
        slaps=tuple(
            SlapOfWindow(seat=one.seat, target=one.target, card=one.card.value, verdict=one.verdict, step=step.number)
            for step in steps
            if isinstance(one := step.event, wire.Slapped) and one.card.value is not None
        ),
        slap_order=options.slap_order,
        photo_finish_us=options.photo_finish_us,
        reactions=tuple(one for one in reacted(answer) if is_open or one.seat == viewer),
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
        fault=None if fault is None else _fault(fault),
        comment=answer.comments.get(reaction.seat, ""),
    )


def _fault(mishap: Mishap, *, forfeits: bool = False) -> FaultOfStep:
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
