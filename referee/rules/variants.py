"""The variants: named presets of the options, and the structure that no option changes.

Adding a variant that recombines existing options is one entry of `PRESETS`.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal

from msgspec import Struct, convert
from msgspec.structs import replace

from protocol.cards import CACTUS_RANKS, EXTRA_SUITS, RANKS, SUITS, Card
from referee.rules.options import BadOptions, OptionProblem, Options, change


class Variant(Struct, frozen=True, kw_only=True):
    """A game that can be played: structure and options."""

    preset: str
    """The preset's name, as users and bots see it."""
    tag: str
    """The section of RULES.md that it belongs to."""
    flow: Literal["kernel", "cactus"]
    """Which course of play its rounds follow."""
    summary: str
    seats: tuple[int, int]
    """Fewest and most seats (with the preset's own packs)."""
    rows: int
    columns: int
    near_row: tuple[int, ...] = ()
    """The slots that every seat looks at before play, where the game has such a look."""
    options: Options


class UnknownVariant(ValueError):
    """No preset has this name; the text suggests the nearest."""


def _six(name: str, tag: str, summary: str, seats: tuple[int, int], **options: Any) -> Variant:
    return Variant(
        preset=name, tag=tag, flow="kernel", summary=summary, seats=seats, rows=2, columns=3, options=Options(**options)
    )


PRESETS: Mapping[str, Variant] = {
    variant.preset: variant
    for variant in (
        _six("six-card", "SIX", "Two rows of three, column pairs cancel, a complete layout ends the round.", (2, 8)),
        _six("six-card-knock", "SIX", "Six-card golf in which a knock ends the round.", (2, 8), end_mode="knock"),
        _six("single-deck", "SGL", "Six-card golf with one pack for two to four players.", (2, 4), decks=1),
        Variant(
            preset="cactus",
            tag="CAC",
            flow="cactus",
            summary="Four hidden cards, two of them seen once; powers of J and Q; fast slaps onto equal cards.",
            seats=(2, 10),
            rows=2,
            columns=2,
            near_row=(2, 3),
            options=Options(
                rounds=None,
                limit=25,
                stock_out="end",
                end_mode="knock",
                final_turns="one_each",
                flip_on_discard="never",
                initial_up=0,
                initial_look="near_row",
                slaps=True,
                cancel=(),
            ),
        ),
    )
}
"""Every preset by its name."""


def preset(name: str) -> Variant:
    """The preset of this name; raises UnknownVariant."""
    try:
        return PRESETS[name]
    except KeyError:
        near = get_close_matches(name, PRESETS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(PRESETS)}"
        raise UnknownVariant(f"unknown variant `{name}`; {hint}") from None


def customised(name: str, changes: Mapping[str, Any]) -> Variant:
    """A preset with changed options, validated as a whole; raises UnknownVariant and BadOptions."""
    base = preset(name)
    variant = replace(base, options=change(base.options, base.tag, changes))
    options = variant.options
    problems: list[OptionProblem] = []
    if "diag" in options.cancel and variant.rows != variant.columns:
        problems.append(
            OptionProblem("cancel", '"diag" needs a square layout (OPT-02); `cancel_pairs` has it anywhere')
        )
    if options.initial_up >= max(size(variant), 1) and "initial_up" in changes:
        problems.append(OptionProblem("initial_up", f"expected 0 to {size(variant) - 1}, got {options.initial_up}"))
    if problems:
        raise BadOptions(problems)
    return replace(variant, seats=_seat_range(variant))


def restored(name: str, options: Mapping[str, Any]) -> Variant:
    """A preset with the complete options that a record holds; raises UnknownVariant and msgspec.ValidationError."""
    return replace(preset(name), options=convert(options, Options, strict=True))


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


def packs(variant: Variant, seats: int) -> int:
    """How many packs are shuffled together (SIX-01, SGL-01); Cactus has one (CAC-02)."""
    if variant.flow == "cactus":
        return 1
    if variant.options.decks != "auto":
        return variant.options.decks
    return 1 if seats <= 3 else 2


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
    """Whether a first card is turned up to start the pile (KER-01); not in Cactus (CAC-07)."""
    return variant.flow == "kernel"


def _seat_range(variant: Variant) -> tuple[int, int]:
    """The preset's range, widened by a third pack (SIX-01) and narrowed to where the cards suffice (GEN-14)."""
    fewest, most = PRESETS[variant.preset].seats
    if variant.tag == "SIX" and variant.options.decks == 3:
        most = 12
    enough = [seats for seats in range(fewest, most + 1) if _needs(variant, seats) <= len(deck(variant, seats))]
    return fewest, max(enough, default=fewest)


def _needs(variant: Variant, seats: int) -> int:
    return seats * size(variant) + has_up_card(variant) + seats
