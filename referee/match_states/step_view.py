"""One step of a match as one viewer sees it: the public, a seat, or somebody who sees all cards.

Everything that depends on the viewer is decided here: cards, who knows them, words, moves, answers, and notes.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from protocol import events as wire
from protocol.actions import Target
from protocol.cards import Card
from referee.match_states.answers import answered, reacted
from referee.match_states.knowledge import hidden_order
from referee.match_states.replay import Replay, opened
from referee.match_states.state_diff import Plain
from referee.match_states.states import TOP_OF_PILE, Answered, Reacted
from referee.match_states.view import OPEN, Placed, View, Viewer, place
from referee.match_states.words import told
from referee.match_states.worth import Worth
from referee.rules.describe import power_in_words
from referee.rules.secrets import insiders, view
from referee.rules.variants import Variant, possible_pars


class StepView:
    """A step as one viewer sees it."""

    def __init__(self, replay: Replay, number: int, viewer: Viewer) -> None:
        self.step, self.viewer = replay.steps[number], viewer
        self._replay = replay

    # The table

    @property
    def table(self) -> View:
        """The table after the step; `known` in it are the cards that the viewer knows."""
        cards = self._replay.cards
        known = {one: cards[one] for one in self.step.knowledge.truth if self.step.knowledge.has(self.viewer, one)}
        return replace(self.step.view, known=cards if self.viewer == OPEN else known)

    def state(self, before: Plain, worth: Worth) -> Plain:
        """The state after the step, as plain data; what surely has not changed is shared with the state before it.

        `worth` is what the layouts are worth, where the viewer may know.
        """
        view, touched = self.step.view, self.step.touched
        slots = [
            [None if placed is None else self._slot(placed) for placed in layout]
            if seat in touched
            else before["seats"][seat]["slots"]
            for seat, layout in enumerate(view.layouts)
        ]
        return plain_state(view, slots, self._hand(), worth)

    def _hand(self) -> Plain:
        hand = self.step.view.hand
        if hand is None:
            return None
        cards, knows = [self._card(one) for one in hand.cards], [self._knows(one) for one in hand.cards]
        return {"seat": hand.seat, "cards": cards, "knows": knows}

    def _slot(self, placed: Placed) -> Plain:
        knows = [] if placed.up else self._knows(placed.number)
        return {"up": placed.up, "card": self._card(placed.number), "knows": knows}

    def _card(self, number: int) -> Card | None:
        return self._replay.cards.get(number) if self.step.knowledge.has(self.viewer, number) else None

    def _knows(self, number: int) -> list[list[Plain]]:
        known = self.step.knowledge.of(number, self.viewer)
        return [[seat, known[seat].step, known[seat].how] for seat in sorted(one for one in known if one is not None)]

    # What has happened

    @property
    def is_inside(self) -> bool:
        """Whether the viewer may see more of the event than the public."""
        return self.viewer is not None and (self.viewer == OPEN or self.viewer in insiders(self.step.event))

    @property
    def words(self) -> tuple[str, ...]:
        """What has happened, and indented what it means."""
        event, names = self.step.event, self._replay.names
        if self.viewer == OPEN:
            lines = told(opened(event), names, self._lying())
        else:
            lines = told(view(event, self.viewer), names)
        return (*lines, *(f"    {line}" for line in self._meaning()))

    @property
    def can_follow(self) -> bool:
        """Whether the viewer sees which card moved where."""
        hidden = hidden_order(self.step.event)
        return hidden is None or self.viewer == OPEN or self.viewer in hidden.to

    @property
    def answers(self) -> tuple[Answered, ...]:
        """What was answered since the step before: own answers for a seat, all for OPEN, none for the public."""
        answers = [one for answer in self._replay.answers_at(self.step) for one in answered(answer)]
        return tuple(one for one in answers if self.viewer in (OPEN, one.seat))

    @property
    def notes(self) -> Iterator[str]:
        """What the record has of the answers, for the terminal: to a seat what it was told, to all others everything.

        No seat is told a time during a match.
        """
        is_seat = self.viewer not in (None, OPEN)
        for answer in self._replay.answers_at(self.step):
            for one in answered(answer):
                if one.time_us and not is_seat:
                    yield f"    {one.seat} answered in {_time(one.time_us)}"
                yield from self._remarks(one)
            for slap in reacted(answer):
                if slap.target is not None and slap.corrected_us and not is_seat:
                    yield f"    {slap.seat} slapped in {_time(slap.corrected_us)}"
                yield from self._remarks(slap)

    def _remarks(self, one: Answered | Reacted) -> Iterator[str]:
        """The comment on an answer, and what was wrong with it."""
        if self.viewer not in (None, OPEN, one.seat):
            return
        if one.comment:
            yield f"    {one.seat} comments: {one.comment}"
        if one.fault is not None:
            what = "forfeits" if one.fault.forfeits else "is at fault"
            yield f"    {one.seat} {self._replay.names[one.seat]} {what}: {one.fault.kind}: {one.fault.detail}"

    def _meaning(self) -> Iterator[str]:
        """What the rules say of the event that its words do not tell."""
        event, variant = self.step.event, self._replay.variant
        if isinstance(event, wire.Round) and (par := par_of(variant, event.rows)) is not None:
            yield f"Hole {event.round}, par {par}."
        if power := power_in_words(variant, event):
            yield power

    def _lying(self) -> Mapping[Target, Card]:
        """The cards of all layouts, by seat and slot."""
        return {
            (seat, slot): self._replay.cards[placed.number]
            for seat, layout in enumerate(self.step.view.layouts)
            for slot, placed in enumerate(layout)
            if placed is not None and placed.number in self._replay.cards
        }


def plain_state(view: View, slots: Sequence[Plain], hand: Plain, worth: Worth = None) -> Plain:
    """A state (states.py) as plain data: what everybody sees of a table, and what depends on the viewer."""
    return {
        "round": view.round,
        "playoff": view.playoff,
        "dealer": view.dealer,
        "turn": view.turn,
        "ender": view.knocker,
        "stock": view.stock,
        "pile": {"count": len(view.pile), "top": _cards(view.pile[-TOP_OF_PILE:])},
        "hand": hand,
        "seats": [
            {
                "slots": slots[seat],
                "places": _places(view.rows, view.columns, len(view.layouts[seat])),
                "shields": _cards(view.shields[seat]),
                "strokes": sorted(view.strokes[seat]),
                "total": view.totals[seat],
                "score": view.scores[seat] if view.scores else None,
                "worth": worth[seat] if worth else None,
                "forfeited": seat in view.forfeited,
            }
            for seat in range(view.seats)
        ],
    }


@cache
def _places(rows: int, columns: int, slots: int) -> list[list[int]]:
    """The row and the column of each slot."""
    return [[*place(rows, columns, slot)] for slot in range(slots)]


def _cards(cards: Sequence[Card]) -> list[Card | None]:
    """Cards of the pile or shields; `?` stands for what the viewer was not told."""
    return [None if card == "?" else card for card in cards]


def par_of(variant: Variant, rows: int) -> int | None:
    """The par of a hole with layouts of so many rows, which are as many as its par; None in games without par."""
    return rows if possible_pars(variant.options) else None


def _time(microseconds: float) -> str:
    return f"{microseconds / 1e3:.3g} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.3g} s"
