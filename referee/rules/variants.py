"""The games of the rule book: what a game is, all of them as presets, and what follows from a game and its options.

Which options go together, and how many seats can play, stands in check_options.py.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, convert, field
from msgspec.structs import asdict, replace

from protocol.cards import CACTUS_RANKS, EXTRA_SUITS, JOKER, RANKS, SUITS, Card, is_card, rank
from referee.errors import GolfrefError
from referee.rules.options import CARD_VALUES, OPTIONS, Options

_PIPS = {str(points): points for points in range(2, 11)}

CACTUS_VALUES = {"0": 0, "1": 1, "A": 1, **_PIPS, "J": 10, "Q": 10, "K": 0}
"""Cactus has this table (CAC-40); it names the ranks of both packs that Cactus can have."""
SIX_CARD_VALUES = {"A": 1, **_PIPS, "2": -2, "J": 10, "Q": 10, "K": 0}
"""Six-card golf has this table, and so has every game that is played with its values (SCO-01)."""
FOUR_TURNS_VALUES = {"A": 1, **_PIPS, "J": 0, "Q": 10, "K": 10}
"""The game of four turns has this table (T4-10)."""
TWO_DECK_VALUES = {"A": 1, **_PIPS, "J": -2, "Q": 12, "K": 0}
"""The two-deck game has this table (TDK-15)."""
POWERS_VALUES = {**SIX_CARD_VALUES, "KH": -1, "KD": -1}
"""Powers has this table (POW-27): red kings count -1."""


class Variant(Struct, frozen=True, kw_only=True, dict=True):
    """A game that can be played: its structure and its options. The structure has the defaults of six-card golf."""

    preset: str
    """The preset's name, as users and bots see it."""
    summary: str
    play: str = "six_card"
    """How its rounds go, by its name in `PLAYS` (games/__init__.py)."""
    play_after_look: str | None = None
    """How its rounds go instead where the option `initial_look` is set, if it is another (FOU-04)."""

    seats: tuple[int, int] = (2, 8)
    """The fewest and the most seats that can play it with the preset's own packs."""
    seats_grow_with_packs: bool = False
    """Whether more seats can play where `decks` is named, as many as the packs suffice for (TDK-01)."""
    advised_from: int = 1
    """The fewest seats that its rules recommend (AMB-32)."""

    rows: int = 2
    columns: int = 3
    layout_size: Literal["constant", "rows_leave", "changes"] = "constant"
    """Whether slots are never empty (KER-08), rows can leave (TDK-06), or sets grow and shrink (CAC-44, POW-08)."""

    packs_suffice_for: tuple[int, ...] = (3,)
    """Up to how many seats one pack is used, up to how many two, and so on (SIX-01, NIN-01, TDK-01, CMB-01)."""
    suits_grow: bool = False
    """Whether its one pack has a further suit for each seat beyond five (CAC-04)."""
    points: Mapping[str, int] = field(default_factory=lambda: SIX_CARD_VALUES)
    """What cards count before options change it, by rank, or by card where one differs from its rank (SCO-01)."""

    has_first_up_card: bool = True
    """Whether the top stock card starts the pile before the first turn (KER-01, CAC-07)."""
    pile_is_drawn: bool = True
    """Whether the pile can be drawn without an option that allows it (KER-02, POW-03)."""
    turns_each: int | None = None
    """How many turns each seat has in a round; None: until somebody ends it (T4-03)."""
    scores_by_row: bool = False
    """Whether each row of two cards scores by the option `par_table` (PAR-21)."""

    options: Options = Options()

    def has(self, option: str) -> bool:
        """Return whether the game has the option of this name (OPT-08). Where it has not, the value means nothing."""
        return self.preset in OPTIONS[option].games

    def own_options(self) -> dict[str, Any]:
        """Return the options that the game has, with their values, in the order of RULES.md 21."""
        return {name: getattr(self.options, name) for name in OPTIONS if self.has(name)}

    @property
    def near_row(self) -> tuple[int, ...]:
        """The slots of the last row, which a look at the near row shows."""
        return tuple(range(size(self) - self.columns, size(self)))

    @cached_property
    def can_draw_pile(self) -> bool:
        """Whether a turn may begin with a card from the pile (KER-02); in Powers it needs an option (POW-03)."""
        return self.pile_is_drawn or self.options.powers_draw_pile

    @cached_property
    def card_points(self) -> Mapping[str, int]:
        """What cards count with the options in force (SCO-01), jokers too if the game can have them."""
        pack = ranks(self)
        table = {key: points for key, points in self.points.items() if rank_of(key) in pack}
        if self.has("jokers"):
            table[JOKER] = self.options.joker_value
        for option, points in CARD_VALUES.items():
            table.update(points.get(getattr(self.options, option), {}))
        if self.options.par_table.values != "B1":
            table.update(self.options.par_table.values.items())
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


