"""The options of the games as one table: each option is declared once, as a field of `Options`.

The type of a field has the values that the option takes, its default is that of six-card golf, and its `Option` has all
else that is known of it. The rules read an option where they need it; check_options.py checks a set of options. A
property that no option changes is a field of `Variant` in variants.py. protocol/OPTIONS.md and `golfref rules`
are made from these declarations.
"""

from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Meta, Struct
from msgspec.structs import fields

from referee.rules.par_table import MOST_POINTS, OURS_1, ParTable, Score


class Need(Struct, frozen=True):
    """What must hold so that an option has an effect (OPT-08)."""

    words: str
    """What is needed, in words that can follow "needs" in a message."""
    holds: "Callable[[Options], bool]"
    """Whether a whole set of options has what is needed."""


class Option(Struct, frozen=True):
    """What is declared of an option beside its type and its default."""

    sentence: str
    """What the option sets; of one that is true or false, what holds where it is true."""
    games: frozenset[str]
    """The games that have the option (RULES.md section 21); in others it is an error (OPT-08)."""
    needs: Need | None = None


def expected(kind: Any) -> str:
    """Return in words which values a field's type takes: the words of its `Meta`, or those that follow from its form.

    Raises LookupError for a type that has neither.
    """
    *others, last = _alternatives(kind)
    return f"{', '.join(others)} or {last}" if others else last


def _alternatives(kind: Any) -> Iterator[str]:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        words = [text for meta in args[1:] if isinstance(meta, Meta) and (text := _in_words(meta))]
        yield from words or _alternatives(args[0])
    elif origin is Literal:
        yield from (f'"{value}"' if isinstance(value, str) else str(value) for value in args)
    elif origin in (Union, UnionType):
        for one in args:
            yield from _alternatives(one)
    elif origin is tuple:
        yield f"a list of {len(args)} integers"
    elif kind in _PLAIN:
        yield _PLAIN[kind]
    else:
        raise LookupError(f"no words for the values of {kind}; write Annotated[..., Meta(description=...)]")


_PLAIN = {bool: "true or false", int: "an integer", type(None): '"none"'}


def _in_words(meta: Meta) -> str:
    """Return the description, or the bounds of an integer; "" where there is neither."""
    if meta.description is not None:
        return meta.description
    if meta.ge is None:
        return ""
    return f"an integer from {meta.ge}" + (f" to {meta.le}" if meta.le is not None else " up")


# The values that options take

Line = Literal["col", "row", "diag"]
Lines = Annotated[tuple[Line, ...], Meta(description='a list of "col", "row", "diag"')]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Look = Annotated[str, Meta(pattern=r"^(near_row|all|any:[1-9])$", description='"near_row", "all", "any:K"')]
Par = Literal[3, 4, 5]
Course = Annotated[tuple[Par, ...], Meta(min_length=1, max_length=100, description="a list of 1 to 100 pars (3, 4, 5)")]
CambioPower = Literal["peek_own", "peek_other", "exchange", "rearrange"]
"""What a discarded card allows (CMB-06): J, Q, K and joker in this order."""
CambioPowers = Annotated[
    dict[str, CambioPower],
    Meta(description="a table from rank to peek_own, peek_other, exchange or rearrange"),
]
Penalty = Annotated[
    str,
    Meta(
        pattern=r"^(add:[1-9][0-9]{0,3}|double5?|highest|twice_players)$",
        description='"add:N", "double", "double5", "highest", "twice_players"',
    ),
]
Points = Annotated[
    dict[str, Score], Meta(description=f"a table by rank or card of integers from -{MOST_POINTS} to {MOST_POINTS}")
]
PairTable = Annotated[ParTable, Meta(description="a table as in PAR-26")]

# The games that options go with

