"""The variants: named presets of the options, and the structure that no option changes.

Adding a variant that recombines existing options is one entry of `PRESETS`.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal

from msgspec import Struct, convert
from msgspec.structs import asdict, replace

from protocol.cards import CACTUS_RANKS, EXTRA_SUITS, JOKER, RANKS, SUITS, Card
from referee.rules.book.changes import BadOptions, OptionProblem, change
from referee.rules.book.options import OPTIONS, Options
from referee.rules.book.par_table import OURS_1

COURSE = (4, 3, 4, 5, 4, 4, 3, 5, 4)
"""The default course (PAR-22, AMB-73)."""


class Variant(Struct, frozen=True, kw_only=True):
    """A game that can be played: structure and options."""

    preset: str
    """The preset's name, as users and bots see it."""
    tag: str
    """The section of RULES.md that it belongs to."""
    flow: Literal["kernel", "cactus", "cambio", "powers", "four_turns", "two_deck", "par"]
    """Which course of play its rounds follow."""
    summary: str
    seats: tuple[int, int]
    """Fewest and most seats (with the preset's own packs)."""
    rows: int
    columns: int
    near_row: tuple[int, ...] = ()
    """The slots that every seat looks at before play, where the game has such a look."""
    options: Options

    def has(self, option: str) -> bool:
        """Whether the game has the option of this name (OPT-08); where it has not, its value means nothing."""
        return self.tag in OPTIONS[option].games

    def own_options(self) -> dict[str, Any]:
        """The options that the game has, with their values, in the order of RULES.md 21."""
        return {name: getattr(self.options, name) for name in OPTIONS if self.has(name)}


class UnknownVariant(ValueError):
    """No preset has this name; the text suggests the nearest."""


_SIX = Variant(
    preset="six-card",
    tag="SIX",
    flow="kernel",
    summary="Two rows of three, column pairs cancel, a complete layout ends the round.",
    seats=(2, 8),
    rows=2,
    columns=3,
    options=Options(),
)

_HIDDEN = Options(
    end_mode="knock",
    final_turns="one_each",
    flip_on_discard="never",
    initial_up=0,
    initial_look="near_row",
    cancel=(),
)
"""Common to the games whose cards stay face down until the showdown."""


def _family(
    name: str, tag: str, summary: str, seats: tuple[int, int], grid: tuple[int, int], **options: Any
) -> Variant:
    """A kernel game that differs from six-card golf in its grid and options."""
    return replace(
        _SIX,
        preset=name,
        tag=tag,
        summary=summary,
        seats=seats,
        rows=grid[0],
        columns=grid[1],
        options=Options(**options),
    )


def _par(name: str, summary: str, **options: Any) -> Variant:
    """A form of par golf; its rows are those of the highest par that it plays (PAR-02, PAR-03)."""
    rows = max(options.get("course") or (options.get("par", 2),))
    return Variant(
        preset=name,
        tag="PAR",
        flow="par",
        summary=summary,
        seats=(2, 4),
        rows=rows,
        columns=2,
        options=replace(_HIDDEN, initial_look="all", **options),
    )


