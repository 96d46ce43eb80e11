"""What a bot can decide: one struct a kind of action, told apart on the wire by `kind`.

Slots are numbers within one layout; a target is `[seat, slot]`. Which actions are legal now is said by the offers of
the request (offers.py); what they do is RULES.md, whose decision numbers stand beside each kind.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Index = Annotated[int, Meta(ge=0, le=9999)]
"""A seat, slot, row or line number."""

Indices = Annotated[tuple[Index, ...], Meta(max_length=64)]
Target = tuple[Index, Index]
"""A card on the table: seat, slot."""


class _Action(Struct, frozen=True, kw_only=True, gc=False, tag_field="kind"):
    """Common settings of the actions."""


class TurnUp(_Action, frozen=True, kw_only=True, tag="turn_up"):
    """DEC-01: the own slots to turn face up before play."""

    slots: Indices


class Look(_Action, frozen=True, kw_only=True, tag="look"):
    """DEC-02: the own slots to look at secretly before play."""

    slots: Indices


class Arrange(_Action, frozen=True, kw_only=True, tag="arrange"):
    """DEC-03: `slots[i]` names the slot whose card goes to the i-th slot."""

    slots: Indices


class Draw(_Action, frozen=True, kw_only=True, tag="draw"):
    """DEC-04: draw the top card of the stock or of the discard pile."""

    source: Literal["stock", "pile"] = field(name="from")


class Knock(_Action, frozen=True, kw_only=True, tag="knock"):
    """DEC-04: knock instead of a turn."""


class End(_Action, frozen=True, kw_only=True, tag="end"):
    """DEC-04, No-Par: end the round instead of a turn."""


class Flip(_Action, frozen=True, kw_only=True, tag="flip"):
    """DEC-04 or DEC-06: turn one own face-down card face up."""

    slot: Index


class SwapOwn(_Action, frozen=True, kw_only=True, tag="swap_own"):
    """DEC-04, par golf: two own cards change places."""

    slots: tuple[Index, Index]


class Swap(_Action, frozen=True, kw_only=True, tag="swap"):
    """DEC-05: the card in hand takes this own slot, the old card goes to the pile."""

    slot: Index


class Discard(_Action, frozen=True, kw_only=True, tag="discard"):
    """DEC-05: the card in hand goes to the pile."""


class Trade(_Action, frozen=True, kw_only=True, tag="trade"):
    """DEC-05, Cutthroat: the king in hand against this face-up card."""

    target: Target


class Nothing(_Action, frozen=True, kw_only=True, tag="none"):
    """DEC-06, DEC-07, DEC-12: decline."""


class Peek(_Action, frozen=True, kw_only=True, tag="peek"):
    """DEC-07: look at this card."""

    target: Target


class Switch(_Action, frozen=True, kw_only=True, tag="switch"):
    """DEC-07, Cactus: these two cards change places unseen."""

    targets: tuple[Target, Target]


class Exchange(_Action, frozen=True, kw_only=True, tag="exchange"):
    """DEC-07, Cambio king and Powers 6: an own card and another seat's change places unseen."""

    slot: Index
    target: Target


class Rearrange(_Action, frozen=True, kw_only=True, tag="rearrange"):
    """DEC-07, Cambio joker: the card of that seat's slot `slots[i]` goes to its i-th occupied slot."""

    seat: Index
    slots: Indices


class AddCard(_Action, frozen=True, kw_only=True, tag="add"):
    """DEC-07, Powers ace: the top stock card goes to this seat."""

    seat: Index


class RemoveCard(_Action, frozen=True, kw_only=True, tag="remove"):
    """DEC-07, Powers ace: one own card goes to the pile."""

    slot: Index


class Plant(_Action, frozen=True, kw_only=True, tag="plant"):
    """DEC-07, Powers 9: the 9 takes this place, the card there goes to the pile."""

    target: Target


class Shuffle(_Action, frozen=True, kw_only=True, tag="shuffle"):
    """DEC-07, Powers 3: this seat's cards are turned down and shuffled."""

    seat: Index


class Expose(_Action, frozen=True, kw_only=True, tag="expose"):
    """DEC-07, Powers 4: this face-down card of an opponent is turned up."""

    target: Target


class Hide(_Action, frozen=True, kw_only=True, tag="hide"):
    """DEC-07, Powers 4: this own face-up card is turned down."""

    slot: Index


class Shield(_Action, frozen=True, kw_only=True, tag="shield"):
    """DEC-07, Powers 5: lay the 5 beside the own set as a shield."""


class SwapLines(_Action, frozen=True, kw_only=True, tag="swap_lines"):
    """DEC-07, Powers 7: two rows or two columns of this seat's set change places."""

    seat: Index
    axis: Literal["row", "column"]
    lines: tuple[Index, Index]


class TakeTwo(_Action, frozen=True, kw_only=True, tag="take_two"):
    """DEC-07, Powers 8: draw two more cards; DEC-13 follows."""


class CancelKnock(_Action, frozen=True, kw_only=True, tag="cancel_knock"):
    """DEC-07, Powers black king: cancel the pending knock."""


class Pass(_Action, frozen=True, kw_only=True, tag="pass"):
    """DEC-08: do not slap."""


class Slap(_Action, frozen=True, kw_only=True, tag="slap"):
    """DEC-08: throw this face-down card onto the pile, out of turn."""

    target: Target


class Give(_Action, frozen=True, kw_only=True, tag="give"):
    """DEC-09: the own card that fills the slot emptied by the slap."""

    slot: Index


class Block(_Action, frozen=True, kw_only=True, tag="block"):
    """DEC-10: use a shield against the attack."""


class Allow(_Action, frozen=True, kw_only=True, tag="allow"):
    """DEC-10: let the attack happen."""


class DiscardPairs(_Action, frozen=True, kw_only=True, tag="discard_pairs"):
    """DEC-11, two-deck game: the rows to discard, possibly none."""

    rows: Indices


class Stroke(_Action, frozen=True, kw_only=True, tag="stroke"):
    """DEC-12, par golf: take this row as a stroke."""

    row: Index


class Keep(_Action, frozen=True, kw_only=True, tag="keep"):
    """DEC-13, Powers 8: keep the 8 (0), the first (1) or the second (2) drawn card, in this own slot."""

    card: Index
    slot: Index


class Copy(_Action, frozen=True, kw_only=True, tag="copy"):
    """DEC-14, Powers 2: carry out this power (`3` ... `10`, `J`, `Q`, `BK`)."""

    power: Annotated[str, Meta(max_length=2)]


class Stop(_Action, frozen=True, kw_only=True, tag="stop"):
    """DEC-14, Powers 2: no further power."""


class ChoosePar(_Action, frozen=True, kw_only=True, tag="choose_par"):
    """DEC-17, par golf: the par of the hole that is dealt next."""

    par: Index


Action = (
    TurnUp | Look | Arrange | Draw | Knock | End | Flip | SwapOwn | Swap | Discard | Trade | Nothing
    | Peek | Switch | Exchange | Rearrange | AddCard | RemoveCard | Plant | Shuffle | Expose | Hide | Shield
    | SwapLines | TakeTwo | CancelKnock | Pass | Slap | Give | Block | Allow | DiscardPairs | Stroke | Keep | Copy
    | Stop | ChoosePar
)  # fmt: skip
"""Any action."""
