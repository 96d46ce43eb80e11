"""Whatever happens at a table: one struct a kind of event, told apart on the wire by `event`.

Each kind is generic in its *secrets*, the fields that not everybody may see (RULES.md section 3). On the wire such a
field holds the value or null; inside the referee it holds the value together with its audience, and nothing can be
sent before the referee's one redaction function has turned the latter into the former. Fields that are no secret in
any variant have plain types.
"""

from typing import Generic, Literal, TypeVar

from msgspec import Struct, field

from protocol.actions import Target
from protocol.cards import Card

C = TypeVar("C")
"""A card that some seats may not see."""

N = TypeVar("N")
"""Slot or line numbers that some seats may not see."""


A = TypeVar("A")
"""An axis that some seats may not see."""


class _Event(Struct, frozen=True, kw_only=True, gc=False, tag_field="event"):
    """Common settings of the events. None can be part of a cycle, so the garbage collector need not look at them."""


class Round(_Event, frozen=True, kw_only=True, tag="round"):
    """A round begins: the cards are dealt, in layouts of so many rows.

    A playoff round (GEN-13) joins no total."""

    round: int
    dealer: int
    starter: int
    totals: tuple[int, ...]
    rows: int
    stock: int
    playoff: bool


class UpCard(_Event, Generic[C], frozen=True, kw_only=True, tag="up_card"):
    """The top stock card was turned up and starts the pile."""

    card: C
    stock: int


class TurnedUp(_Event, Generic[C], frozen=True, kw_only=True, tag="turned_up"):
    """A seat's own cards turned face up: initial choice, flip, or the top row of par golf."""

    seat: int
    slots: tuple[int, ...]
    cards: tuple[C, ...]


class Looked(_Event, Generic[C], frozen=True, kw_only=True, tag="looked"):
    """A seat looked at own cards before play."""

    seat: int
    slots: tuple[int, ...]
    cards: tuple[C, ...]


class Arranged(_Event, Generic[N], frozen=True, kw_only=True, tag="arranged"):
    """A seat arranged its cards (par golf); `slots` as in the action."""

    seat: int
    slots: N


class Skipped(_Event, frozen=True, kw_only=True, tag="skipped"):
    """A seat lost its turn to a jack (KER-12)."""

    seat: int


class Drew(_Event, Generic[C], frozen=True, kw_only=True, tag="drew"):
    """A seat drew; `stock` counts what is left."""

    seat: int
    source: Literal["stock", "pile"] = field(name="from")
    card: C
    stock: int


class Reshuffled(_Event, frozen=True, kw_only=True, tag="reshuffled"):
    """The pile below its top card became the stock of `stock` cards, in an order that nobody knows (GEN-08)."""

    stock: int


class Swapped(_Event, Generic[C], frozen=True, kw_only=True, tag="swapped"):
    """The card in hand took a slot; the replaced card lies on the pile."""

    seat: int
    slot: int
    card: C
    face_up: bool
    replaced: C


class Discarded(_Event, Generic[C], frozen=True, kw_only=True, tag="discarded"):
    """The card in hand went to the top of the pile."""

    seat: int
    card: C


class Knocked(_Event, frozen=True, kw_only=True, tag="knocked"):
    """A seat knocked, or ended a No-Par hole."""

    seat: int


class Finished(_Event, frozen=True, kw_only=True, tag="finished"):
    """A seat is the first with no card face down, in par golf with its final stroke taken: it is the ender."""

    seat: int


class Traded(_Event, Generic[C], frozen=True, kw_only=True, tag="traded"):
    """Cutthroat: the king in hand went to the target's place, the card from there is now in hand."""

    seat: int
    target: Target
    given: C
    taken: C


class SwappedOwn(_Event, Generic[C], frozen=True, kw_only=True, tag="swapped_own"):
    """Par golf: two own cards changed places; `cards` stand in the two slots now."""

    seat: int
    slots: tuple[int, int]
    cards: tuple[C, C]


class PairsDiscarded(_Event, Generic[C], frozen=True, kw_only=True, tag="pairs_discarded"):
    """Two-deck game: rows went to the pile, cards in the order in which they landed."""

    seat: int
    rows: tuple[int, ...]
    cards: tuple[C, ...]


class Stroked(_Event, frozen=True, kw_only=True, tag="stroked"):
    """Par golf: a row was taken as a stroke and lies face down."""

    seat: int
    row: int


class PowerUsed(_Event, Generic[C], frozen=True, kw_only=True, tag="power"):
    """Powers: a power begins: the card that carries it, the power's name, the seat and the slots that it is aimed at.

    A card that is drawn and used so is not `discarded`; for a copy by a 2, `card` is the 2."""

    seat: int
    card: C
    power: str
    against: int | None
    targets: tuple[Target, ...]


class Blocked(_Event, Generic[C], frozen=True, kw_only=True, tag="blocked"):
    """A shield stopped the attack; `shields` are left to that seat.

    `shield` is the card that went to the pile for it; null where the shield serves on."""

    seat: int
    shields: int
    shield: C


class Shielded(_Event, Generic[C], frozen=True, kw_only=True, tag="shielded"):
    """A card was laid beside the set as a shield."""

    seat: int
    card: C
    shields: int


