"""The options catalogue (RULES.md 21) as one table: each option is declared once, as a field of `Options`.

The type of a field says which values the option takes, its default what six-card golf does, and its `Option` all else
that is known of it. The rules read an option where they need it; check_options.py checks a set of options. What no
option changes is a field of `Variant` in variants.py.
"""

from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Meta, Struct
from msgspec.structs import fields

from protocol.cards import JOKER
from referee.rules.par_table import MOST_POINTS, OURS_1, ParTable, Score


class Games(Struct, frozen=True, kw_only=True):
    """The games that have an option, by their tags in RULES.md; `"SIX" in games` says whether six-card golf has it."""

    tags: frozenset[str]
    are_all_but: bool = False
    """Whether `tags` names the games that do not have the option."""

    def __contains__(self, tag: str) -> bool:
        return (tag in self.tags) != self.are_all_but


def only(*tags: str) -> Games:
    """Return these games and no others."""
    return Games(tags=frozenset(tags))


def all_but(*tags: str) -> Games:
    """Return every game but these; a game that is added later is among them."""
    return Games(tags=frozenset(tags), are_all_but=True)


EVERY_GAME = all_but()


class Need(Struct, frozen=True, kw_only=True):
    """What must hold so that an option has an effect (OPT-08)."""

    words: str
    """What is needed, in words that can follow "needs" in a message."""
    holds: "Callable[[Options], bool]"
    """Says whether a whole set of options has what is needed."""


class CardValues(Struct, frozen=True, kw_only=True):
    """The card values that an option sets, so that no two options set the value of one rank (OPT-01)."""

    ranks: "Callable[[Options], frozenset[str]]"
    """Returns the ranks, or single cards, whose values the option sets when it is not at its default."""
    when_named: bool = False
    """Whether they count as set only where somebody names the option, even with its default."""


def values_of(*ranks: str, when_named: bool = False) -> CardValues:
    """Return these ranks, whatever value the option has."""
    return CardValues(ranks=lambda _: frozenset(ranks), when_named=when_named)


class Option(Struct, frozen=True, kw_only=True):
    """What is declared of an option beside its type and its default. Tests ask for everything that follows from it."""

    does: str
    """One sentence that tells people what the option decides."""
    games: Games
    """The games that have the option (RULES.md section 21); in others it is an error (OPT-08)."""
    needs: Need | None = None
    sets: CardValues | None = None
    scores: bool = False
    """Whether the scores of a layout or of a round depend on it: the second scorer of the tests must then know it."""
    silent: str = ""
    """Why no sentence of a game's description depends on it; empty where one does."""


def option_of(kind: Any) -> Option | None:
    """Return the declaration in a field's type `Annotated[..., Option(...)]`, or None where there is none."""
    return next((one for one in get_args(kind)[1:] if isinstance(one, Option)), None)


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
        pattern=r"^(add:[1-9][0-9]{0,3}|double5|highest|twice_players)$",
        description='"add:N", "double5", "highest", "twice_players"',
    ),
]
Points = Annotated[
    dict[str, Score], Meta(description=f"a table by rank or card of integers from -{MOST_POINTS} to {MOST_POINTS}")
]
PairTable = Annotated[ParTable, Meta(description="a table as in PAR-26")]

# The games that options go with

FAMILY = frozenset({"SIX", "SGL", "FOU", "NIN", "EIG", "CUT"})
"""The kernel games on table B1, by their tags in RULES.md."""

IN_FAMILY = only(*FAMILY)
WITH_JOKERS = only(*FAMILY, "CMB")
WITH_SLAPS = only("CAC", "CMB")
WITH_BLOCKS = only("NIN", "EIG", "FOU")
IN_CACTUS = only("CAC")
IN_POWERS = only("POW")
IN_PAR_GOLF = only("PAR")

# What options need besides


def _can_rearrange(options: "Options") -> bool:
    return options.cambio_powers is None or "rearrange" in options.cambio_powers.values()


def _can_complete(options: "Options") -> bool:
    return options.final_turns is None or options.end_mode != "knock"


