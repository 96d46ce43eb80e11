"""Makes the states documents of a match: the public one, and those of seats and of open cards as additions to it.

The match is played again once. Then all documents grow step by step, side by side: only what an event has changed is
looked at, and what everybody sees alike is made once.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from protocol import events
from protocol.actions import Target
from protocol.cards import Card
from protocol.text import printable
from referee.match_states.answers import answers_of
from referee.match_states.cells import Eyes, Plain, apply, blank, shared_changes, slot_changes, value_changes
from referee.match_states.knowledge import Knowledge, hidden_order, kind_of
from referee.match_states.marks import concerned, moves
from referee.match_states.reel import Reel, opened
from referee.match_states.states import (
    Additions,
    BotOfMatch,
    Change,
    Document,
    MoreOfStep,
    RoundOfMatch,
    State,
    Step,
    Swing,
    Wire,
    WireEntry,
)
from referee.match_states.view import OPEN, View, Viewer
from referee.match_states.windows import windows
from referee.match_states.words import told
from referee.match_states.worth import Scorer, Worth, lead
from referee.reports.bot_match import Entry, Faulted, on_wires
from referee.reports.faults import published_detail
from referee.rules.describe import power_in_words
from referee.rules.record import Mishap, Record
from referee.rules.secrets import TableEvent, insiders, view
from referee.rules.variants import Variant, possible_pars


class Documents:
    """The documents of a match."""

    def __init__(self, record: Record) -> None:
        """Raises BrokenRecord where the record does not replay, and ValueError for options that there cannot be."""
        self._record, self._reel = record, Reel(record)
        reel = self._reel
        self.names = [printable(bot.name, 40) for bot in record.seats]
        """Of the bots, by seat; they are safe to show."""
        self._knowledge = Knowledge(reel.blank)
        self._public = _Side(reel, None, self._knowledge)
        self._others = {viewer: _Side(reel, viewer, self._knowledge) for viewer in (*range(len(record.seats)), OPEN)}
        self._answers = answers_of(reel)
        self._told: dict[Viewer, tuple[str, ...]] = {}
        self._steps: list[Step] = []
        self._worths: list[Worth] = []
        scorer, before = Scorer(reel.variant, reel.cards), reel.blank
        for number, after in enumerate(reel.views):
            self._worths.append(scorer.worth(after))
            self._take(number, before, after)
            before = after

    @property
    def viewers(self) -> tuple[int, ...]:
        """Who has additions: the seats, and OPEN."""
        return (*range(len(self.names)), OPEN)

    @cached_property
    def public(self) -> Document:
        """The match as the public sees it."""
        record, reel = self._record, self._reel
        return Document(
            golfref=record.golfref,
            preset=record.preset,
            game=printable(record.name, 100),
            view="public",
            bots=tuple(
                BotOfMatch(name=name, owner=printable(bot.owner, 100))
                for name, bot in zip(self.names, record.seats, strict=True)
            ),
            rows=reel.variant.rows,
            columns=reel.variant.columns,
            totals=record.result.totals,
            ranks=record.result.ranks,
            start=msgspec.convert(blank(reel.blank), State),
            steps=tuple(self._steps),
            rounds=tuple(_rounds(reel)),
            windows=tuple(windows(reel, None)),
            swings=tuple(_swings(reel, [None] * len(reel.views))),
        )

    def additions(self, viewer: int) -> Additions:
        """What makes the document of a seat, or that of OPEN, out of the public one."""
        is_open = viewer == OPEN
        return Additions(
            view="open" if is_open else "seat",
            seat=None if is_open else viewer,
            more=tuple(self._others[viewer].more),
            windows=tuple(windows(self._reel, viewer)),
            swings=tuple(_swings(self._reel, self._worths)) if is_open else self.public.swings,
            wires=() if is_open else (self.wires[viewer],),
        )

    def document(self, viewer: Viewer) -> Document:
        """The whole document of a viewer."""
        if viewer is None:
            return self.public
        own = joined(self.public, self.additions(viewer))
        return replace(own, wires=self.wires) if viewer == OPEN else own

    def told(self, viewer: Viewer) -> tuple[str, ...]:
        """Every event as JSON, as it was told to a seat, or with None to everybody else."""
        if viewer not in self._told:
            events = self._reel.events
            self._told[viewer] = tuple(msgspec.json.encode(view(one, viewer)).decode() for one in events)
        return self._told[viewer]

    @cached_property
    def wires(self) -> tuple[Wire, ...]:
        """What passed on the wire of each seat, by seat."""
        record = self._record
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

    def _take(self, number: int, before: View, after: View) -> None:
        """Add a step to all documents."""
        event, moment = self._reel.events[number], self._reel.moments[number]
        seats = self._knowledge.follow(number, event, after, self._reel.known[number])
        changes = tuple(self._public.changes(seats, after, ()))
        inside = insiders(event)
        hidden = hidden_order(event)
        moved = tuple(moves(event, before, after))
        meaning = tuple(f"    {line}" for line in self._meaning(event))
        words = (*told(view(event, None), self.names), *meaning)
        self._steps.append(
            Step(
                at=self._reel.names[number],
                round=moment.round,
                turn=moment.turn,
                window=moment.window,
                event=kind_of(event),
                seat=getattr(event, "seat", None),
                against=_against(event),
                power=getattr(event, "power", None),
                words=words,
                cards=concerned(event, after),
                moved=moved if hidden is None else (),
                blinds=() if hidden is None else tuple(one for one in range(after.seats) if one not in hidden.to),
                changes=(*shared_changes(before, after), *changes),
            )
        )
        answers = self._answers.get(number, ())
        for viewer, side in self._others.items():
            is_open = viewer == OPEN
            own_words = words
            if is_open:
                own_words = (*told(opened(event), self.names, _lying(after, self._reel.cards)), *meaning)
            elif viewer in inside:
                own_words = (*told(view(event, viewer), self.names), *meaning)
            sees_moves = hidden is not None and (is_open or viewer in hidden.to)
            side.take(
                number,
                words=None if own_words == words else own_words,
                moved=moved if sees_moves and moved else None,
                answers=tuple(one for one in answers if is_open or one.seat == viewer),
                changes=(
                    *side.changes(seats, after, changes),
                    *(self._worth_changes(number) if is_open else ()),
                ),
            )

    def _meaning(self, event: TableEvent) -> Iterator[str]:
        """What the rules say of an event that its words do not tell."""
        if isinstance(event, events.Round) and (par := _par(self._reel.variant, event.rows)) is not None:
            yield f"Hole {event.round}, par {par}."
        if power := power_in_words(self._reel.variant, event):
            yield power

    def _worth_changes(self, number: int) -> Iterator[Change]:
        nothing = (None,) * len(self.names)
        old, new = (self._worths[one] or nothing if one >= 0 else nothing for one in (number - 1, number))
        for seat, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                yield ("seats", seat, "worth"), after


class _Side:
    """A document as far as it differs from viewer to viewer, up to the latest step."""

    def __init__(self, reel: Reel, viewer: Viewer, knowledge: Knowledge) -> None:
        self.eyes = Eyes(viewer, knowledge, reel.cards)
        self.more: list[MoreOfStep] = []
        self._now: Plain = {
            "seats": [{"slots": self.eyes.slots(layout)} for layout in reel.blank.layouts],
            "hand": None,
        }

    def changes(self, seats: set[int], after: View, public: Sequence[Change]) -> list[Change]:
        """What changes besides the public changes: in the slots of these seats, and in the hand."""
        base = apply(self._now, public) if public else self._now
        found: list[Change] = []
        for seat in sorted(seats):
            slots = self.eyes.slots(after.layouts[seat])
            found += slot_changes(("seats", seat, "slots"), base["seats"][seat]["slots"], slots)
        found += value_changes(("hand",), base["hand"], self.eyes.hand(after.hand))
        self._now = apply(base, found) if found else base
        return found

    def take(self, number: int, **more: Any) -> None:
        """Note what a step has besides the public one."""
        if any(value not in (None, ()) for value in more.values()):
            self.more.append(MoreOfStep(step=number, **more))


def joined(public: Document, own: Additions) -> Document:
    """The document that the additions make out of the public one."""
    more: Mapping[int, MoreOfStep] = {one.step: one for one in own.more}
    return replace(
        public,
        view=own.view,
        seat=own.seat,
        steps=tuple(_joined(step, more.get(number)) for number, step in enumerate(public.steps)),
        windows=own.windows,
        swings=own.swings,
        wires=own.wires,
    )


def _joined(step: Step, more: MoreOfStep | None) -> Step:
    if more is None:
        return step
    return replace(
        step,
        words=step.words if more.words is None else more.words,
        moved=step.moved if more.moved is None else more.moved,
        answers=more.answers,
        changes=(*step.changes, *more.changes),
    )


def _published(entry: Entry) -> Entry:
    """The entry as everybody may read it: a fault without paths of the organiser's host."""
    if isinstance(entry, Faulted):
        return replace(entry, detail=published_detail(Mishap(kind=entry.kind, detail=entry.detail)))
    return entry


