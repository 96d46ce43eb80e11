"""What a game is: the structure that no option changes, its options, and what follows from both.

The games themselves stand in presets.py. This module must not know any of them.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, field

from protocol.cards import CACTUS_RANKS, EXTRA_SUITS, RANKS, SUITS, Card, is_card, rank
from referee.rules.book.card_values import B1, changed_by_options
from referee.rules.book.options import OPTIONS, Options


class Variant(Struct, frozen=True, kw_only=True, dict=True):
    """A game that can be played: its structure and its options. The structure has the defaults of six-card golf."""

    preset: str
    """The preset's name, as users and bots see it."""
    tag: str
    """The section of RULES.md that it belongs to. Options name the games that have them by it."""
    summary: str
    play: str = "six_card"
    """How its rounds go, by its name in `PLAYS` (games/__init__.py)."""
    play_after_look: str | None = None
    """How its rounds go instead where the option `initial_look` is set, if it is another (FOU-04)."""

    seats: tuple[int, int]
    """The fewest and the most seats that can play it with the preset's own packs."""
    seats_grow_with_packs: bool = False
    """Whether more seats can play where `decks` is named, as many as the packs suffice for (GEN-14)."""
    advised_from: int = 1
    """The fewest seats that its rules recommend (AMB-32)."""

    rows: int
    columns: int
    near_row: tuple[int, ...] = ()
    """The slots that a look at the near row shows, where the game has such a look."""
    layout_size: Literal["constant", "rows_leave", "changes"] = "constant"
    """Whether slots are never empty (KER-08), rows can leave (TDK-06), or sets grow and shrink (CAC-44, POW-08)."""

    packs_suffice_for: tuple[int, ...] = (3,)
    """Up to how many seats one pack is used, up to how many two, and so on (SIX-01, NIN-01, TDK-01, CMB-01)."""
    suits_grow: bool = False
    """Whether its one pack has a further suit for each seat beyond five (CAC-04)."""
    points: Mapping[str, int] = field(default_factory=lambda: B1)
    """What cards count before options change it, by rank, or by card where one differs from its rank (SCO-01)."""

    has_first_up_card: bool = True
    """Whether the top stock card starts the pile before the first turn (KER-01, CAC-07)."""
    pile_is_drawn: bool = True
    """Whether the pile can be drawn without an option that allows it (KER-02, POW-03)."""
    turns_each: int | None = None
    """How many turns each seat has in a round; None: until somebody ends it (T4-03)."""
    scores_by_row: bool = False
    """Whether each row of two cards scores by the option `par_table` (PAR-21)."""

    options: Options

    def has(self, option: str) -> bool:
        """Return whether the game has the option of this name (OPT-08). Where it has not, the value means nothing."""
        return self.tag in OPTIONS[option].games

    def own_options(self) -> dict[str, Any]:
        """Return the options that the game has, with their values, in the order of RULES.md 21."""
        return {name: getattr(self.options, name) for name in OPTIONS if self.has(name)}

    @cached_property
    def can_draw_pile(self) -> bool:
        """Whether a turn may begin with a card from the pile (KER-02); in Powers it needs an option (POW-03)."""
        return self.pile_is_drawn or self.options.powers_draw_pile

    @cached_property
    def card_points(self) -> Mapping[str, int]:
        """What cards count with the options in force (SCO-01), jokers too if the game can have them."""
        pack = ranks(self)
        table = {key: points for key, points in self.points.items() if rank_of(key) in pack}
        table.update(changed_by_options(self.options, with_jokers=self.has("jokers")))
        if values := self.options.values:
            table = {key: points for key, points in table.items() if not (is_card(key) and rank(key) in values)}
            table.update(values)
        return table

    @cached_property
    def worth(self) -> Mapping[Card, int]:
        """What each card counts: its own number where `card_points` names it, otherwise its rank's."""
        return _Worth(self.card_points)

    @cached_property
    def combines_cards(self) -> bool:
        """Whether cards of a layout can count together; otherwise the layout scores their plain sum."""
        options = self.options
        bonuses = (options.block_bonus, options.kings_side, options.straight_score)
        groups = (options.cancel, options.cancel_pairs, options.any_pair, options.one_eyed_pairs)
        return any(groups) or bonuses != (None, None, None)


class _Worth(dict[Card, int]):
    """What each card counts, by a table that has the others by their rank. It is found out once a card."""

    def __init__(self, points: Mapping[str, int]) -> None:
        self._points = points

    def __missing__(self, card: Card) -> int:
        worth = self[card] = self._points[card] if card in self._points else self._points[rank(card)]
        return worth


def size(variant: Variant) -> int:
    """Return the number of cards in a layout when it is dealt."""
    return variant.rows * variant.columns


def possible_pars(options: Options) -> tuple[int, ...]:
    """Return the pars that holes have, in the order of the course, or can have (PAR-22, PAR-28); () without par."""
    if options.course is not None or options.par is None:
        return options.course or ()
    return (3, 4, 5) if options.par_choice == "dealer" else (options.par,)


def has_up_card(variant: Variant) -> bool:
    """Return whether a first card is turned up to start the pile (KER-01), which needs a pile that can be drawn."""
    return variant.has_first_up_card and variant.can_draw_pile


def ranks(variant: Variant) -> tuple[str, ...]:
    """Return the ranks of its pack in their order: A to K; in Cactus 0 to Q, unless its option says A to K (CAC-03)."""
    return CACTUS_RANKS if variant.has("cactus_ranks") and variant.options.cactus_ranks == "01" else RANKS


def rank_of(key: str) -> str:
    """Return the rank that a key in a table of points is about: itself, or that of the card that it names."""
    return rank(key) if is_card(key) else key


def suits(variant: Variant, seats: int) -> tuple[str, ...]:
    """Return the suits of its pack in their order; in Cactus their number depends on the seats (CAC-04)."""
    return SUITS + EXTRA_SUITS[: max(0, seats - 5)] if variant.suits_grow else SUITS


def packs(variant: Variant, seats: int) -> int:
    """Return how many packs are shuffled together: as many as `decks` says, or where it is `auto` as the game needs."""
    if variant.options.decks != "auto":
        return variant.options.decks
    return 1 + sum(seats > most for most in variant.packs_suffice_for)


def deck(variant: Variant, seats: int) -> tuple[Card, ...]:
    """Return the unshuffled cards, pack by pack: the suits S H D C, each with its ranks in order, then the jokers.

    The keyed shuffle starts from this order. Jokers are numbered through all packs. Cactus has one pack of four suits
    of thirteen cards (CAC-02), or of more suits (CAC-04).
    """
    pack = [rank + suit for suit in suits(variant, seats) for rank in ranks(variant)]
    cards: list[Card] = []
    for number in range(packs(variant, seats)):
        first = number * variant.options.jokers + 1
        cards += pack
        cards += [f"X{joker}" for joker in range(first, first + variant.options.jokers)]
    return tuple(cards)


def deck_size(variant: Variant, seats: int) -> int:
    """Return how many cards the deck has, jokers included, without making it."""
    one_pack = len(suits(variant, seats)) * len(ranks(variant)) + variant.options.jokers
    return packs(variant, seats) * one_pack
