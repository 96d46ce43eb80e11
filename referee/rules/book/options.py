"""The options catalogue (RULES.md 21): one frozen struct, what each option combines with, and the conflict rules.

An option is read where its rule stands; this module only says which values and combinations exist. Structure that no
option changes (grid, pack, which flow of play) is the variant's, see variants.py.
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import fields

from protocol.cards import CACTUS_RANKS, EXTRA_SUITS, JOKER, RANKS, SUITS, is_card, rank, suit
from referee.rules.book.par_table import OURS_1, ParTable

Line = Literal["col", "row", "diag"]
Lines = tuple[Line, ...]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Look = Annotated[str, Meta(pattern=r"^(near_row|all|any:[1-9])$")]
Par = Literal[3, 4, 5]
CambioPower = Literal["peek_own", "peek_other", "exchange", "rearrange"]
"""What a discarded card allows (CMB-06): J, Q, K and joker in this order."""

Penalty = Annotated[str, Meta(pattern=r"^(add:[1-9][0-9]{0,3}|double5|highest|twice_players)$")]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option that the games in this referee have, with the default of the six-card family.

    None means "not set". Order and names follow the tables of RULES.md 21.
    """

    rounds: Positive | None = 9
    limit: int | None = None
    limit_mode: Literal["reach", "exceed"] = "reach"
    decks: Literal["auto", 1, 2, 3] = "auto"
    jokers: Annotated[int, Meta(ge=0, le=8)] = 0
    first_dealer: Count = 0
    fixed_starter: bool = False
    tiebreak: Literal["shared", "playoff"] = "shared"
    stock_out: Literal["reshuffle", "end"] = "reshuffle"
    turn_cap: Positive = 60

    end_mode: Literal["all_up", "knock", "both"] = "all_up"
    final_turns: Literal["one_each"] | None = None
    flip_on_discard: Literal["may", "must", "must_unless_last", "never"] = "may"
    flip_instead: bool = False
    initial_up: Count = 2
    initial_look: Look | None = None
    jack_skip: bool = False
    cutthroat_trade: bool = False
    protect_ender: bool = False
    cambio_powers: dict[str, CambioPower] | None = None
    hidden_rearrange: bool = True
    powers_draw_pile: bool = False
    shield_uses: Positive | Literal["unlimited"] = 1
    slaps: bool = False
    slap_order: Literal["reaction", "lottery", "clockwise"] = "reaction"
    photo_finish_us: Count = 50
    cactus_ranks: Literal["01", "KA"] = "01"
    course: Annotated[tuple[Par, ...], Meta(min_length=1, max_length=100)] | None = None
    par: Par | None = None
    no_par: bool = False
    arrange: Literal["after_look", "blind"] = "after_look"
    par_table: ParTable = OURS_1
    strokes_per_turn: Literal[1, "unlimited"] = 1
    no_par_first_end: Positive = 1

    joker_value: int = -5
    joker_pair: Literal["zero", "sum"] | int = "zero"
    queen_value: Literal[10, 12, 13, 20] = 10
    qs40: bool = False
    one_eyed_wild: bool = False
    j0q12k13: bool = False
    jack_value: Literal[10, 20] = 10
    twos: Literal["minus2", "plus2"] = "minus2"
    kings15: bool = False
    values: dict[str, int] | None = None

    cancel: Lines = ("col",)
    cancel_pairs: Lines = ()
    any_pair: Literal["one_per_rank", "all_pairs"] | None = None
    block_bonus: int | None = None
    block_match: Literal["rank", "points"] = "rank"
    straight_score: int | None = None
    four_kind_wins: bool = False
    moon: bool = False
    moon_at: int | None = None
    kings_side: int | None = None
    pairs_zero_at_end: bool = False

    knock_penalty: Penalty | None = None
    knock_bonus: Literal["zero", "minus_players"] | None = None
    knock_tie: Literal["neutral", "penalty", "bonus"] = "neutral"
    cactus_knock: tuple[int, int] = (5, 2)


class OptionProblem(Struct, frozen=True):
    """One thing that is wrong with a set of options; `option` names the culprit."""

    option: str
    text: str


class BadOptions(ValueError):
    """A set of options that no game can be played with; `problems` holds all that was found."""

    def __init__(self, problems: list[OptionProblem]) -> None:
        super().__init__("; ".join(f"{problem.option}: {problem.text}" for problem in problems))
        self.problems = problems


FAMILY = frozenset({"SIX", "SGL", "FOU", "NIN", "EIG", "CUT"})
"""The kernel games on table B1, by their tags in RULES.md."""

_ALL = FAMILY | {"CMB", "POW", "CAC", "T4", "TDK", "PAR"}

_FAMILY_ONLY = (
    "end_mode", "final_turns", "flip_instead", "initial_up", "jack_skip", "queen_value", "qs40", "one_eyed_wild",
    "j0q12k13", "jack_value", "kings15", "four_kind_wins", "moon", "moon_at",
)  # fmt: skip