def card_values(variant: Variant) -> dict[str, int]:
    """Return the points of the cards that a deal can hold (SCO-01): by rank, and by card where one differs from it."""
    return {key: points for key, points in variant.card_points.items() if key != JOKER or variant.options.jokers}


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


# The games of the rule book

COURSE = (4, 3, 4, 5, 4, 4, 3, 5, 4)
"""The default course (PAR-22, AMB-73)."""

ONE_PACK = ()
"""Up to how many seats one pack is used where no second one comes in."""

_HIDDEN = Options(
    end_mode="knock",
    final_turns="one_each",
    flip_on_discard="never",
    initial_up=0,
    initial_look="near_row",
    cancel=(),
)
"""The options of the games whose cards stay face down until the showdown."""


def _par(name: str, summary: str, **options: Any) -> Variant:
    """A form of par golf for two to four seats with one pack (PAR-01), nine holes unless it is a course (PAR-19).

    Its rows are those of the highest par that it plays (PAR-02, PAR-03). Everybody looks at all cards first (PAR-04),
    and the seat left of the dealer starts (PAR-07).
    """
    return Variant(
        preset=name,
        summary=summary,
        play="par",
        seats=(2, 4),
        rows=max(options.get("course") or (options.get("par", 2),)),
        columns=2,
        packs_suffice_for=ONE_PACK,
        scores_by_row=True,
        options=replace(_HIDDEN, initial_look="all", **options),
    )