JOKERS = Need(words="`jokers` above 0", holds=lambda options: options.jokers > 0)
A_COMPLETE_LAYOUT_ENDS = Need(words='`end_mode` "all_up" or "both"', holds=_can_complete)
A_REARRANGEMENT = Need(words="the power `rearrange`", holds=_can_rearrange)
SLAPS = Need(words="`slaps`", holds=lambda options: options.slaps)
SLAPS_TIMED = Need(words='`slap_order = "reaction"`', holds=lambda options: options.times_slaps)
SLAPS_AND_A_POWER = Need(
    words="`slaps`, and a power in `cambio_powers`",
    holds=lambda options: options.slaps and options.cambio_powers != {},
)
BLOCKS = Need(words="`block_bonus`", holds=lambda options: options.block_bonus is not None)
OURS = Need(words="the `par_table` ours-1", holds=lambda options: options.par_table == OURS_1)
WILD_JACKS_WITH_A_PLACE = Need(
    words="`one_eyed_wild`, and no `any_pair`",
    holds=lambda options: options.one_eyed_wild and options.any_pair is None,
)
NO_PAR = Need(words="`no_par`", holds=lambda options: options.no_par)
A_PAR = Need(words="holes with a par", holds=lambda options: not options.no_par)
A_KNOCK_RULE = Need(
    words="`knock_penalty` or `knock_bonus`", holds=lambda options: bool(options.knock_penalty or options.knock_bonus)
)