class Peeked(_Event, Generic[C], frozen=True, kw_only=True, tag="peeked"):
    """A seat looked at a card on the table."""

    seat: int
    target: Target
    card: C


class Switched(_Event, frozen=True, kw_only=True, tag="switched"):
    """Two cards of any seats changed places unseen; each keeps its face."""

    seat: int
    targets: tuple[Target, Target]


class Rearranged(_Event, Generic[N], frozen=True, kw_only=True, tag="rearranged"):
    """A seat rearranged the cards of the seat `of`; `slots` as in the action."""

    seat: int
    of: int
    slots: N


class LinesSwapped(_Event, Generic[A, N], frozen=True, kw_only=True, tag="lines_swapped"):
    """Two lines of the set of `of` changed places; `layout` is that set now, as in `table`."""

    seat: int
    of: int
    axis: A
    lines: N
    layout: tuple[str | None, ...]


class Shuffled(_Event, frozen=True, kw_only=True, tag="shuffled"):
    """The cards of the seat `of` were turned down and shuffled."""

    seat: int
    of: int


class CardAdded(_Event, frozen=True, kw_only=True, tag="added"):
    """The top stock card went unseen to `target`."""

    seat: int
    target: Target
    stock: int


class CardRemoved(_Event, Generic[C], frozen=True, kw_only=True, tag="removed"):
    """An own card left its slot for the pile, by a power or with a line that is complete (KER-14)."""

    seat: int
    target: Target
    card: C


class Planted(_Event, Generic[C], frozen=True, kw_only=True, tag="planted"):
    """A card was placed face down at `target`, the one from there lies on the pile."""

    seat: int
    target: Target
    card: C
    replaced: C


class Exposed(_Event, Generic[C], frozen=True, kw_only=True, tag="exposed"):
    """A face-down card of another seat was turned face up by a power."""

    seat: int
    target: Target
    card: C


class Hidden(_Event, frozen=True, kw_only=True, tag="hidden"):
    """An own face-up card was turned face down by a power."""

    seat: int
    target: Target


class DrewTwo(_Event, Generic[C], frozen=True, kw_only=True, tag="drew_two"):
    """Powers 8: two more cards were drawn (fewer where there are fewer)."""

    seat: int
    cards: tuple[C, ...]
    stock: int


class Kept(_Event, Generic[C], frozen=True, kw_only=True, tag="kept"):
    """Powers 8: one of three cards went face down into `slot`; `discarded` lie on the pile, the last on top."""

    seat: int
    slot: int
    card: C
    discarded: tuple[C, ...]


class KnockCancelled(_Event, frozen=True, kw_only=True, tag="knock_cancelled"):
    """A black king cancelled the knock of `knocker`."""

    knocker: int


class Slapped(_Event, Generic[C], frozen=True, kw_only=True, tag="slapped"):
    """A slap was resolved (CAC-26). `new_slot`: where the slapper's penalty card, or another seat's card that
    has become the slapper's, now lies; null where no card came. `stock` counts what is left."""

    seat: int
    target: Target
    card: C
    verdict: Literal["right", "wrong", "late"]
    new_slot: int | None
    stock: int


class Gave(_Event, frozen=True, kw_only=True, tag="gave"):
    """The slapper's card at `slot` went unseen to `target`."""

    seat: int
    slot: int
    target: Target


class WindowClosed(_Event, frozen=True, kw_only=True, tag="window_closed"):
    """A slap window is over."""


class Showdown(_Event, Generic[C], frozen=True, kw_only=True, tag="showdown"):
    """Every layout card by seat and slot; null for an empty slot."""

    layouts: tuple[tuple[C, ...], ...]


class Scored(_Event, frozen=True, kw_only=True, tag="scored"):
    """The round's result by seat: raw scores, scores after all adjustments, and the new totals."""

    raw: tuple[int, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    ender: int | None
    capped: bool


class Forfeited(_Event, frozen=True, kw_only=True, tag="forfeited"):
    """A bot has forfeited the match; fallback answers play on for its seat."""

    seat: int


class ParChosen(_Event, frozen=True, kw_only=True, tag="par_chosen"):
    """Par golf: the dealer has chosen the par of the hole that is dealt next."""

    seat: int
    par: int


Shown = Card | None
"""A card on the wire: its code, or null for who may not see it."""

Numbers = tuple[int, ...] | None
"""Slots or lines on the wire, or null for who may not see them."""

Event = (
    Round | UpCard[Shown] | TurnedUp[Shown] | Looked[Shown] | Arranged[Numbers] | Skipped | Drew[Shown] | Reshuffled
    | Swapped[Shown] | Discarded[Shown] | Knocked | Finished | Traded[Shown] | SwappedOwn[Shown]
    | PairsDiscarded[Shown] | Stroked | PowerUsed[Shown] | Blocked[Shown] | Shielded[Shown] | Peeked[Shown] | Switched
    | Rearranged[Numbers] | LinesSwapped[str | None, Numbers] | Shuffled | CardAdded | CardRemoved[Shown]
    | Planted[Shown] | Exposed[Shown] | Hidden | DrewTwo[Shown] | Kept[Shown] | KnockCancelled | Slapped[Shown]
    | Gave | WindowClosed | Showdown[Shown] | Scored | Forfeited | ParChosen
)  # fmt: skip
"""Any event as it stands on the wire."""