_ALL = (
    # The options keep their defaults: two cards turned up (SIX-03), an optional flip after a discard (SIX-05), the
    # round ends at once with a layout that is all face up (SIX-08), columns cancel (SIX-09), a knocker neither pays nor
    # earns (SIX-10), nine rounds (SIX-11). The seat left of the dealer starts (SIX-04). SIX-01 says how many seats can
    # play, SIX-02 has the grid.
    Variant(
        preset="six-card",
        summary="Two rows of three, column pairs cancel, a complete layout ends the round.",
    ),
    # KNO-01: a knock ends the round, a complete layout does not.
    Variant(
        preset="six-card-knock",
        summary="Six-card golf in which a knock ends the round.",
        options=Options(end_mode="knock"),
    ),
    # SGL-01: six-card golf with one pack; SGL-02: without jokers. For four seats 27 cards are left in the stock
    # (SGL-03).
    Variant(
        preset="single-deck",
        summary="Six-card golf with one pack for two to four players.",
        seats=(2, 4),
        options=Options(decks=1),
    ),
    # FOU-01 says how many seats play with which pack, FOU-02 has the grid. Two cards are turned up (FOU-03), a knock
    # ends the round (FOU-05), columns cancel (FOU-06), and there are nine rounds (FOU-07).
    Variant(
        preset="four-card",
        summary="Two rows of two, column pairs cancel, a knock ends the round.",
        play_after_look="cambio",
        seats=(2, 7),
        advised_from=3,
        rows=2,
        columns=2,
        packs_suffice_for=ONE_PACK,
        options=Options(decks=1, end_mode="knock"),
    ),
    # NIN-01 says how many seats play with how many packs, NIN-02 has the grid. No card is turned up (NIN-03), the round
    # ends at once with a layout that is all face up (NIN-05), a column of three cancels (NIN-06), a joker counts -4
    # (NIN-08), and a total above 50 ends the match (NIN-12).
    Variant(
        preset="nine-card",
        summary="Three rows of three, column triples cancel; over when a total exceeds 50.",
        seats=(1, 10),
        rows=3,
        columns=3,
        packs_suffice_for=(3, 7),
        options=Options(initial_up=0, limit=50, limit_mode="exceed", joker_value=-4),
    ),
    # EIG-01 says how many seats play with how many packs, EIG-02 has the grid. The short columns cancel (EIG-03), and a
    # row of kings counts (EIG-04).
    Variant(
        preset="eight-card",
        summary="Two rows of four, column pairs cancel, a side of four kings counts -16.",
        seats=(2, 6),
        rows=2,
        columns=4,
        options=Options(kings_side=-16),
    ),
    # CUT-01: six-card golf with kings of 15; CUT-02: which can be traded.
    Variant(
        preset="cutthroat",
        summary="Six-card golf with kings worth 15 that can be traded for an opponent's card.",
        options=Options(kings15=True, cutthroat_trade=True),
    ),
    # CMB-01 says how many seats play with how many packs and jokers, CMB-02 has the grid and the first look. The seat
    # left of the dealer starts (CMB-03), CMB-06 has the powers, a knock ends the round (CMB-07), nothing cancels
    # (CMB-08), and there are nine rounds (CMB-10).
    Variant(
        preset="cambio",
        summary="Four hidden cards; discarded J, Q, K and jokers look, swap and rearrange; a knock ends the round.",
        play="cambio",
        seats=(2, 10),
        rows=2,
        columns=2,
        packs_suffice_for=(6,),
        options=replace(
            _HIDDEN,
            jokers=2,
            cambio_powers={"J": "peek_own", "Q": "peek_other", "K": "exchange", JOKER: "rearrange"},
        ),
    ),
    # POW-01 says how many seats play with how many packs, POW-02 has the grid and the first look. The pile starts empty
    # and is not drawn (POW-03), a knock ends the round (POW-24), red kings count -1 (POW-27), and there are nine rounds
    # (POW-28).
    Variant(
        preset="powers",
        summary="Six hidden cards, nearly every card has a power; a knock ends the round, a black king saves it.",
        play="powers",
        seats=(2, 6),
        layout_size="changes",
        points=POWERS_VALUES,
        pile_is_drawn=False,
        options=replace(_HIDDEN, initial_look="any:2"),
    ),
    # CAC-01 says how many seats can play, CAC-02 and CAC-04 have the pack, CAC-05 has the grid, CAC-06 the first look.
    # The pile starts empty (CAC-07), the highest total starts (CAC-08), and a total of 25 ends the match (CAC-42).
    Variant(
        preset="cactus",
        summary="Four hidden cards, two of them seen once; powers of J and Q; fast slaps onto equal cards.",
        play="cactus",
        seats=(2, 5 + len(EXTRA_SUITS)),
        advised_from=3,
        rows=2,
        columns=2,
        layout_size="changes",
        packs_suffice_for=ONE_PACK,
        suits_grow=True,
        points=CACTUS_VALUES,
        has_first_up_card=False,
        options=replace(_HIDDEN, rounds=None, limit=25, stock_out="end", slaps=True),
    ),
    # T4-01 has the pack and the seats, T4-02 the grid and the first look. The seat left of the dealer starts, and each
    # has four turns (T4-03), which leave cards in the stock (T4-13). One pair of a rank cancels (T4-11), and T4-10 has
    # the values. There is one round (T4-12).
    Variant(
        preset="four-turns",
        summary="Four cards, four turns each, and pairs cancel wherever they lie.",
        play="four_turns",
        seats=(2, 6),
        rows=2,
        columns=2,
        packs_suffice_for=ONE_PACK,
        points=FOUR_TURNS_VALUES,
        turns_each=4,
        options=replace(_HIDDEN, rounds=1, any_pair="one_per_rank"),
    ),
    # TDK-01 says how many seats play with how many packs, TDK-02 has the grid. No card is turned up (TDK-03), the seat
    # left of the dealer starts (TDK-04), the last face-down card need not be turned up (TDK-09), all others have one
    # more turn (TDK-12), and TDK-15 has the values. Pairs that are left count (TDK-16), a finisher who is not lowest
    # pays ten (TDK-17), the last stock card ends the round (TDK-18), and there are nine rounds (TDK-19).
    Variant(
        preset="two-deck",
        summary="Three rows of two; complete row pairs can be discarded; who finishes first must be lowest.",
        play="two_deck",
        seats=(2, 12),
        seats_grow_with_packs=True,
        rows=3,
        columns=2,
        layout_size="rows_leave",
        packs_suffice_for=(3, 7),
        points=TWO_DECK_VALUES,
        options=Options(
            stock_out="end",
            final_turns="one_each",
            flip_on_discard="must_unless_last",
            initial_up=0,
            cancel=(),
            knock_penalty="add:10",
            knock_tie="penalty",
        ),
    ),
    _par("par-3", "Par golf: three strokes, each the pair of cards of a row.", par=3),
    _par("par-4", "Par golf with four strokes.", par=4),
    _par("par-5", "Par golf with five strokes.", par=5),
    _par("no-par", "Par golf without strokes: two rows, and whoever likes ends the hole.", no_par=True),
    _par("par-course", "Nine holes of par golf, pars 4 3 4 5 4 4 3 5 4.", rounds=len(COURSE), course=COURSE),
)