def _named_in_par_table(options: "Options") -> frozenset[str]:
    values = options.par_table.values
    return frozenset[str]() if values == "B1" else frozenset(values)


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option of every game, with the default of the six-card family.

    None means "not set". Order and names follow the tables of RULES.md 21.
    """

    # Match and table (21.1)

    rounds: Annotated[
        Positive | None,
        Option(does="How many rounds a match has at most; none: as many as `limit` allows.", games=EVERY_GAME),
    ] = 9
    limit: Annotated[
        int | None,
        Option(does="The total that ends the match after the round in which a seat has it.", games=EVERY_GAME),
    ] = None
    limit_mode: Annotated[
        Literal["reach", "exceed"],
        Option(does="Whether a total has to reach `limit` or to exceed it to end the match.", games=EVERY_GAME),
    ] = "reach"
    decks: Annotated[
        Literal["auto", 1, 2, 3],
        Option(
            does="How many packs are shuffled together; auto: as many as the game's rules say for so many seats.",
            games=all_but("CAC", "T4", "PAR"),
            silent="the `cards` of a match say how many cards there are",
        ),
    ] = "auto"
    jokers: Annotated[
        Annotated[int, Meta(ge=0, le=8)], Option(does="How many jokers each pack has.", games=WITH_JOKERS)
    ] = 0
    first_dealer: Annotated[
        Count,
        Option(
            does="The seat that deals the first round.",
            games=EVERY_GAME,
            silent="the event `round` names the dealer",
        ),
    ] = 0
    fixed_starter: Annotated[
        bool,
        Option(does="Whether the seat left of the dealer starts each round, whatever the totals are.", games=IN_CACTUS),
    ] = False
    tiebreak: Annotated[
        Literal["shared", "playoff"],
        Option(does="Whether a tie for the lowest total is shared or played off.", games=EVERY_GAME),
    ] = "shared"
    stock_out: Annotated[
        Literal["reshuffle", "end"],
        Option(does="Whether an empty stock is made anew from the pile or ends the round.", games=all_but("T4")),
    ] = "reshuffle"
    turn_cap: Annotated[Positive, Option(does="After how many turns a seat a round is stopped.", games=EVERY_GAME)] = 60

    # Course of play (21.2)

    end_mode: Annotated[
        Literal["all_up", "knock", "both"],
        Option(
            does="What ends a round: a layout that is all face up, a knock, or whichever comes first.", games=IN_FAMILY
        ),
    ] = "all_up"
    final_turns: Annotated[
        Literal["one_each"] | None,
        Option(
            does="Whether every other seat has one more turn when a layout is all face up.",
            games=IN_FAMILY,
            needs=A_COMPLETE_LAYOUT_ENDS,
        ),
    ] = None
    flip_on_discard: Annotated[
        Literal["may", "must", "must_unless_last", "never"],
        Option(
            does="Whether a seat that discards its stock card may or must turn one of its own cards up.",
            games=only(*FAMILY, "TDK"),
        ),
    ] = "may"
    flip_instead: Annotated[
        bool, Option(does="Whether a seat may turn one of its own cards up instead of drawing.", games=IN_FAMILY)
    ] = False
    initial_up: Annotated[
        Count, Option(does="How many of its own cards each seat turns up before play.", games=IN_FAMILY)
    ] = 2
    initial_look: Annotated[
        Look | None,
        Option(
            does="At which of its own cards each seat looks in secret before play: its near row, any K, or all.",
            games=only("FOU", "CMB", "POW"),
        ),
    ] = None
    jack_skip: Annotated[
        bool, Option(does="Whether a jack that goes to the pile costs the next seat its turn.", games=IN_FAMILY)
    ] = False
    cutthroat_trade: Annotated[
        bool,
        Option(
            does="Whether a king from the stock may be traded for a face-up card of another seat.",
            games=only("SIX", "SGL", "NIN", "EIG", "CUT"),
        ),
    ] = False
    protect_ender: Annotated[
        bool,
        Option(
            does="Whether trades and powers spare the cards of the seat that ends the round; "
            "slaps do so in Cactus only, and looks in all games but Cambio.",
            games=only("CUT", "CMB", "POW", "CAC"),
        ),
    ] = False
    cambio_powers: Annotated[
        CambioPowers | None,
        Option(
            does="Which ranks have a power when they are discarded straight from the stock, and which one.",
            games=only("FOU", "CMB"),
        ),
    ] = None
    hidden_rearrange: Annotated[
        bool,
        Option(
            does="Whether only the seat that rearranges another's cards knows which card went where.",
            games=only("CMB", "POW"),
            needs=A_REARRANGEMENT,
        ),
    ] = True
    powers_draw_pile: Annotated[
        bool, Option(does="Whether the pile may be drawn; its first card is then turned up.", games=IN_POWERS)
    ] = False
    shield_uses: Annotated[
        Positive | Literal["unlimited"], Option(does="How many powers a shield blocks.", games=IN_POWERS)
    ] = 1
    black_king_cancels: Annotated[
        Literal["discarded", "drawn"],
        Option(
            does="Whether a black king from the stock cancels a knock by being discarded for it, or by being drawn.",
            games=IN_POWERS,
        ),
    ] = "discarded"
    slaps: Annotated[
        bool,
        Option(does="Whether each seat may throw a card onto an equal one right after a discard.", games=WITH_SLAPS),
    ] = False
    slap_order: Annotated[
        Literal["reaction", "lottery", "clockwise"],
        Option(
            does="Who is first among several slaps: the fastest, whom the lot draws, or who sits next.",
            games=WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = "reaction"
    photo_finish_us: Annotated[
        Count,
        Option(
            does="Within how many microseconds of each other slaps count as equally fast.",
            games=WITH_SLAPS,
            needs=SLAPS_TIMED,
        ),
    ] = 50
    slap_tries: Annotated[
        Positive,
        Option(
            does="How often everybody may slap at a discard as long as all slaps at it were wrong.",
            games=WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = 1
    slap_match: Annotated[
        Literal["rank", "points"],
        Option(
            does="Whether a slapped card must be equal to the discard in rank or in points.",
            games=WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = "rank"
    late_card: Annotated[
        Literal["owner", "slapper"],
        Option(
            does="Who gets a right card of another seat that comes too late: its owner back, or the slapper.",
            games=WITH_SLAPS,
            needs=SLAPS,
        ),
    ] = "owner"
    power_before_slaps: Annotated[
        bool,
        Option(
            does="Whether the power of a discard is used before the others may slap.",
            games=WITH_SLAPS,
            needs=SLAPS_AND_A_POWER,
        ),
    ] = False
    cactus_ranks: Annotated[
        Literal["01", "KA"],
        Option(
            does="Whether the pack has the ranks 0 and 1, or a king for 0 and an ace for 1.",
            games=IN_CACTUS,
            sets=values_of("K", "A"),
        ),
    ] = "01"
    pairs_leave: Annotated[
        Literal["any_turn", "next_turn"],
        Option(
            does="Whether a pair may be discarded in any later turn, or only in the turn after the one that made it.",
            games=only("TDK"),
        ),
    ] = "any_turn"
    course: Annotated[Course | None, Option(does="The pars of the holes, one after the other.", games=IN_PAR_GOLF)] = (
        None
    )
    par: Annotated[
        Par | None, Option(does="The par of all holes: strokes, and rows of two cards.", games=IN_PAR_GOLF)
    ] = None
    no_par: Annotated[
        bool,
        Option(
            does="Whether the holes have no par: two rows, no strokes, and any seat may end them.", games=IN_PAR_GOLF
        ),
    ] = False
    par_choice: Annotated[
        Literal["fixed", "dealer"],
        Option(
            does="Whether the pars are fixed, or the dealer of each hole chooses its par: one that is left of "
            "`course`, or without a course any of 3 to 5.",
            games=IN_PAR_GOLF,
            needs=A_PAR,
        ),
    ] = "fixed"
    arrange: Annotated[
        Literal["after_look", "blind"],
        Option(
            does="Whether the seats arrange their cards after their look, or leave them as dealt.", games=IN_PAR_GOLF
        ),
    ] = "after_look"
    par_table: Annotated[
        PairTable,
        Option(
            does="What the two cards of a row score together.",
            games=IN_PAR_GOLF,
            sets=CardValues(ranks=_named_in_par_table),
            scores=True,
        ),
    ] = OURS_1
    strokes_per_turn: Annotated[
        Literal[1, "unlimited"],
        Option(does="How many rows a seat may take as strokes in a turn.", games=IN_PAR_GOLF, needs=A_PAR),
    ] = 1
    no_par_first_end: Annotated[
        Positive,
        Option(does="From which of its turns on a seat may end a hole without par.", games=IN_PAR_GOLF, needs=NO_PAR),
    ] = 1

    # Card values (21.3)

    joker_value: Annotated[
        int,
        Option(
            does="What a joker counts.",
            games=WITH_JOKERS,
            needs=JOKERS,
            sets=values_of(JOKER, when_named=True),
            scores=True,
        ),
    ] = -5
    joker_pair: Annotated[
        Literal["zero", "sum"] | int,
        Option(
            does="What two neighbouring jokers count: nothing as equal cards, their sum, or this number.",
            games=WITH_JOKERS,
            needs=JOKERS,
            scores=True,
        ),
    ] = "zero"
    queen_value: Annotated[
        Literal[10, 12, 13, 20],
        Option(does="What a queen counts.", games=IN_FAMILY, sets=values_of("Q"), scores=True),
    ] = 10
    qs40: Annotated[
        bool,
        Option(
            does="Whether the queen of spades counts 40 and an eight 0.",
            games=IN_FAMILY,
            sets=values_of("Q", "8"),
            scores=True,
        ),
    ] = False
    one_eyed_wild: Annotated[
        bool,
        Option(
            does="Whether the jacks of spades and hearts take whatever rank cancels best.", games=IN_FAMILY, scores=True
        ),
    ] = False
    one_eyed_pairs: Annotated[
        Lines,
        Option(
            does="Along which lines such a jack pairs with a neighbour (in nine-card golf: completes a line of three) "
            "also where other cards do not cancel.",
            games=IN_FAMILY,
            needs=WILD_JACKS_WITH_A_PLACE,
            scores=True,
        ),
    ] = ()
    j0q12k13: Annotated[
        bool,
        Option(
            does="Whether a jack counts 0, a queen 12 and a king 13.",
            games=IN_FAMILY,
            sets=values_of("J", "Q", "K"),
            scores=True,
        ),
    ] = False
    jack_value: Annotated[
        Literal[10, 20],
        Option(does="What a jack counts.", games=IN_FAMILY, sets=values_of("J", when_named=True), scores=True),
    ] = 10
    twos: Annotated[
        Literal["minus2", "plus2"],
        Option(
            does="Whether a two counts -2 or 2.",
            games=only(*FAMILY, "CMB", "POW", "PAR"),
            needs=OURS,
            sets=values_of("2"),
            scores=True,
        ),
    ] = "minus2"
    kings15: Annotated[
        bool, Option(does="Whether a king counts 15.", games=IN_FAMILY, sets=values_of("K"), scores=True)
    ] = False
    values: Annotated[
        Points | None,
        Option(
            does="What ranks, or single cards, count; those that are not named keep their value.",
            games=EVERY_GAME,
            sets=CardValues(ranks=lambda options: frozenset(options.values or ())),
            scores=True,
        ),
    ] = None

    # Combinations of cards (21.4)

    cancel: Annotated[
        Lines,
        Option(
            does="Along which lines equal cards count 0 when all of the line are equal.", games=WITH_JOKERS, scores=True
        ),
    ] = ("col",)
    cancel_pairs: Annotated[
        Lines, Option(does="Along which lines two equal neighbours count 0.", games=WITH_JOKERS, scores=True)
    ] = ()
    any_pair: Annotated[
        Literal["one_per_rank", "all_pairs"] | None,
        Option(
            does="Whether pairs count 0 wherever they lie: one of each rank, or all of them.",
            games=only("FOU", "T4", "CMB"),
            scores=True,
        ),
    ] = None
    block_bonus: Annotated[
        int | None, Option(does="What four equal cards in a square count together.", games=WITH_BLOCKS, scores=True)
    ] = None
    block_match: Annotated[
        Literal["rank", "points"],
        Option(
            does="Whether the cards of such a square are equal in rank or in points.",
            games=WITH_BLOCKS,
            needs=BLOCKS,
            scores=True,
        ),
    ] = "rank"
    straight_score: Annotated[
        int | None,
        Option(does="What a layout of nine consecutive ranks scores in all.", games=only("NIN"), scores=True),
    ] = None
    four_kind_wins: Annotated[
        bool, Option(does="Whether four cards of one rank in a layout win the match at once.", games=IN_FAMILY)
    ] = False
    moon: Annotated[
        bool,
        Option(
            does="Whether a seat that scores `moon_at` or more gets 0, and all others get that number.",
            games=IN_FAMILY,
            scores=True,
        ),
    ] = False
    moon_at: Annotated[
        int | None,
        Option(does="How many points `moon` asks for; none: ten for each card.", games=IN_FAMILY, scores=True),
    ] = None
    kings_side: Annotated[
        int | None, Option(does="What a row of four kings counts together.", games=only("EIG"), scores=True)
    ] = None
    pairs_zero_at_end: Annotated[
        bool, Option(does="Whether a row of two equal cards counts 0 at the showdown.", games=only("TDK"), scores=True)
    ] = False

    # Knocker (21.5)

    knock_penalty: Annotated[
        Penalty | None,
        Option(
            does="What it costs to end the round without being lowest.",
            games=only(*FAMILY, "CMB", "POW", "TDK"),
            scores=True,
        ),
    ] = None
    knock_bonus: Annotated[
        Literal["zero", "minus_players"] | None,
        Option(does="What it earns to end the round and be lowest.", games=only(*FAMILY, "CMB", "POW"), scores=True),
    ] = None
    knock_tie: Annotated[
        Literal["neutral", "penalty", "bonus"],
        Option(
            does="What a tie for lowest is to the seat that ended the round.",
            games=only(*FAMILY, "CMB", "POW", "TDK"),
            needs=A_KNOCK_RULE,
            scores=True,
        ),
    ] = "neutral"
    cactus_knock: Annotated[
        tuple[int, int],
        Option(
            does="From how many points on a knocker's points are multiplied, and by what.", games=IN_CACTUS, scores=True
        ),
    ] = (5, 2)

    @property
    def times_slaps(self) -> bool:
        """Whether it is measured who slaps first."""
        return self.slaps and self.slap_order == "reaction"


def _declarations() -> dict[str, Option]:
    found = {field.name: option_of(field.type) for field in fields(Options)}
    if bare := [name for name, option in found.items() if option is None]:
        raise TypeError(f"{', '.join(bare)}: not declared; write `Annotated[..., Option(does=..., games=...)]`")
    return {name: option for name, option in found.items() if option is not None}


OPTIONS: Mapping[str, Option] = _declarations()
"""What is declared of each option, by its name. The order is that of RULES.md 21."""

TYPES: Mapping[str, object] = {field.name: field.type for field in fields(Options)}
"""The type of the values that each option takes."""
