"""A game by its name, as it is or with other options; and how many seats can play it.

Which games there are stands in presets.py, which options go together in changes.py.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import convert
from msgspec.structs import asdict, replace

from referee.rules.book.changes import BadOptions, OptionProblem, change, shape_problems
from referee.rules.book.options import Options
from referee.rules.book.presets import PRESETS
from referee.rules.book.variant import Variant, deck_size, has_up_card, possible_pars, size


class UnknownVariant(ValueError):
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


def customised(name: str, changes: Mapping[str, Any]) -> Variant:
    """Return the game of this name with other options, checked as a whole (GEN-14, OPT).

    `changes` has options of RULES.md section 21 with values as in a tournament's TOML file; the others stay as the
    preset has them. Raises UnknownVariant for a name that is no game, and BadOptions for a value that an option cannot
    have, for an option of other games, and for options that exclude each other. Both are ValueErrors, and BadOptions
    lists all problems.

    >>> customised("six-card", {"rounds": 4, "knock_penalty": "add:10"}).options.rounds
    4
    """
    base = preset(name)
    variant = _shaped(base, change(_without_pars(base, changes), changes))
    if problems := list(shape_problems(variant, changes)):
        raise BadOptions(problems)
    return replace(variant, seats=_seat_range(variant))


def _without_pars(base: Variant, changes: Mapping[str, Any]) -> Variant:
    """PAR-22: of `course`, `par` and `no_par` one is set; setting another takes the preset's own away."""
    named = (changes.get(name) for name in ("course", "par", "no_par"))
    if base.has("par") and any(given not in (None, False, "none") for given in named):
        return replace(base, options=replace(base.options, course=None, par=None, no_par=False, rounds=9))
    return base


def _shaped(base: Variant, options: Options) -> Variant:
    """Return the variant with these options and what follows from them: play and grid (FOU-04, PAR-03, PAR-22)."""
    if base.has("par"):
        rows = max(possible_pars(options), default=2)
        rounds = len(options.course) if options.course else options.rounds
        return replace(base, rows=rows, options=replace(options, rounds=rounds))
    if base.play_after_look is not None and options.initial_look is not None:
        hidden = replace(options, initial_up=0, flip_on_discard="never")
        return replace(base, play=base.play_after_look, options=hidden)
    return replace(base, options=options)


def restored(name: str, options: Mapping[str, Any]) -> Variant:
    """A preset with the options that a record holds; raises UnknownVariant and msgspec.ValidationError.

    A record lists every option that golfref had when the match was played. One that came later has the preset's value.
    """
    base = preset(name)
    return _shaped(base, convert(asdict(base.options) | dict(options), Options, strict=True))


def check_playable(variant: Variant, seats: int) -> None:
    """Raise BadOptions where so many seats cannot play a restored variant, or an option is one of other games."""
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
        more = _with_more_packs(variant, seats)
        return OptionProblem("seats", f"{variant.preset} is for {fewest} to {most} seats{more}, got {seats}")
    if variant.options.first_dealer >= seats:
        return OptionProblem("first_dealer", f"expected a seat from 0 to {seats - 1}")
    return None


def _with_more_packs(variant: Variant, seats: int) -> str:
    """Return in words how many packs would let so many seats play; nothing where no number of them does."""
    if not variant.seats_grow_with_packs:
        return ""
    for packs in (1, 2, 3):
        more = replace(variant, options=replace(variant.options, decks=packs))
        if _seat_range(more)[1] >= seats > variant.seats[1]:
            return f" (up to {_seat_range(more)[1]} with `decks = {packs}`)"
    return ""


def _seat_range(variant: Variant) -> tuple[int, int]:
    """Return the fewest and most seats (GEN-14): too few cards let fewer play, and with `decks` named more can.

    More can only where no source names the most."""
    fewest, most = PRESETS[variant.preset].seats
    if variant.seats_grow_with_packs and variant.options.decks != "auto":
        most = deck_size(variant, most) // size(variant)
    enough = [seats for seats in range(fewest, most + 1) if _cards_needed(variant, seats) <= deck_size(variant, seats)]
    return fewest, max(enough, default=fewest)


def _cards_needed(variant: Variant, seats: int) -> int:
    """Return how many cards so many seats need: their layouts, the up-card, and one in the stock for each (GEN-14)."""
    return seats * size(variant) + has_up_card(variant) + seats