COMBINES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("rounds", "limit", "limit_mode", "first_dealer", "tiebreak", "turn_cap"), _ALL),
    **dict.fromkeys(_FAMILY_ONLY, FAMILY),
    **dict.fromkeys(("jokers", "joker_value", "joker_pair", "cancel", "cancel_pairs"), FAMILY | {"CMB"}),
    **dict.fromkeys(("slaps", "slap_order", "photo_finish_us"), frozenset({"CAC", "CMB"})),
    **dict.fromkeys(("fixed_starter", "cactus_ranks", "cactus_knock"), frozenset({"CAC"})),
    "decks": _ALL - {"CAC", "T4", "PAR"},
    "stock_out": _ALL - {"T4"},
    "flip_on_discard": FAMILY | {"TDK"},
    "initial_look": frozenset({"FOU", "CMB", "POW"}),
    "cambio_powers": frozenset({"FOU", "CMB"}),
    "hidden_rearrange": frozenset({"CMB", "POW"}),
    **dict.fromkeys(("powers_draw_pile", "shield_uses"), frozenset({"POW"})),
    **dict.fromkeys(
        ("course", "par", "no_par", "arrange", "par_table", "strokes_per_turn", "no_par_first_end"), frozenset({"PAR"})
    ),
    "any_pair": frozenset({"FOU", "T4", "CMB"}),
    **dict.fromkeys(("block_bonus", "block_match"), frozenset({"NIN", "EIG", "FOU"})),
    "straight_score": frozenset({"NIN"}),
    "kings_side": frozenset({"EIG"}),
    "pairs_zero_at_end": frozenset({"TDK"}),
    "cutthroat_trade": frozenset({"SIX", "SGL", "NIN", "EIG", "CUT"}),
    "protect_ender": frozenset({"CUT", "CMB", "POW", "CAC"}),
    "twos": FAMILY | {"CMB", "POW", "PAR"},
    "values": _ALL,
    "knock_penalty": FAMILY | {"CMB", "POW", "TDK"},
    "knock_bonus": FAMILY | {"CMB", "POW"},
    "knock_tie": FAMILY | {"CMB", "POW", "TDK"},
}
"""Option -> the games (tags of RULES.md) that it combines with (OPT-08)."""

NOT_OPTIONS = {
    "variant": "preset", "preset": "preset", "seats": "seats", "bots": "[[bots]]", "seed": "[tournament] seed",
    "start_s": "[time] start_s", "move_s": "[time] move_s", "bank_s": "[time] bank_s", "slap_s": "[time] slap_s",
    "slap_timing": "[time] slap_timing",
}  # fmt: skip
"""Settings of the match that are easily taken for options (RULES.md 21), with the key that is meant."""


def change(base: Options, tag: str, changes: Mapping[str, Any]) -> Options:
    """`base` with `changes` (option -> value as TOML or JSON gives it; "none" and None mean "not set").

    Raises BadOptions with every problem: unknown names, wrong values, combinations that section 21 excludes.
    """
    problems: list[OptionProblem] = []
    values = {name: getattr(base, name) for name in Options.__struct_fields__}
    for name, given in changes.items():
        try:
            values[name] = _value(name, given)
        except (KeyError, ValidationError) as error:
            text = str(error) if isinstance(error, ValidationError) else unknown_option(name)
            problems.append(OptionProblem(name, text))
    options = Options(**{name: values[name] for name in Options.__struct_fields__})
    sound = {name for name in changes if name not in {problem.option for problem in problems}}
    problems += _conflicts(options, tag, sound)
    if problems:
        raise BadOptions(problems)
    return options


def unknown_option(name: str) -> str:
    """What to tell somebody who named an option that does not exist, with the nearest that does."""
    if name in NOT_OPTIONS:
        return f"is no option but a setting of the match: use `{NOT_OPTIONS[name]}`"
    near = get_close_matches(name, Options.__struct_fields__, n=1)
    return "unknown option" + (f"; did you mean `{near[0]}`?" if near else "")


_TYPES = {option.name: option.type for option in fields(Options)}


def _value(name: str, given: Any) -> Any:
    kind = _TYPES[name]
    if given == "none":
        given = () if kind == Lines else None
    if isinstance(given, bool) and kind is not bool:
        raise ValidationError(f"expected {_expected(kind)}, got {str(given).lower()}")
    try:
        return convert(given, kind)
    except ValidationError as error:
        wrong = f": {error}" if kind is ParTable else f", got {given!r}"
        raise ValidationError(f"expected {_expected(kind)}{wrong}") from None


def _expected(kind: Any) -> str:
    """A type of `Options` in the words of the catalogue."""
    if kind in _WORDS:
        return _WORDS[kind]
    origin, args = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if origin is Literal:
        return ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in args)
    if origin is tuple:
        return f"a list of {len(args)} integers"
    if meta := getattr(kind, "__metadata__", None):
        return f"an integer from {meta[0].ge}" + (f" to {meta[0].le}" if meta[0].le is not None else " up")
    return " or ".join(_expected(one) for one in args)


