"""Games with other options, and how many seats can play; an error names what is wrong and what is right (RULES.md 21).

The checks know every option by what options.py declares of it; only what involves the grid or several options at once
is written out here.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import combinations
from typing import Any, get_args

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict, replace

from protocol.cards import JOKER, RANKS, is_card, rank, suit
from referee.errors import GolfrefError
from referee.rules.options import CARD_VALUES, OPTIONS, TYPES, Lines, Options, expected
from referee.rules.par_table import OURS_1, ParTable, in_words
from referee.rules.variants import (
    PRESETS,
    Variant,
    deck_size,
    has_up_card,
    preset,
    rank_of,
    ranks,
    shaped,
    size,
    suits,
)


class OptionProblem(Struct, frozen=True):
    """One thing that is wrong with a set of options; `option` names the culprit."""

    option: str
    text: str


class BadOptions(GolfrefError, ValueError):
    """A set of options that no game can be played with; `problems` holds all that was found."""

    def __init__(self, problems: list[OptionProblem]) -> None:
        super().__init__("; ".join(f"{problem.option}: {problem.text}" for problem in problems))
        self.problems = problems


NOT_OPTIONS = {
    "variant": "preset", "preset": "preset", "seats": "seats", "bots": "[[bots]]", "seed": "[tournament] seed",
    "start_s": "[time] start_s", "move_s": "[time] move_s", "bank_s": "[time] bank_s", "slap_s": "[time] slap_s",
    "slap_timing": "[time] slap_timing",
}  # fmt: skip
"""These settings of a match are easily taken for options (RULES.md 21). Each has the key that is meant."""


_DEFAULTS = Options()


def with_options(name: str, changes: Mapping[str, Any]) -> Variant:
    """Return the game of this name with other options, checked as a whole (GEN-14, OPT).

    `changes` has options of RULES.md section 21 with values as in a tournament's TOML file; the others stay as the
    preset has them. Raises UnknownVariant for a name that is no game, and BadOptions for a value that an option cannot
    have, for an option of other games, and for options that exclude each other. Both are ValueErrors, and BadOptions
    lists all problems.

    >>> with_options("six-card", {"rounds": 4, "knock_penalty": "add:10"}).options.rounds
    4
    """
    base = preset(name)
    variant = shaped(base, checked_options(_without_pars(base, changes), changes))
    if problems := list(_shape_problems(variant, changes)):
        raise BadOptions(problems)
    return replace(variant, seats=_seat_range(variant))


def check_playable(variant: Variant, seats: int) -> None:
    """Raise BadOptions where so many seats cannot play a variant from a record, or an option is one of other games."""
    own = PRESETS[variant.preset]
    strange = [
        OptionProblem(name, f"does not go with {variant.preset} (OPT-08)")
        for name, value in asdict(variant.options).items()
        if value != getattr(own.options, name) and not own.has(name)
    ]
    problem = seat_problem(replace(variant, seats=_seat_range(variant)), seats)
    if problems := [*strange, *([problem] if problem else [])]:
        raise BadOptions(problems)


def seat_problem(variant: Variant, seats: int) -> OptionProblem | None:
    """Return why so many seats cannot play (GEN-14), or None when they can."""
    fewest, most = variant.seats
    if not fewest <= seats <= most:
        return OptionProblem("seats", f"{variant.preset} is for {fewest} to {most} seats, got {seats}")
    if variant.options.first_dealer >= seats:
        return OptionProblem("first_dealer", f"expected a seat from 0 to {seats - 1}")
    return None


def checked_options(base: Variant, changes: Mapping[str, Any]) -> Options:
    """Return the options of `base` with `changes`, which map options to values as TOML or JSON gives them.

    "none" and None mean "not set". Raises BadOptions with every problem: unknown names, wrong values, combinations that
    section 21 excludes.
    """
    problems: list[OptionProblem] = []
    values = {name: getattr(base.options, name) for name in OPTIONS}
    for name, given in changes.items():
        try:
            values[name] = _value(name, given)
        except (KeyError, ValidationError) as error:
            text = str(error) if isinstance(error, ValidationError) else _unknown(name)
            problems.append(OptionProblem(name, text))
    options = Options(**{name: values[name] for name in OPTIONS})
    sound = {name for name in changes if name not in {problem.option for problem in problems}}
    problems += _conflicts(replace(base, options=options), sound)
    if problems:
        raise BadOptions(problems)
    return options


def in_effect(options: Options) -> Options:
    """The options, where those that can have no effect (OPT-08) have their default: `joker_value` without jokers.

    Two games whose options are equal in this form are played and scored alike."""
    idle = [name for name, one in OPTIONS.items() if one.needs is not None and not one.needs.holds(options)]
    return replace(options, **{name: getattr(_DEFAULTS, name) for name in idle})


def _unknown(name: str) -> str:
    """Return the message on an option that does not exist, with the nearest that does."""
    if name in NOT_OPTIONS:
        return f"is no option but a setting of the match: use `{NOT_OPTIONS[name]}`"
    near = get_close_matches(name, OPTIONS, n=1)
    return "unknown option" + (f"; did you mean `{near[0]}`?" if near else "")


def _value(name: str, given: Any) -> Any:
    """Return the value that was meant. Raises KeyError for an unknown option, ValidationError for a wrong value."""
    kind = TYPES[name]
    plain = get_args(kind)[0]
    if given == "none":
        given = () if plain == get_args(Lines)[0] else None
    if isinstance(given, bool) and plain is not bool:
        raise ValidationError(f"expected {expected(kind)}, got {str(given).lower()}")
    try:
        return convert(given, kind)
    except ValidationError as error:
        wrong = f": {in_words(str(error))}" if plain is ParTable else f", got {given!r}"
        raise ValidationError(f"expected {expected(kind)}{wrong}") from None


def _conflicts(variant: Variant, given: set[str]) -> Iterator[OptionProblem]:
    """What is wrong with the options that were set: they are not the game's, need another one, or exclude each other.

    OPT-08 says the first two, OPT-01 the last."""
    for name in sorted(given):
        if not variant.has(name):
            others = ", ".join(preset for preset, other in PRESETS.items() if other.has(name))
            yield OptionProblem(name, f"does not go with {variant.preset} (OPT-08), but with {others}")
    for name, option in OPTIONS.items():
        if name in given and variant.has(name) and option.needs and not option.needs.holds(variant.options):
            yield OptionProblem(name, f"needs {option.needs.words} (OPT-08)")
    yield from _stray_keys(variant)
    yield from _value_conflicts(variant, given)


def _value_conflicts(variant: Variant, given: set[str]) -> Iterator[OptionProblem]:
    """OPT-01: no two options set the value of the same rank.

    `twos` and the jokers' options set different ones, so that they go together (OPT-04)."""
    for (name, its), (later, theirs) in combinations(_ranks_set(variant, given).items(), 2):
        if both := its & theirs:
            culprit, against = (later, name) if later in given else (name, later)
            which = ", ".join(sorted(both))
            yield OptionProblem(culprit, f"sets the value of {which}, and so does `{against}` (OPT-01)")


