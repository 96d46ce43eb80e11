"""The games of the rule book as presets. Each names what differs from six-card golf, in structure and in options.

A game that recombines existing options is one more entry here.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from protocol.cards import EXTRA_SUITS, JOKER
from referee.rules.book.card_values import B0, B1_RED_KINGS, B2, B3
from referee.rules.book.options import Options
from referee.rules.book.variant import Variant

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
        tag="PAR",
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
        tag="SIX",
        summary="Two rows of three, column pairs cancel, a complete layout ends the round.",
        seats=(2, 8),
        seats_grow_with_packs=True,
        rows=2,
        columns=3,
        options=Options(),
    ),
    # KNO-01: a knock ends the round, a complete layout does not.
    Variant(
        preset="six-card-knock",
        tag="SIX",
        summary="Six-card golf in which a knock ends the round.",
        seats=(2, 8),
        seats_grow_with_packs=True,
        rows=2,
        columns=3,
        options=Options(end_mode="knock"),
    ),
    # SGL-01: six-card golf with one pack; SGL-02: without jokers. For four seats 27 cards are left in the stock
    # (SGL-03).
    Variant(
        preset="single-deck",
        tag="SGL",
        summary="Six-card golf with one pack for two to four players.",
        seats=(2, 4),
        rows=2,
        columns=3,
        options=Options(decks=1),
    ),
    # FOU-01 says how many seats play with which pack, FOU-02 has the grid. Two cards are turned up (FOU-03), a knock
    # ends the round (FOU-05), columns cancel (FOU-06), and there are nine rounds (FOU-07).
    Variant(
        preset="four-card",
        tag="FOU",
        summary="Two rows of two, column pairs cancel, a knock ends the round.",
        play_after_look="cambio",
        seats=(3, 7),
        rows=2,
        columns=2,
        near_row=(2, 3),
        packs_suffice_for=ONE_PACK,
        options=Options(decks=1, end_mode="knock"),
    ),
    # NIN-01 says how many seats play with how many packs, NIN-02 has the grid. No card is turned up (NIN-03), the round
    # ends at once with a layout that is all face up (NIN-05), a column of three cancels (NIN-06), a joker counts -4
    # (NIN-08), and a total above 50 ends the match (NIN-12).
    Variant(
        preset="nine-card",
        tag="NIN",
        summary="Three rows of three, column triples cancel; over when a total exceeds 50.",
        seats=(1, 10),
        seats_grow_with_packs=True,
        rows=3,
        columns=3,
        packs_suffice_for=(3, 7),
        options=Options(initial_up=0, limit=50, limit_mode="exceed", joker_value=-4),
    ),
    # EIG-01 says how many seats play with how many packs, EIG-02 has the grid. The short columns cancel (EIG-03), and a
    # row of kings counts (EIG-04).
    Variant(
        preset="eight-card",
        tag="EIG",
        summary="Two rows of four, column pairs cancel, a side of four kings counts -16.",
        seats=(2, 6),
        seats_grow_with_packs=True,
        rows=2,
        columns=4,
        options=Options(kings_side=-16),
    ),
    # CUT-01: six-card golf with kings of 15; CUT-02: which can be traded.
    Variant(
        preset="cutthroat",
        tag="CUT",
        summary="Six-card golf with kings worth 15 that can be traded for an opponent's card.",
        seats=(2, 8),
        seats_grow_with_packs=True,
        rows=2,
        columns=3,
        options=Options(kings15=True, cutthroat_trade=True),
    ),
    # CMB-01 says how many seats play with how many packs and jokers, CMB-02 has the grid and the first look. The seat
    # left of the dealer starts (CMB-03), CMB-06 has the powers, a knock ends the round (CMB-07), nothing cancels
    # (CMB-08), and there are nine rounds (CMB-10).
    Variant(
        preset="cambio",
        tag="CMB",
        summary="Four hidden cards; discarded J, Q, K and jokers look, swap and rearrange; a knock ends the round.",
        play="cambio",
        seats=(2, 10),
        seats_grow_with_packs=True,
        rows=2,
        columns=2,
        near_row=(2, 3),
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
        tag="POW",
        summary="Six hidden cards, nearly every card has a power; a knock ends the round, a black king saves it.",
        play="powers",
        seats=(2, 6),
        seats_grow_with_packs=True,
        rows=2,
        columns=3,
        near_row=(3, 4, 5),
        layout_size="changes",
        points=B1_RED_KINGS,
        pile_is_drawn=False,
        options=replace(_HIDDEN, initial_look="any:2"),
    ),
    # CAC-01 says how many seats can play, CAC-02 and CAC-04 have the pack, CAC-05 has the grid, CAC-06 the first look.
    # The pile starts empty (CAC-07), the highest total starts (CAC-08), and a total of 25 ends the match (CAC-42).
    Variant(
        preset="cactus",
        tag="CAC",
        summary="Four hidden cards, two of them seen once; powers of J and Q; fast slaps onto equal cards.",
        play="cactus",
        seats=(2, 5 + len(EXTRA_SUITS)),
        advised_from=3,
        rows=2,
        columns=2,
        near_row=(2, 3),
        layout_size="changes",
        packs_suffice_for=ONE_PACK,
        suits_grow=True,
        points=B0,
        has_first_up_card=False,
        options=replace(_HIDDEN, rounds=None, limit=25, stock_out="end", slaps=True),
    ),
    # T4-01 has the pack and the seats, T4-02 the grid and the first look. The seat left of the dealer starts, and each
    # has four turns (T4-03), which leave cards in the stock (T4-13). One pair of a rank cancels (T4-11), and T4-10 has
    # the values. There is one round (T4-12).
    Variant(
        preset="four-turns",
        tag="T4",
        summary="Four cards, four turns each, and pairs cancel wherever they lie.",
        play="four_turns",
        seats=(2, 6),
        rows=2,
        columns=2,
        near_row=(2, 3),
        packs_suffice_for=ONE_PACK,
        points=B2,
        turns_each=4,
        options=replace(_HIDDEN, rounds=1, any_pair="one_per_rank"),
    ),
    # TDK-01 says how many seats play with how many packs, TDK-02 has the grid. No card is turned up (TDK-03), the seat
    # left of the dealer starts (TDK-04), the last face-down card need not be turned up (TDK-09), all others have one
    # more turn (TDK-12), and TDK-15 has the values. Pairs that are left count (TDK-16), a finisher who is not lowest
    # pays ten (TDK-17), the last stock card ends the round (TDK-18), and there are nine rounds (TDK-19).
    Variant(
        preset="two-deck",
        tag="TDK",
        summary="Three rows of two; complete row pairs can be discarded; who finishes first must be lowest.",
        play="two_deck",
        seats=(2, 12),
        seats_grow_with_packs=True,
        rows=3,
        columns=2,
        layout_size="rows_leave",
        packs_suffice_for=(3, 7),
        points=B3,
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