def _par(variant: Variant, rows: int) -> int | None:
    """The par of a hole with layouts of so many rows, which are as many as its par; None in games without par."""
    return rows if possible_pars(variant.options) else None


def _lying(after: View, cards: Mapping[int, Card]) -> dict[Target, Card]:
    """The cards of all layouts, by seat and slot."""
    return {
        (seat, slot): cards[placed.number]
        for seat, layout in enumerate(after.layouts)
        for slot, placed in enumerate(layout)
        if placed is not None and placed.number in cards
    }


def _against(event: TableEvent) -> int | None:
    """The other seat that something was done to."""
    of = getattr(event, "of", getattr(event, "against", None))
    target = getattr(event, "target", None)
    other = of if of is not None or target is None else target[0]
    return None if other == getattr(event, "seat", None) else other


def _rounds(reel: Reel) -> Iterator[RoundOfMatch]:
    """The rounds that are over."""
    first, ends = 0, iter(reel.record.result.rounds)
    for number, view_ in enumerate(reel.views):
        tag = kind_of(reel.events[number])
        if tag == "round":
            first = number
        if tag == "scored":
            result = next(ends)
            yield RoundOfMatch(
                round=view_.round,
                playoff=result.playoff,
                first=first,
                last=number,
                scores=result.scores,
                totals=view_.totals,
                par=_par(reel.variant, view_.rows),
                ender=result.ender,
                capped=result.capped,
            )


def _swings(reel: Reel, worths: Sequence[Worth]) -> Iterator[Swing]:
    """Where the lead changes. A playoff round joins no total."""
    leaders: tuple[int, ...] = tuple(range(len(reel.record.seats)))
    for number, (now, worth) in enumerate(zip(reel.views, worths, strict=True)):
        if now.playoff:
            return
        totals = now.totals if worth is None else [sum(both) for both in zip(now.totals, worth, strict=True)]
        found, by = lead(totals, now.forfeited)
        if found != leaders:
            leaders = found
            yield Swing(step=number, leaders=leaders, by=by)
