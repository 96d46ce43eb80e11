"""Makes the states documents of a match, one for each viewer, from one replay."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from protocol.text import printable
from referee.match_states.answers import windows
from referee.match_states.card_moves import card_moves, concerned
from referee.match_states.knowledge import hidden_order, kind_of
from referee.match_states.replay import Replay, ReplayedStep
from referee.match_states.state_diff import Plain, state_diff
from referee.match_states.states import BotOfMatch, Document, RoundOfMatch, State, Step, Swing, Wire, WireEntry
from referee.match_states.step_view import StepView, par_of, plain_state
from referee.match_states.view import OPEN, Viewer
from referee.match_states.worth import Scorer, Worth, lead
from referee.reports.bot_match import Entry, Faulted, on_wires
from referee.reports.faults import published_detail
from referee.rules.record import Mishap, Record
from referee.rules.secrets import TableEvent


def document(record: Record, viewer: Viewer) -> Document:
    """The match as this viewer may know it. Raises as `documents` does."""
    return documents(record, [viewer])[0]


def documents(record: Record, viewers: Sequence[Viewer]) -> list[Document]:
    """The match as each of these viewers may know it: None is the public, OPEN sees all cards.

    Raises BrokenRecord where the record does not replay, and ValueError for options that there cannot be.
    """
    replay = Replay(record)
    scorer = Scorer(replay.variant, replay.cards)
    worths = [scorer.worth(step.view) for step in replay.steps]
    start = plain_state(replay.blank, [[None] * len(layout) for layout in replay.blank.layouts], None)
    builders = [_Builder(viewer, start) for viewer in viewers]
    for step, worth in zip(replay.steps, worths, strict=True):
        shared = _shared(replay, step)
        for builder in builders:
            builder.add(shared, StepView(replay, step.number, builder.viewer), worth)
    wires = _wires(record) if set(viewers) != {None} else ()
    swings = tuple(_swings(replay, [None] * len(worths)))
    public = Document(
        golfref=record.golfref,
        preset=record.preset,
        game=printable(record.name, 100),
        view="public",
        bots=tuple(
            BotOfMatch(name=name, owner=printable(bot.owner, 100))
            for name, bot in zip(replay.names, record.seats, strict=True)
        ),
        rows=replay.variant.rows,
        columns=replay.variant.columns,
        totals=record.result.totals,
        ranks=record.result.ranks,
        start=msgspec.convert(start, State),
        steps=(),
        rounds=tuple(_rounds(replay)),
    )
    return [
        replace(
            public,
            view="public" if viewer is None else "open" if viewer == OPEN else "seat",
            seat=None if viewer == OPEN else viewer,
            steps=tuple(builder.steps),
            windows=tuple(windows(replay, viewer)),
            swings=tuple(_swings(replay, worths)) if viewer == OPEN else swings,
            wires=tuple(wire for wire in wires if viewer in (OPEN, wire.seat)),
        )
        for viewer, builder in zip(viewers, builders, strict=True)
    ]


class _Builder:
    """The steps of one viewer's document, up to the latest one."""

    def __init__(self, viewer: Viewer, start: Plain) -> None:
        self.viewer = viewer
        self.steps: list[Step] = []
        self._state = start

    def add(self, shared: Step, seen: StepView, worth: Worth) -> None:
        """Add a step: what all viewers share of it, and what this one sees."""
        state = seen.state(self._state, worth if self.viewer == OPEN else None)
        self.steps.append(
            replace(
                shared,
                words=seen.words if seen.is_inside else shared.words,
                moved=shared.moved if seen.can_follow else (),
                answers=seen.answers,
                changes=tuple(state_diff(self._state, state)),
            )
        )
        self._state = state


def _shared(replay: Replay, step: ReplayedStep) -> Step:
    """A step as far as all viewers see it alike; its words are the public ones, and all moves are in it."""
    event, moment, public, hidden = (
        step.event,
        step.moment,
        StepView(replay, step.number, None),
        hidden_order(step.event),
    )
    return Step(
        at=step.at,
        round=moment.round,
        turn=moment.turn,
        window=moment.window,
        event=kind_of(event),
        seat=getattr(event, "seat", None),
        against=_against(event),
        power=getattr(event, "power", None),
        words=public.words,
        cards=concerned(event, step.view),
        moved=tuple(card_moves(event, replay.before(step), step.view)),
        blinds=() if hidden is None else tuple(one for one in range(step.view.seats) if one not in hidden.to),
    )


def _against(event: TableEvent) -> int | None:
    """The other seat that something was done to."""
    of = getattr(event, "of", getattr(event, "against", None))
    target = getattr(event, "target", None)
    other = of if of is not None or target is None else target[0]
    return None if other == getattr(event, "seat", None) else other


def _rounds(replay: Replay) -> Iterator[RoundOfMatch]:
    """The rounds that are over."""
    first, ends = 0, iter(replay.record.result.rounds)
    for step in replay.steps:
        if kind_of(step.event) == "round":
            first = step.number
        if kind_of(step.event) == "scored":
            result = next(ends)
            yield RoundOfMatch(
                round=step.view.round,
                playoff=result.playoff,
                first=first,
                last=step.number,
                scores=result.scores,
                totals=step.view.totals,
                par=par_of(replay.variant, step.view.rows),
                ender=result.ender,
                capped=result.capped,
            )


def _swings(replay: Replay, worths: Sequence[Worth]) -> Iterator[Swing]:
    """Where the lead changes. A playoff round joins no total."""
    leaders: tuple[int, ...] = tuple(range(len(replay.names)))
    for step, worth in zip(replay.steps, worths, strict=True):
        if step.view.playoff:
            return
        totals = step.view.totals
        found, by = lead(
            totals if worth is None else [sum(both) for both in zip(totals, worth, strict=True)], step.view.forfeited
        )
        if found != leaders:
            leaders = found
            yield Swing(step=step.number, leaders=leaders, by=by)


def _wires(record: Record) -> tuple[Wire, ...]:
    """What passed on the wire of each seat, by seat."""
    entries: list[list[WireEntry]] = [[] for _ in record.seats]
    for one in on_wires(record, range(len(record.seats))):
        entries[one.seat].append((one.events - 1, _published(one.entry)))
    return tuple(
        Wire(
            seat=seat,
            entries=tuple(entries[seat]),
            wrote_lines=bot.wrote_lines,
            wrote_bytes=bot.wrote_bytes,
            stderr=bot.stderr,
            stderr_bytes=bot.stderr_bytes,
        )
        for seat, bot in enumerate(record.seats)
    )


def _published(entry: Entry) -> Entry:
    """The entry as everybody may read it: a fault without paths of the organiser's host."""
    if isinstance(entry, Faulted):
        return replace(entry, detail=published_detail(Mishap(kind=entry.kind, detail=entry.detail)))
    return entry