def _ranks_set(variant: Variant, given: set[str]) -> dict[str, set[str]]:
    """Return the options in force that set card values, each with the ranks it sets or has single cards of.

    `jack_value` and `joker_value` set theirs wherever they are named, even with their default."""
    options = variant.options
    sets = {
        "cactus_ranks": ("K", "A") if options.cactus_ranks == "KA" else (),
        "par_table": () if options.par_table.values == "B1" else options.par_table.values,
        "joker_value": (JOKER,) if "joker_value" in given else (),
        **{option: points.get(getattr(options, option), ()) for option, points in CARD_VALUES.items()},
        "values": options.values or (),
    }
    if "jack_value" in given:
        sets["jack_value"] = ("J",)
    return {option: set(map(rank_of, keys)) for option, keys in sets.items() if keys and variant.has(option)}


def _stray_keys(variant: Variant) -> Iterator[OptionProblem]:
    """Yield a problem for each key of a table that names no rank and no card."""
    for key in variant.options.values or ():
        if not _is_in_pack(key, variant):
            yield OptionProblem("values", f"`{key}` is neither a rank nor a card of this pack")
    for key in variant.options.cambio_powers or ():
        if key not in (*RANKS, JOKER):
            yield OptionProblem("cambio_powers", f"`{key}` is no rank; a joker is `{JOKER}`")


def _is_in_pack(key: str, variant: Variant) -> bool:
    """Return whether `key` is a rank (a joker is one) or a card that some number of seats can be dealt."""
    if key == JOKER:
        return variant.has("jokers")
    of_pack = suits(variant, variant.seats[1])
    return key in ranks(variant) or (is_card(key) and rank(key) in ranks(variant) and suit(key) in of_pack)


