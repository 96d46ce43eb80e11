"""Changing options: a wrong name, a wrong value or a conflict (RULES.md 21) is told in words that name what is right.

What follows from a variant's grid is checked in variants.py.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import combinations
from typing import Any, get_args

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from protocol.cards import CACTUS_RANKS, EXTRA_SUITS, JOKER, RANKS, SUITS, is_card, rank, suit
from referee.rules.book.option import expected
from referee.rules.book.options import OPTIONS, TYPES, Lines, Options
from referee.rules.book.par_table import ParTable, in_words


class OptionProblem(Struct, frozen=True):
    """One thing that is wrong with a set of options; `option` names the culprit."""

    option: str
    text: str


class BadOptions(ValueError):
    """A set of options that no game can be played with; `problems` holds all that was found."""

    def __init__(self, problems: list[OptionProblem]) -> None:
        super().__init__("; ".join(f"{problem.option}: {problem.text}" for problem in problems))
        self.problems = problems


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
    values = {name: getattr(base, name) for name in OPTIONS}
    for name, given in changes.items():
        try:
            values[name] = _value(name, given)
        except (KeyError, ValidationError) as error:
            text = str(error) if isinstance(error, ValidationError) else _unknown(name)
            problems.append(OptionProblem(name, text))
    options = Options(**{name: values[name] for name in OPTIONS})
    sound = {name for name in changes if name not in {problem.option for problem in problems}}
    problems += _conflicts(options, tag, sound)
    if problems:
        raise BadOptions(problems)
    return options


def in_effect(options: Options) -> Options:
    """The options with those at their default that can have no effect (OPT-08), such as `joker_value` without jokers.

    Two games whose options are equal in this form are played and scored alike."""
    idle = [name for name, one in OPTIONS.items() if one.needs is not None and not one.needs.holds(options)]
    return replace(options, **{name: getattr(_DEFAULTS, name) for name in idle})


def _unknown(name: str) -> str:
    """What to tell somebody who named an option that does not exist, with the nearest that does."""
    if name in NOT_OPTIONS:
        return f"is no option but a setting of the match: use `{NOT_OPTIONS[name]}`"
    near = get_close_matches(name, OPTIONS, n=1)
    return "unknown option" + (f"; did you mean `{near[0]}`?" if near else "")


def _value(name: str, given: Any) -> Any:
    """The value that was meant; raises KeyError for an unknown option and ValidationError for a wrong value."""
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


def _conflicts(options: Options, tag: str, given: set[str]) -> Iterator[OptionProblem]:
    """OPT-01..OPT-08 for the options that were set explicitly."""
    for name in sorted(given):
        if tag not in OPTIONS[name].games:
            yield OptionProblem(name, "does not go with this game (OPT-08)")
    for name, option in OPTIONS.items():
        if name in given and tag in option.games and option.needs is not None and not option.needs.holds(options):
            yield OptionProblem(name, f"needs {option.needs.words} (OPT-08)")
    yield from _stray_keys(options, tag)
    yield from _value_conflicts(options, tag, given)


def _value_conflicts(options: Options, tag: str, given: set[str]) -> Iterator[OptionProblem]:
    """OPT-01: no two options set the value of the same rank."""
    for (name, ranks), (later, theirs) in combinations(_ranks_set(options, tag, given).items(), 2):
        if both := ranks & theirs:
            culprit, against = (later, name) if later in given else (name, later)
            which = ", ".join(sorted(both))
            yield OptionProblem(culprit, f"sets the value of {which}, and so does `{against}` (OPT-01)")


def _ranks_set(options: Options, tag: str, given: set[str]) -> dict[str, set[str]]:
    """The options in force that set card values, each with the ranks that it sets, or sets single cards of."""
    found = {}
    for name, option in OPTIONS.items():
        if option.sets is None or tag not in option.games:
            continue
        is_changed = getattr(options, name) != getattr(_DEFAULTS, name)
        if name in given if option.sets.when_named else is_changed:
            found[name] = {_rank_of(key) for key in option.sets.ranks(options)}
    return found


_DEFAULTS = Options()


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
        return tag in OPTIONS["jokers"].games
    ranks = CACTUS_RANKS if tag == "CAC" and options.cactus_ranks == "01" else RANKS
    suits = SUITS + EXTRA_SUITS if tag == "CAC" else SUITS
    return key in ranks or (is_card(key) and rank(key) in ranks and suit(key) in suits)


def _rank_of(key: str) -> str:
    return key if key in RANKS or key in CACTUS_RANKS or key == JOKER else rank(key)