FAMILY = frozenset({"six-card", "six-card-knock", "single-deck", "four-card", "nine-card", "eight-card", "cutthroat"})
"""The games that are played as six-card golf is, with its card values."""
PAR_GOLF = frozenset({"par-3", "par-4", "par-5", "no-par", "par-course"})
IN_CACTUS = frozenset({"cactus"})
IN_FOUR_TURNS = frozenset({"four-turns"})
IN_POWERS = frozenset({"powers"})
IN_TWO_DECK = frozenset({"two-deck"})
WITH_REARRANGING = IN_POWERS | {"cambio"}
WITH_A_KNOCK = FAMILY | WITH_REARRANGING
WITH_A_LAP_AFTER_A_KNOCK = FAMILY | {"cambio", "cactus"}
"""In Powers a black king cancels a knock in the lap, so that there the lap belongs to the game (POW-22)."""
WITH_A_LOOK = WITH_REARRANGING | {"four-card"}
WITH_BLOCKS = frozenset({"four-card", "nine-card", "eight-card"})
WITH_CAMBIO_POWERS = frozenset({"four-card", "cambio"})
WITH_JOKERS = FAMILY | {"cambio"}
WITH_SLAPS = IN_CACTUS | {"cambio"}
EVERY_GAME = WITH_A_KNOCK | PAR_GOLF | IN_CACTUS | IN_FOUR_TURNS | IN_TWO_DECK

# What options need besides


def _can_rearrange(options: "Options") -> bool:
    return options.cambio_powers is None or "rearrange" in options.cambio_powers.values()


def _can_complete(options: "Options") -> bool:
    return options.final_turns is None or options.end_mode != "knock"


A_KNOCK = Need('`end_mode` "knock" or "both"', lambda options: options.end_mode != "all_up")
JOKERS = Need("`jokers` above 0", lambda options: options.jokers > 0)
A_COMPLETE_LAYOUT_ENDS = Need('`end_mode` "all_up" or "both"', _can_complete)
A_REARRANGEMENT = Need("the power `rearrange`", _can_rearrange)
SLAPS = Need("`slaps`", lambda options: options.slaps)
SLAPS_TIMED = Need('`slap_order = "reaction"`', lambda options: options.times_slaps)
SLAPS_AND_A_POWER = Need(
    "`slaps`, and a power in `cambio_powers`", lambda options: options.slaps and options.cambio_powers != {}
)
LINES_THAT_CANCEL = Need(
    "`cancel`, and no `any_pair`", lambda options: bool(options.cancel) and options.any_pair is None
)
BLOCKS = Need("`block_bonus`", lambda options: options.block_bonus is not None)
OURS = Need("the `par_table` ours-1", lambda options: options.par_table == OURS_1)
WILD_JACKS_WITH_A_PLACE = Need(
    "`one_eyed_wild`, and no `any_pair`", lambda options: options.one_eyed_wild and options.any_pair is None
)
NO_PAR = Need("`no_par`", lambda options: options.no_par)
A_PAR = Need("holes with a par", lambda options: not options.no_par)
A_KNOCK_RULE = Need(
    "`knock_penalty` or `knock_bonus`", lambda options: bool(options.knock_penalty or options.knock_bonus)
)


# What the options of card values set