PRESETS: Mapping[str, Variant] = {variant.preset: variant for variant in _ALL}
"""Every preset by its name."""


class UnknownVariant(GolfrefError, ValueError):
    """No preset has this name; the text suggests the nearest."""


def preset(name: str) -> Variant:
    """Return the game of this name as the rule book has it: its options, rows and columns, fewest and most seats.

    `PRESETS` has all of them, and RULES.md says under "Variant names" which section each belongs to. Raises
    UnknownVariant (a ValueError) for another name; its text suggests the nearest.

    >>> preset("nine-card").rows, preset("nine-card").options.limit
    (3, 50)
    """
    try:
        return PRESETS[name]
    except KeyError:
        near = get_close_matches(name, PRESETS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(PRESETS)}"
        raise UnknownVariant(f"unknown variant `{name}`; {hint}") from None


def from_record(name: str, options: Mapping[str, Any]) -> Variant:
    """A preset with the options that a record holds; raises UnknownVariant and msgspec.ValidationError.

    A record lists every option that golfref had when the match was played. One that came later has the preset's value.
    """
    base = preset(name)
    return shaped(base, convert(asdict(base.options) | dict(options), Options, strict=True))


def shaped(base: Variant, options: Options) -> Variant:
    """Return the variant with these options and what follows from them (FOU-04, KER-15, PAR-03, PAR-22)."""
    if base.has("par"):
        rows = max(possible_pars(options), default=2)
        rounds = len(options.course) if options.course else options.rounds
        return replace(base, rows=rows, options=replace(options, rounds=rounds))
    if base.play_after_look is not None and options.initial_look is not None:
        hidden = replace(options, initial_up=0, flip_on_discard="never")
        return replace(base, play=base.play_after_look, options=hidden)
    initial_up = base.rows if options.up_in_each_row else options.initial_up
    return replace(base, options=replace(options, initial_up=initial_up))