PRESETS: Mapping[str, Variant] = {
    variant.preset: variant
    for variant in (
        _SIX,
        replace(
            _SIX,
            preset="six-card-knock",
            summary="Six-card golf in which a knock ends the round.",
            options=Options(end_mode="knock"),
        ),
        _family("single-deck", "SGL", "Six-card golf with one pack for two to four players.", (2, 4), (2, 3), decks=1),
        _family(
            "four-card",
            "FOU",
            "Two rows of two, column pairs cancel, a knock ends the round.",
            (3, 7),
            (2, 2),
            decks=1,
            end_mode="knock",
        ),
        _family(
            "nine-card",
            "NIN",
            "Three rows of three, column triples cancel; over when a total exceeds 50.",
            (2, 10),
            (3, 3),
            initial_up=0,
            limit=50,
            limit_mode="exceed",
            joker_value=-4,
        ),
        _family(
            "eight-card",
            "EIG",
            "Two rows of four, column pairs cancel, a side of four kings counts -16.",
            (2, 6),
            (2, 4),
            kings_side=-16,
        ),
        _family(
            "cutthroat",
            "CUT",
            "Six-card golf with kings worth 15 that can be traded for an opponent's card.",
            (2, 8),
            (2, 3),
            kings15=True,
            cutthroat_trade=True,
        ),
        Variant(
            preset="cambio",
            tag="CMB",
            flow="cambio",
            summary="Four hidden cards; discarded J, Q, K and jokers look, swap and rearrange; a knock ends the round.",
            seats=(2, 10),
            rows=2,
            columns=2,
            near_row=(2, 3),
            options=replace(
                _HIDDEN,
                jokers=2,
                cambio_powers={"J": "peek_own", "Q": "peek_other", "K": "exchange", JOKER: "rearrange"},
            ),
        ),
        Variant(
            preset="powers",
            tag="POW",
            flow="powers",
            summary="Six hidden cards, nearly every card has a power; a knock ends the round, a black king saves it.",
            seats=(2, 6),
            rows=2,
            columns=3,
            near_row=(3, 4, 5),
            options=replace(_HIDDEN, initial_look="any:2"),
        ),
        Variant(
            preset="cactus",
            tag="CAC",
            flow="cactus",
            summary="Four hidden cards, two of them seen once; powers of J and Q; fast slaps onto equal cards.",
            seats=(2, 10),
            rows=2,
            columns=2,
            near_row=(2, 3),
            options=replace(_HIDDEN, rounds=None, limit=25, stock_out="end", slaps=True),
        ),
        Variant(
            preset="four-turns",
            tag="T4",
            flow="four_turns",
            summary="Four cards, four turns each, and pairs cancel wherever they lie.",
            seats=(2, 6),
            rows=2,
            columns=2,
            near_row=(2, 3),
            options=replace(_HIDDEN, rounds=1, any_pair="one_per_rank"),
        ),
        Variant(
            preset="two-deck",
            tag="TDK",
            flow="two_deck",
            summary="Three rows of two; complete row pairs can be discarded; who finishes first must be lowest.",
            seats=(2, 12),
            rows=3,
            columns=2,
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
}
"""Every preset by its name."""


def preset(name: str) -> Variant:
    """The game of this name as the rule book has it: its options, rows and columns, fewest and most seats.

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


def customised(name: str, changes: Mapping[str, Any]) -> Variant:
    """The game of this name with other options, checked as a whole (GEN-14, OPT).

    `changes` has options of RULES.md section 21 with values as in a tournament's TOML file; the others stay as the
    preset has them. Raises UnknownVariant for a name that is no game, and BadOptions for a value that an option cannot
    have, for an option of other games, and for options that exclude each other. Both are ValueErrors, and BadOptions
    lists all problems.

    >>> customised("six-card", {"rounds": 4, "knock_penalty": "add:10"}).options.rounds
    4
    """
    base = preset(name)
    variant = _shaped(base, change(_unset_pars(base, changes), base.tag, changes))
    problems = list(_shape_problems(variant, changes))
    if problems:
        raise BadOptions(problems)
    return replace(variant, seats=_seat_range(variant))


def _unset_pars(base: Variant, changes: Mapping[str, Any]) -> Options:
    """PAR-22: of `course`, `par` and `no_par` one is set; setting another takes the preset's own away."""
    named = (changes.get(name) for name in ("course", "par", "no_par"))
    if base.tag == "PAR" and any(given not in (None, False, "none") for given in named):
        return replace(base.options, course=None, par=None, no_par=False, rounds=9)
    return base.options


def _shaped(base: Variant, options: Options) -> Variant:
    """The variant with these options, and the flow and grid that follow from them (FOU-04, PAR-03, PAR-22)."""
    if base.flow == "par":
        rows = max(options.course or (options.par or 2,))
        rounds = len(options.course) if options.course else options.rounds
        return replace(base, rows=rows, options=replace(options, rounds=rounds))
    if base.tag == "FOU" and options.initial_look is not None:
        hidden = replace(options, initial_up=0, flip_on_discard="never")
        return replace(base, flow="cambio", near_row=(2, 3), options=hidden)
    return replace(base, options=options)


def _shape_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """What depends on grid and flow."""
    yield from _grid_problems(variant, changes)
    yield from _cancel_problems(variant, changes)
    if variant.tag == "FOU":
        yield from _secret_look_problems(variant, changes)
    if variant.tag == "PAR":
        yield from _hole_problems(variant.options, changes)


def _grid_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """OPT-02, and cards that the layout does not have."""
    options, cards = variant.options, size(variant)
    if "diag" in options.cancel and variant.rows != variant.columns:
        yield OptionProblem("cancel", '"diag" needs a square layout (OPT-02); `cancel_pairs` has it anywhere')
    if options.initial_up >= cards and "initial_up" in changes:
        yield OptionProblem("initial_up", f"expected 0 to {cards - 1}, got {options.initial_up}")
    look, _, count = (options.initial_look or "").partition(":")
    if look == "any" and int(count) > cards:
        yield OptionProblem("initial_look", f"there are only {cards} cards to look at")


def _cancel_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """OPT-03, and `any_pair`, which replaces `cancel`."""
    if variant.flow == "cambio" and variant.options.slaps:
        for name in sorted(changes.keys() & {"cancel", "cancel_pairs", "any_pair"}):
            yield OptionProblem(name, "needs a layout of constant size, which `slaps` does not leave (OPT-03)")
    if changes.keys() >= {"any_pair", "cancel"} and variant.options.any_pair is not None and variant.options.cancel:
        yield OptionProblem("any_pair", "takes the place of `cancel`; set one of them")


def _secret_look_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """FOU-04: what four-card golf with a secret look excludes, and what needs one."""
    if variant.options.initial_look is None:
        if variant.options.cambio_powers is not None:
            yield OptionProblem("cambio_powers", "needs a secret look: `initial_look` (OPT-08)")
        return
    for name in sorted(changes.keys() & {"initial_up", "flip_instead"}):
        yield OptionProblem(name, "does not go with a secret look (FOU-04)")
    if changes.get("flip_on_discard", "never") != "never":
        yield OptionProblem("flip_on_discard", "nothing is flipped after a secret look (FOU-04)")
    if variant.options.end_mode != "knock":
        yield OptionProblem("end_mode", 'a secret look needs `end_mode = "knock"` (FOU-04)')


def _hole_problems(options: Options, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """PAR-22, PAR-25: one choice of holes, and a name of its own for every other scoring table."""
    if sum((options.course is not None, options.par is not None, options.no_par)) != 1:
        yield OptionProblem("par", "exactly one of `course`, `par` and `no_par` is set (PAR-22)")
    if options.course is not None and changes.get("rounds", len(options.course)) != len(options.course):
        yield OptionProblem("rounds", f"is the length of the course, {len(options.course)} (PAR-22)")
    if options.par_table.name == OURS_1.name and options.par_table != OURS_1:
        yield OptionProblem("par_table", f"`{OURS_1.name}` is another table; give this one a name of its own (PAR-25)")


def restored(name: str, options: Mapping[str, Any]) -> Variant:
    """A preset with the options that a record holds; raises UnknownVariant and msgspec.ValidationError.

    A record lists every option that golfref had when the match was played. One that came later has the preset's value.
    """
    base = preset(name)
    return _shaped(base, convert(asdict(base.options) | dict(options), Options, strict=True))


def seat_problem(variant: Variant, seats: int) -> OptionProblem | None:
    """Why so many seats cannot play (GEN-14), or None when they can."""
    fewest, most = variant.seats
    if not fewest <= seats <= most:
        return OptionProblem("seats", f"{variant.preset} is for {fewest} to {most} seats, got {seats}")
    if variant.options.first_dealer >= seats:
        return OptionProblem("first_dealer", f"expected a seat from 0 to {seats - 1}")
    return None


def size(variant: Variant) -> int:
    """Cards in a layout when it is dealt."""
    return variant.rows * variant.columns


_PACKS = {"NIN": (3, 7), "TDK": (3, 7), "CMB": (6,), "FOU": (), "T4": (), "PAR": (), "CAC": ()}
"""By tag: up to so many seats one pack, up to so many two, beyond three (NIN-01, TDK-01, CMB-01); else SIX-01."""


def packs(variant: Variant, seats: int) -> int:
    """How many packs are shuffled together where `decks` is `auto`, or as it says."""
    if variant.options.decks != "auto":
        return variant.options.decks
    return 1 + sum(seats > most for most in _PACKS.get(variant.tag, (3,)))


def deck(variant: Variant, seats: int) -> tuple[Card, ...]:
    """The unshuffled cards: pack by pack, in each suit by suit S H D C, in each the ranks in order; then its jokers.

    The keyed shuffle starts from this order. Jokers are numbered through all packs. Cactus: CAC-02..CAC-04.
    """
    if variant.flow == "cactus":
        ranks = ("A", *CACTUS_RANKS[2:], "K") if variant.options.cactus_ranks == "KA" else CACTUS_RANKS
        suits = SUITS + EXTRA_SUITS[: max(0, seats - 5)]
        return tuple(rank + suit for suit in suits for rank in ranks)
    cards: list[Card] = []
    for pack in range(packs(variant, seats)):
        cards += [rank + suit for suit in SUITS for rank in RANKS]
        first = pack * variant.options.jokers + 1
        cards += [f"X{number}" for number in range(first, first + variant.options.jokers)]
    return tuple(cards)


def has_up_card(variant: Variant) -> bool:
    """Whether a first card is turned up to start the pile (KER-01); not in Cactus (CAC-07) and Powers (POW-03)."""
    return variant.flow != "cactus" and (variant.flow != "powers" or variant.options.powers_draw_pile)


def hole_rows(variant: Variant, number: int) -> int:
    """The rows of a layout in a round (from 1): on a course those of the hole's par (PAR-22)."""
    course = variant.options.course
    return course[(number - 1) % len(course)] if course else variant.rows


def _seat_range(variant: Variant) -> tuple[int, int]:
    """The preset's range, widened by a third pack (SIX-01, CUT-01) and narrowed to where the cards suffice (GEN-14)."""
    fewest, most = PRESETS[variant.preset].seats
    if variant.tag in ("SIX", "CUT") and variant.options.decks == 3:
        most = 12
    enough = [seats for seats in range(fewest, most + 1) if _needs(variant, seats) <= len(deck(variant, seats))]
    return fewest, max(enough, default=fewest)


def _needs(variant: Variant, seats: int) -> int:
    return seats * size(variant) + has_up_card(variant) + seats