CARD_VALUES: Mapping[str, Mapping[object, Mapping[str, int]]] = {
    "queen_value": {points: {"Q": points} for points in (12, 13, 20)},
    "qs40": {True: {"8": 0, "QS": 40}},
    "j0q12k13": {True: {"J": 0, "Q": 12, "K": 13}},
    "jack_value": {20: {"J": 20}},
    "twos": {"plus2": {"2": 2}},
    "kings15": {True: {"K": 15}},
}
"""Option -> its value -> the points that it sets, by rank or card (OPTIONS.md)."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option of every game, in the order of RULES.md 21, with the default of the six-card family.

    None means "not set".
    """

    # Match and table

    rounds: Annotated[
        Positive | None, Option("The most rounds of a match; none: as many as `limit` allows.", EVERY_GAME)
    ] = 9
    limit: Annotated[
        int | None, Option("The total that ends the match after the round in which a seat has it.", EVERY_GAME)
    ] = None
    limit_mode: Annotated[
        Literal["reach", "exceed"],
        Option("The match ends when a total reaches `limit`, or only when it exceeds it.", EVERY_GAME),
    ] = "reach"
    decks: Annotated[
        Literal["auto", 1, 2, 3],
        Option(
            "The number of packs; auto: as many as the game's rules say for so many seats.",
            EVERY_GAME - PAR_GOLF - IN_CACTUS - IN_FOUR_TURNS,
        ),
    ] = "auto"
    jokers: Annotated[Annotated[int, Meta(ge=0, le=8)], Option("The number of jokers in each pack.", WITH_JOKERS)] = 0
    first_dealer: Annotated[Count, Option("The seat that deals the first round.", EVERY_GAME)] = 0
    fixed_starter: Annotated[
        bool, Option("The seat left of the dealer starts every round, whatever the totals are.", IN_CACTUS)
    ] = False
    tiebreak: Annotated[
        Literal["shared", "playoff"], Option("A tie for the lowest total is shared or played off.", EVERY_GAME)
    ] = "shared"
    stock_out: Annotated[
        Literal["reshuffle", "end"],
        Option("An empty stock is made anew from the pile, or ends the round.", EVERY_GAME - IN_FOUR_TURNS),
    ] = "reshuffle"
    turn_cap: Annotated[
        Positive, Option("The number of turns of each seat after which a round is stopped.", EVERY_GAME)
    ] = 60

    # Course of play

    end_mode: Annotated[
        Literal["all_up", "knock", "both"],
        Option("A round ends with a layout that is all face up, with a knock, or with whichever comes first.", FAMILY),
    ] = "all_up"
    final_turns: Annotated[
        Literal["one_each"] | None,
        Option(
            "Every other seat has one more turn after a layout is all face up.", FAMILY, needs=A_COMPLETE_LAYOUT_ENDS
        ),
    ] = None
    knock_ends_at_once: Annotated[
        bool,
        Option(
            "A knock ends the round at once, and no other seat has one more turn.",
            WITH_A_LAP_AFTER_A_KNOCK,
            needs=A_KNOCK,
        ),
    ] = False
    flip_on_discard: Annotated[
        Literal["may", "must", "must_unless_last", "never"],
        Option(
            "A seat that discards its stock card may or must turn one of its cards up; must_unless_last: the "
            "last one may stay down.",
            FAMILY | IN_TWO_DECK,
        ),
    ] = "may"
    flip_instead: Annotated[bool, Option("A seat may turn one of its cards up instead of drawing.", FAMILY)] = False
    initial_up: Annotated[Count, Option("The number of its cards that each seat turns up before play.", FAMILY)] = 2
    up_in_each_row: Annotated[
        bool,
        Option("Before play each seat turns up one card in each of its rows; `initial_up` is their number.", FAMILY),
    ] = False
    initial_look: Annotated[
        Look | None,
        Option(
            "The cards at which each seat looks in secret before play: its near row, all, or any K of its own.",
            WITH_A_LOOK,
        ),
    ] = None
    jack_skip: Annotated[bool, Option("A jack that goes to the pile costs the next seat its turn.", FAMILY)] = False
    cutthroat_trade: Annotated[
        bool, Option("A king from the stock may be traded for a face-up card of another seat.", FAMILY - {"four-card"})
    ] = False
    protect_ender: Annotated[
        bool,
        Option(
            "Trades and powers spare the cards of the seat that ends the round; slaps do so in Cactus only, and "
            "looks in all games but Cambio.",
            frozenset({"cutthroat", "cambio", "powers", "cactus"}),
        ),
    ] = False
    cambio_powers: Annotated[
        CambioPowers | None,
        Option(
            "The ranks with a power when they are discarded straight from the stock: a look at an own card or "
            "at another seat's, an exchange of two cards, or a new order of another seat's cards.",
            WITH_CAMBIO_POWERS,
        ),
    ] = None
    hidden_rearrange: Annotated[
        bool,
        Option(
            "Only the seat that rearranges another's cards sees which card went where.",
            WITH_REARRANGING,
            needs=A_REARRANGEMENT,
        ),
    ] = True
    powers_draw_pile: Annotated[bool, Option("The pile may be drawn; its first card is then turned up.", IN_POWERS)] = (
        False
    )
    shield_uses: Annotated[
        Positive | Literal["unlimited"], Option("The number of powers that a shield blocks.", IN_POWERS)
    ] = 1
    black_king_cancels: Annotated[
        Literal["discarded", "drawn"],
        Option("A black king from the stock cancels a knock when it is discarded, or when it is drawn.", IN_POWERS),
    ] = "discarded"
    slaps: Annotated[bool, Option("Each seat may throw an equal card onto a discard.", WITH_SLAPS)] = False
    slap_order: Annotated[
        Literal["reaction", "lottery", "clockwise"],
        Option(
            "The first of several slaps: the fastest, one drawn by lot, or that of the next seat clockwise.",
            WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = "reaction"
    photo_finish_us: Annotated[
        Count, Option("The microseconds within which slaps count as equally fast.", WITH_SLAPS, needs=SLAPS_TIMED)
    ] = 50
    slap_tries: Annotated[
        Positive,
        Option(
            "The number of times that all seats may slap at a discard while every slap at it was wrong.",
            WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = 1
    slap_match: Annotated[
        Literal["rank", "points"],
        Option("A slapped card must equal the discard in rank or in points.", WITH_SLAPS, needs=SLAPS),
    ] = "rank"
    late_card: Annotated[
        Literal["owner", "slapper"],
        Option(
            "Another seat's right card that comes too late goes to its owner or to the slapper.",
            WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = "owner"
    power_before_slaps: Annotated[
        bool, Option("The power of a discard comes before the slaps.", WITH_SLAPS, needs=SLAPS_AND_A_POWER)
    ] = False
    cactus_ranks: Annotated[
        Literal["01", "KA"], Option("The pack has the ranks 0 and 1, or a king for 0 and an ace for 1.", IN_CACTUS)
    ] = "01"
    pairs_leave: Annotated[
        Literal["any_turn", "next_turn"],
        Option(
            "A pair may be discarded in any later turn, or only in the turn after the one that made it.", IN_TWO_DECK
        ),
    ] = "any_turn"
    course: Annotated[Course | None, Option("The pars of the holes, one after the other.", PAR_GOLF)] = None
    par: Annotated[Par | None, Option("The par of all holes: strokes, and rows of two cards.", PAR_GOLF)] = None
    no_par: Annotated[
        bool, Option("The holes have no par: two rows, no strokes, and any seat may end them.", PAR_GOLF)
    ] = False
    par_choice: Annotated[
        Literal["fixed", "dealer"],
        Option(
            "The pars are fixed, or each hole's dealer chooses one that is left of `course`, or any without a course.",
            PAR_GOLF,
            needs=A_PAR,
        ),
    ] = "fixed"
    arrange: Annotated[
        Literal["after_look", "blind"],
        Option("The seats arrange their cards after their look, or leave them as they were dealt.", PAR_GOLF),
    ] = "after_look"
    par_table: Annotated[PairTable, Option("The score of the two cards of a row together.", PAR_GOLF)] = OURS_1
    strokes_per_turn: Annotated[
        Literal[1, "unlimited"],
        Option("The number of rows that a seat may take as strokes in a turn.", PAR_GOLF, needs=A_PAR),
    ] = 1
    no_par_first_end: Annotated[
        Positive, Option("The first of its turns in which a seat may end a hole without par.", PAR_GOLF, needs=NO_PAR)
    ] = 1

    # Card values

    joker_value: Annotated[int, Option("The points of a joker.", WITH_JOKERS, needs=JOKERS)] = -5
    joker_pair: Annotated[
        Literal["zero", "sum"] | int,
        Option(
            "The points of two neighbouring jokers: zero as equal cards, their sum, or this number.",
            WITH_JOKERS,
            needs=JOKERS,
        ),
    ] = "zero"
    queen_value: Annotated[Literal[10, 12, 13, 20], Option("The points of a queen.", FAMILY)] = 10
    qs40: Annotated[bool, Option("The queen of spades counts 40, and every eight 0.", FAMILY)] = False
    one_eyed_wild: Annotated[
        bool, Option("The jacks of spades and hearts take whatever rank cancels best.", FAMILY)
    ] = False
    one_eyed_pairs: Annotated[
        Lines,
        Option(
            "The lines along which such a jack also pairs with a neighbour (in nine-card golf: completes a line "
            "of three) where other cards do not cancel.",
            FAMILY,
            needs=WILD_JACKS_WITH_A_PLACE,
        ),
    ] = ()
    j0q12k13: Annotated[bool, Option("A jack counts 0, a queen 12 and a king 13.", FAMILY)] = False
    jack_value: Annotated[Literal[10, 20], Option("The points of a jack.", FAMILY)] = 10
    twos: Annotated[
        Literal["minus2", "plus2"], Option("A two counts -2 or 2.", WITH_A_KNOCK | PAR_GOLF, needs=OURS)
    ] = "minus2"
    kings15: Annotated[bool, Option("A king counts 15.", FAMILY)] = False
    values: Annotated[
        Points | None,
        Option("The points of ranks, or of single cards such as `QS`; all others keep theirs.", EVERY_GAME),
    ] = None

    # Combinations of cards

    cancel: Annotated[
        Lines, Option("The lines along which cards count 0 when all of the line are equal.", WITH_JOKERS)
    ] = ("col",)
    lines_leave: Annotated[
        bool,
        Option(
            "A line of `cancel` leaves the table for the pile as soon as its cards lie face up and are equal.",
            FAMILY,
            needs=LINES_THAT_CANCEL,
        ),
    ] = False
    cancel_pairs: Annotated[Lines, Option("The lines along which two equal neighbours count 0.", WITH_JOKERS)] = ()
    any_pair: Annotated[
        Literal["one_per_rank", "all_pairs"] | None,
        Option(
            "Pairs count 0 wherever they lie: one of each rank, or all; it replaces `cancel`.",
            frozenset({"four-card", "cambio", "four-turns"}),
        ),
    ] = None
    block_bonus: Annotated[int | None, Option("The points of four equal cards in a square together.", WITH_BLOCKS)] = (
        None
    )
    block_match: Annotated[
        Literal["rank", "points"],
        Option("The cards of such a square are equal in rank or in points.", WITH_BLOCKS, needs=BLOCKS),
    ] = "rank"
    straight_score: Annotated[
        int | None, Option("The score of a layout of nine consecutive ranks.", frozenset({"nine-card"}))
    ] = None
    four_kind_wins: Annotated[bool, Option("Four cards of one rank in a layout win the match at once.", FAMILY)] = False
    moon: Annotated[
        bool, Option("A seat that scores `moon_at` or more gets 0, and all others get that number.", FAMILY)
    ] = False
    moon_at: Annotated[int | None, Option("The points that `moon` asks for; none: ten for each card.", FAMILY)] = None
    kings_side: Annotated[
        int | None, Option("The points of a row of four kings together.", frozenset({"eight-card"}))
    ] = None
    pairs_zero_at_end: Annotated[bool, Option("A row of two equal cards counts 0 at the showdown.", IN_TWO_DECK)] = (
        False
    )

    # Knocker

    knock_penalty: Annotated[
        Penalty | None,
        Option(
            "The price of ending the round without being lowest: N points, the own score again, that and 5, the "
            "round's highest score, or twice the number of seats.",
            WITH_A_KNOCK | IN_TWO_DECK,
        ),
    ] = None
    knock_bonus: Annotated[
        Literal["zero", "minus_players"] | None,
        Option(
            "The reward for ending the round and being lowest: a score of 0, or a point less for each seat.",
            WITH_A_KNOCK,
        ),
    ] = None
    knock_tie: Annotated[
        Literal["neutral", "penalty", "bonus"],
        Option(
            "A tie for lowest is nothing, a penalty or a bonus to the seat that ended the round.",
            WITH_A_KNOCK | IN_TWO_DECK,
            needs=A_KNOCK_RULE,
        ),
    ] = "neutral"
    cactus_knock: Annotated[
        tuple[int, int], Option("The points above which a knocker's points are multiplied, and the factor.", IN_CACTUS)
    ] = (5, 2)

    @property
    def times_slaps(self) -> bool:
        """Whether it is measured who slaps first."""
        return self.slaps and self.slap_order == "reaction"


OPTIONS: Mapping[str, Option] = {
    field.name: next(one for one in get_args(field.type) if isinstance(one, Option)) for field in fields(Options)
}
"""What is declared of each option, by its name. The order is that of RULES.md 21."""

TYPES: Mapping[str, object] = {field.name: field.type for field in fields(Options)}
"""The type of the values that each option takes."""