_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "an integer",
    type(None): '"none"',
    dict[str, int]: "a table of integers by rank or card",
    Lines: 'a list of "col", "row", "diag"',
    Penalty: '"add:N", "double5", "highest", "twice_players"',
    Look: '"near_row", "all", "any:K"',
    dict[str, CambioPower]: "a table from rank to peek_own, peek_other, exchange or rearrange",
    ParTable: "a table as in PAR-26",
}


def _conflicts(options: Options, tag: str, given: set[str]) -> Iterator[OptionProblem]:
    """OPT-01..OPT-08 for the options that were set explicitly."""
    for name in sorted(given):
        if tag not in COMBINES[name]:
            yield OptionProblem(name, "does not go with this game (OPT-08)")
    for name, needed, holds in _NEEDS:
        if name in given and tag in COMBINES[name] and not holds(options):
            yield OptionProblem(name, f"needs {needed} (OPT-08)")
    yield from _stray_keys(options, tag)
    yield from _value_conflicts(options, tag, given)


_NEEDS: tuple[tuple[str, str, Callable[[Options], bool]], ...] = (
    ("final_turns", '`end_mode` "all_up" or "both"', lambda o: o.final_turns is None or o.end_mode != "knock"),
    ("joker_value", "`jokers` above 0", lambda o: o.jokers > 0),
    ("joker_pair", "`jokers` above 0", lambda o: o.jokers > 0),
    ("block_match", "`block_bonus`", lambda o: o.block_bonus is not None),
    ("hidden_rearrange", "the power `rearrange`", lambda o: o.cambio_powers is None or _rearranges(o)),
    ("twos", "the `par_table` ours-1", lambda o: o.par_table == OURS_1),
    ("no_par_first_end", "`no_par`", lambda o: o.no_par),
    ("strokes_per_turn", "holes with a par", lambda o: not o.no_par),
    ("knock_tie", "`knock_penalty` or `knock_bonus`", lambda o: bool(o.knock_penalty or o.knock_bonus)),
    ("slap_order", "`slaps`", lambda o: o.slaps),
    ("photo_finish_us", '`slap_order = "reaction"`', lambda o: o.slaps and o.slap_order == "reaction"),
)


def _rearranges(options: Options) -> bool:
    return "rearrange" in (options.cambio_powers or {}).values()


def _value_setters(options: Options, tag: str, given: set[str]) -> list[tuple[str, frozenset[str]]]:
    """The options in force that set card values, each with the ranks (or single cards) that it sets."""
    par_values = {} if options.par_table.values == "B1" else options.par_table.values
    setters = [
        ("queen_value", {"Q"}, options.queen_value != 10),
        ("jack_value", {"J"}, options.jack_value != 10 or "jack_value" in given),
        ("qs40", {"Q", "8"}, options.qs40),
        ("j0q12k13", {"J", "Q", "K"}, options.j0q12k13),
        ("kings15", {"K"}, options.kings15),
        ("twos", {"2"}, options.twos != "minus2"),
        ("joker_value", {JOKER}, options.joker_value != -5),
        ("cactus_ranks", {"K", "A"}, options.cactus_ranks != "01"),
        ("par_table", {str(key) for key in par_values}, bool(par_values)),
        ("values", set(options.values or ()), bool(options.values)),
    ]
    return [(name, frozenset(ranks)) for name, ranks, active in setters if active and tag in COMBINES[name]]


def _value_conflicts(options: Options, tag: str, given: set[str]) -> Iterator[OptionProblem]:
    """OPT-01: no two options set the value of the same rank."""
    setters = _value_setters(options, tag, given)
    for index, (name, ranks) in enumerate(setters):
        for other, theirs in setters[:index]:
            both = {_rank_of(key) for key in ranks} & {_rank_of(key) for key in theirs}
            if both:
                which = ", ".join(sorted(both))
                culprit, against = (name, other) if name in given else (other, name)
                yield OptionProblem(culprit, f"sets the value of {which}, and so does `{against}` (OPT-01)")


def _stray_keys(options: Options, tag: str) -> Iterator[OptionProblem]:
    """Keys of tables that name no rank and no card."""
    for key in options.values or ():
        if not _is_in_pack(key, options, tag):
            yield OptionProblem("values", f"`{key}` is neither a rank nor a card of this pack")
    for key in options.cambio_powers or ():
        if key not in (*RANKS, JOKER):
            yield OptionProblem("cambio_powers", f"`{key}` is no rank; a joker is `{JOKER}`")


def _is_in_pack(key: str, options: Options, tag: str) -> bool:
    """Whether `key` is a rank, the joker's included, or a single card that a game of this tag can deal."""
    if key == JOKER:
        return tag in COMBINES["jokers"]
    ranks = CACTUS_RANKS if tag == "CAC" and options.cactus_ranks == "01" else RANKS
    suits = SUITS + EXTRA_SUITS if tag == "CAC" else SUITS
    return key in ranks or (is_card(key) and rank(key) in ranks and suit(key) in suits)


def _rank_of(key: str) -> str:
    return key if key in RANKS or key in CACTUS_RANKS or key == JOKER else rank(key)