def _shape_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """Yield what is wrong with the changed variant as a whole: with its grid, or with several options at once."""
    yield from _grid_problems(variant, changes)
    yield from _cancel_problems(variant, changes)
    if variant.play_after_look is not None:
        yield from _secret_look_problems(variant, changes)
    if variant.has("par"):
        yield from _hole_problems(variant.options, changes)


def _grid_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """OPT-02, KER-15: some lines need a square grid; no option may name more cards than a layout has."""
    options, cards = variant.options, size(variant)
    if options.up_in_each_row and "initial_up" in changes:
        yield OptionProblem("up_in_each_row", "sets `initial_up` to the number of rows; set one of them")
    if "diag" in options.cancel and variant.rows != variant.columns:
        yield OptionProblem("cancel", '"diag" needs a square layout (OPT-02); `cancel_pairs` has it anywhere')
    if options.initial_up >= cards and "initial_up" in changes:
        yield OptionProblem("initial_up", f"expected 0 to {cards - 1}, got {options.initial_up}")
    look, _, count = (options.initial_look or "").partition(":")
    if look == "any" and int(count) > cards:
        yield OptionProblem("initial_look", f"there are only {cards} cards to look at")


def _cancel_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """OPT-03: cards do not cancel where layouts change in size; `any_pair` and `cancel` exclude each other."""
    if variant.options.slaps:
        for name in sorted(changes.keys() & {"cancel", "cancel_pairs", "any_pair"}):
            yield OptionProblem(name, "needs a layout of constant size, which `slaps` does not leave (OPT-03)")
    if changes.keys() >= {"any_pair", "cancel"} and variant.options.any_pair is not None and variant.options.cancel:
        yield OptionProblem("any_pair", "takes the place of `cancel`; set one of them")


def _secret_look_problems(variant: Variant, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """FOU-04: a secret look in four-card golf excludes some options, and `cambio_powers` needs one."""
    if variant.options.initial_look is None:
        if variant.options.cambio_powers is not None:
            yield OptionProblem("cambio_powers", "needs a secret look: `initial_look` (OPT-08)")
        return
    for name in sorted(changes.keys() & {"initial_up", "up_in_each_row", "flip_instead", "lines_leave"}):
        yield OptionProblem(name, "does not go with a secret look (FOU-04)")
    if changes.get("flip_on_discard", "never") != "never":
        yield OptionProblem("flip_on_discard", "nothing is flipped after a secret look (FOU-04)")
    if variant.options.end_mode != "knock":
        yield OptionProblem("end_mode", 'a secret look needs `end_mode = "knock"` (FOU-04)')


def _hole_problems(options: Options, changes: Mapping[str, Any]) -> Iterator[OptionProblem]:
    """PAR-22: one of three options says which holes are played. PAR-25: another scoring table has another name."""
    if sum((options.course is not None, options.par is not None, options.no_par)) != 1:
        yield OptionProblem("par", "exactly one of `course`, `par` and `no_par` is set (PAR-22)")
    if options.course is not None and changes.get("rounds", len(options.course)) != len(options.course):
        yield OptionProblem("rounds", f"is the length of the course, {len(options.course)} (PAR-22)")
    if options.par_table.name == OURS_1.name and options.par_table != OURS_1:
        yield OptionProblem("par_table", f"`{OURS_1.name}` is another table; give this one a name of its own (PAR-25)")


def _without_pars(base: Variant, changes: Mapping[str, Any]) -> Variant:
    """PAR-22: of `course`, `par` and `no_par` one is set; setting another takes the preset's own away."""
    named = (changes.get(name) for name in ("course", "par", "no_par"))
    if base.has("par") and any(given not in (None, False, "none") for given in named):
        return replace(base, options=replace(base.options, course=None, par=None, no_par=False, rounds=9))
    return base


def _seat_range(variant: Variant) -> tuple[int, int]:
    """Return the fewest and most seats (GEN-14): too few cards let fewer play, more packs more (TDK-01)."""
    fewest, most = PRESETS[variant.preset].seats
    if variant.seats_grow_with_packs and variant.options.decks != "auto":
        most = deck_size(variant, most) // size(variant)
    enough = [seats for seats in range(fewest, most + 1) if _cards_needed(variant, seats) <= deck_size(variant, seats)]
    return fewest, max(enough, default=fewest)


def _cards_needed(variant: Variant, seats: int) -> int:
    """Return how many cards so many seats need: their layouts, the up-card, and one in the stock for each (GEN-14)."""
    return seats * size(variant) + has_up_card(variant) + seats
