"""Scores of layouts that somebody wrote down, without a game. This module checks which layouts make sense.

scoring.py and knocker.py know how they score, grid.py how they are written.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from protocol.cards import JOKER, Card, rank
from referee.rules.check_options import with_options
from referee.rules.options import JOKERS, OPTIONS
from referee.rules.scoring.grid import BadGrid, Grid, parse_grid
from referee.rules.scoring.knocker import score_round
from referee.rules.scoring.scoring import raw_score
from referee.rules.variants import Variant, deck, possible_pars, preset


class Scores(Struct, frozen=True, kw_only=True):
    """What layouts score, by seat: `raw` by their cards alone, `scores` after SCO-13 and what ending the round does."""

    raw: tuple[int, ...]
    scores: tuple[int, ...]


def score(variant: Variant | str, *layouts: str, ender: int | None = None) -> Scores:
    """Return the scores of layouts that somebody wrote down, one for each seat from 0; lower is better (GEN-11).

    A layout is text (RULES.md section 1): rows from the far one to the near one, `/` between them, cards such as `10H`,
    `(7H)` for a card that lies face down, which counts all the same, and `--` for an empty slot. `variant` is a name
    that `preset` knows, or what `preset` or `with_options` gave. `ender` is the seat that knocked or ended the round.

    Returns `Scores`, in points by seat: `raw` by the values and cancelling of the game (SCO, CAC-40, POW-27, TDK-15,
    PAR-21), and `scores`, to which a moon (SCO-13) and what ending the round costs or earns (KNK, CAC-41) are applied.

    Raises UnknownVariant for a name that is no game, and BadGrid for text that is no layout, for a shape or a card that
    the game does not have, and for an `ender` without a layout. Both are ValueErrors.

    >>> score("six-card", "KS 5H 9D / KD AC 9S")  # 5 + A; kings and nines cancel in their columns (SCO-03)
    Scores(raw=(6,), scores=(6,))
    >>> from referee import with_options
    >>> score(with_options("four-card", {"knock_penalty": "add:10"}), "9S 4D / 9C KH", "KS KD / AC AH", ender=0)
    Scores(raw=(4, 2), scores=(14, 2))
    """
    return score_grids(preset(variant) if isinstance(variant, str) else variant, layouts, ender)


def scoring_variant(name: str, changes: Mapping[str, Any]) -> Variant:
    """Return the variant as `with_options` does, but without asking for `jokers`: a layout may hold some anyway."""
    base = preset(name)
    named = [OPTIONS[option] for option in changes if option in OPTIONS]
    if base.has("jokers") and any(option.needs == JOKERS for option in named):
        changes = {"jokers": base.options.jokers or 1, **changes}
    return with_options(name, changes)


def score_grids(variant: Variant, grids: Sequence[str], ender: int | None = None) -> Scores:
    """Return the scores of the layouts of seats 0, 1, ...; `ender` is the seat that knocked or ended the round.

    Raises BadGrid for a layout that the variant cannot have: a wrong shape, or a card that is not in its pack. A card
    may stand more often than the pack has it, and jokers in any game that knows them. Sets that grow and shrink have
    any shape.
    """
    if not grids:
        raise BadGrid("no grid to score")
    if ender is not None and not 0 <= ender < len(grids):
        raise BadGrid(f"ender: expected a seat from 0 to {len(grids) - 1}, one for each grid; got {ender}")
    pack = frozenset(deck(variant, variant.seats[1]))
    raw = tuple(_score_grid(variant, pack, text, seat) for seat, text in enumerate(grids))
    return Scores(raw=raw, scores=score_round(variant, raw, ender))


def _score_grid(variant: Variant, pack: frozenset[Card], text: str, seat: int) -> int:
    try:
        grid = parse_grid(text)
        _check_shape(variant, grid)
        _check_cards(variant, pack, grid)
    except BadGrid as error:
        raise BadGrid(f"grid {seat + 1} (seat {seat}): {error}") from None
    return raw_score(variant, grid)


def _check_shape(variant: Variant, grid: Grid) -> None:
    """Raise BadGrid unless the grid has the dealt shape (KER-08), with empty slots only where a game has them."""
    if variant.layout_size == "changes" or variant.options.slaps:
        return  # CAC-44, POW-08: sets grow and shrink
    rows = sorted(set(possible_pars(variant.options)) or {variant.rows})
    expected = f"expected {' or '.join(map(str, rows))} rows of {variant.columns} cards for {variant.preset}"
    if len(grid) not in rows:
        raise BadGrid(f"{expected}, got {len(grid)} rows")
    for number, row in enumerate(grid, start=1):
        if len(row) != variant.columns:
            raise BadGrid(f"{expected}; row {number} has {len(row)}")
        if None in row and variant.layout_size == "constant" and not variant.options.lines_leave:
            raise BadGrid(f"{expected}; row {number}, card {row.index(None) + 1} is an empty slot")


def _check_cards(variant: Variant, pack: frozenset[Card], grid: Grid) -> None:
    jokers = variant.has("jokers")
    for number, row in enumerate(grid, start=1):
        for place, card in enumerate(row, start=1):
            if card is None or card in pack or (jokers and rank(card) == JOKER):
                continue
            raise BadGrid(f"row {number}, card {place}: {card} is not in the pack of {variant.preset}")
