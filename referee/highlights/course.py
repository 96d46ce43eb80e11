"""What a replay tells of the slaps and the powers of a match, with their worth by the rules' own scoring."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from protocol import events as wire
from referee.film.worth import Layout, Layouts
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.record import Record, walk
from referee.rules.scoring.knocker import score_round
from referee.rules.secrets import TableEvent
from referee.rules.variants import Variant

Lying = tuple[list[Layout], int | None]
"""The layouts by seat, and the seat that has knocked or finished."""

MOVED = (
    wire.CardAdded, wire.CardRemoved, wire.Kept, wire.Planted, wire.Rearranged, wire.Switched,
)  # fmt: skip
"""The events that tell that a power has moved cards."""

NOTED = frozenset({wire.Round, wire.Slapped, wire.Showdown, wire.Scored, *MOVED})
"""The events that are looked at."""

POWER_DECISIONS = frozenset({"power", "block", "pick8"})
"""The decisions after which a power does what it does."""


class SlapMade(Struct, frozen=True, kw_only=True):
    """A slap that was resolved (CAC-26)."""

    seat: int
    owner: int
    """Whose card it was."""
    verdict: Literal["right", "wrong", "late"]
    round: int
    event: int
    """The number of its event in the match."""


class WrongSlap(Struct, frozen=True, kw_only=True):
    """A wrong slap that brought the slapper a card, and what that came to at the showdown."""

    slap: SlapMade
    scored: int
    """What the slapper scored in the round."""
    without: int
    """What the rules would have had it score if the slot of that card had been empty at the showdown."""

    @property
    def cost(self) -> int:
        """What the slap cost in this round."""
        return self.scored - self.without


class PowerUse(Struct, frozen=True, kw_only=True):
    """A use of a power that moved cards."""

    seat: int
    round: int
    event: int
    """The number in the match of the event by which the cards moved."""
    did: type[Struct]
    """The kind of that event."""
    ender: int | None
    """The seat that had knocked or finished by then."""
    before: tuple[int, ...]
    """By seat, what it would have scored if the round had ended just before, with all cards as they lay."""
    after: tuple[int, ...]
    """The same just after."""

    @property
    def gain(self) -> int:
        """By how much the user's own score fell, and those of the others rose, all together."""
        rises = [after - before for before, after in zip(self.before, self.after, strict=True)]
        return sum(rises) - 2 * rises[self.seat]


class Course(Struct, frozen=True, kw_only=True):
    """The slaps and the powers of a match, in order."""

    slaps: tuple[SlapMade, ...]
    wrong: tuple[WrongSlap, ...]
    powers: tuple[PowerUse, ...]


def has_slaps_or_powers(variant: Variant) -> bool:
    """Whether there are slaps in a game, or powers that move cards."""
    options = variant.options
    return options.slaps or bool(options.cambio_powers) or variant.play in ("cactus", "powers")


def course_of(record: Record) -> Course:
    """Play the record again. Raises BrokenRecord as `walk` does, and ValueError for options that there cannot be."""
    watcher: Watcher | None = None
    for game, _ in walk(record):
        watcher = watcher or Watcher(game)
        watcher.look()
    if watcher is None:
        return Course(slaps=(), wrong=(), powers=())
    watcher.look()
    return watcher.course()


class Watcher:
    """Looks at a game before each of its moves and after the last, and notes its slaps and powers."""

    def __init__(self, game: Game) -> None:
        self.slaps: list[SlapMade] = []
        self.wrong: list[WrongSlap] = []
        self.powers: list[PowerUse] = []
        self._game, self._variant, self._layouts = game, game.table.variant, Layouts(game.table.variant)
        self._known = 0
        """How many events have been looked at."""
        self._round = 0
        self._before: Lying | None = None
        """What lay where before the last move, where it could use a power."""
        self._penalties: list[tuple[SlapMade, int]] = []
        """The wrong slaps of the round, each with the slot of the card that it brought."""
        self._shown: list[Layout] = []
        """The layouts of the last showdown."""

    def course(self) -> Course:
        """What has happened until now."""
        self._take_in()
        return Course(slaps=tuple(self.slaps), wrong=tuple(self.wrong), powers=tuple(self.powers))

    def look(self) -> None:
        """See what the table is like, if a power may be used now or may just have been used."""
        question = self._game.question
        may_use = isinstance(question, Ask) and question.decision in POWER_DECISIONS
        if may_use or self._before is not None:
            self._take_in()
            self._before = self._lying() if may_use else None

    def _take_in(self) -> None:
        """Note what has happened since this was done last."""
        happened = self._game.events[self._known :]
        for number, event in enumerate(happened, start=self._known):
            if type(event) in NOTED:
                self._note(event, number, happened)
        self._known += len(happened)

    def _note(self, event: TableEvent, number: int, happened: Sequence[TableEvent]) -> None:
        match event:
            case wire.Round():
                self._round, self._penalties = event.round, []
            case wire.Slapped():
                self._note_slap(event, number)
            case wire.Showdown():
                self._shown = _shown(event)
            case wire.Scored():
                self.wrong += (self._costed(event, *one) for one in self._penalties)
            case _:
                self._note_power(event, number, happened)

    def _note_slap(self, event: wire.Slapped, number: int) -> None:  # type: ignore[type-arg] # no secret is read
        slap = SlapMade(seat=event.seat, owner=event.target[0], verdict=event.verdict, round=self._round, event=number)
        self.slaps.append(slap)
        if event.verdict == "wrong" and event.new_slot is not None:
            self._penalties.append((slap, event.new_slot))

    def _costed(self, event: wire.Scored, slap: SlapMade, slot: int) -> WrongSlap:
        layout = self._shown[slap.seat]
        raw = list(event.raw)
        raw[slap.seat] = self._layouts.raw((*layout[:slot], None, *layout[slot + 1 :]))
        without = score_round(self._variant, raw, event.ender)[slap.seat]
        return WrongSlap(slap=slap, scored=event.scores[slap.seat], without=without)

    def _note_power(self, event: TableEvent, number: int, happened: Sequence[TableEvent]) -> None:
        """Note what a power did. If the round ended with it, its showdown has the layouts."""
        if self._before is None:
            return
        ends = [one for one in happened if isinstance(one, wire.Showdown | wire.Scored)]
        match ends:
            case [wire.Showdown() as shown, wire.Scored() as scored]:
                after: Lying = _shown(shown), scored.ender
            case _:
                after = self._lying()
        use = PowerUse(
            seat=event.seat,  # type: ignore[union-attr] # all in MOVED have it
            round=self._round,
            event=number,
            did=type(event),
            ender=self._before[1],
            before=self._layouts.scores(*self._before),
            after=self._layouts.scores(*after),
        )
        self.powers.append(use)

    def _lying(self) -> Lying:
        table = self._game.table
        layouts = [tuple([None if slot is None else slot.card for slot in layout]) for layout in table.layouts]
        return layouts, table.ended_by


def _shown(event: wire.Showdown) -> list[Layout]:  # type: ignore[type-arg] # of what everybody sees
    return [tuple(one.value for one in cards) for cards in event.layouts]
