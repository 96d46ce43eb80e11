"""The size of the games: how many sequences of decisions there are from fixed deals (perft).

The numbers are fixed: a change of the rules that adds or takes away an answer has to change them knowingly. A sealed
question or a slap window counts with the answers of its first seat, the others giving their fallback answers; play
goes on from a sealed question with fallback answers alone, since arrangements run into millions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct, convert

from protocol.actions import Action, Slap
from protocol.offers import fillings, size
from referee.rules.book.variants import PRESETS, customised
from referee.rules.game import Game
from referee.rules.table.asks import Ask, Question, Response, Sealed, SlapOrder, Window
from referee.rules.table.asks import Slap as Slapping
from referee.rules.table.chance import Keyed


class Deal(Struct, frozen=True, kw_only=True):
    """A fixed deal with the number of sequences of one decision, of two, and so on."""

    preset: str
    seats: int
    salt: int
    counts: tuple[int, ...]
    options: dict[str, Any]


def deal(preset: str, seats: int, salt: int, *counts: int, **options: Any) -> Deal:
    return Deal(preset=preset, seats=seats, salt=salt, counts=counts, options=options)


DEALS = [
    deal("six-card", 2, 1, 30, 2, 13, 29, 166, 413, 2137),
    deal("six-card-knock", 2, 1, 30, 3, 15, 54, 560),
    deal("single-deck", 2, 1, 30, 2, 13, 29, 166, 413, 2137),
    deal("four-card", 3, 1, 12, 3, 11, 36, 116, 399),
    deal("nine-card", 2, 1, 2, 19, 46, 362),
    deal("eight-card", 2, 1, 56, 2, 17, 39, 286, 743),
    deal("cutthroat", 2, 1, 30, 2, 13, 29, 166, 413),
    deal("cambio", 2, 1, 3, 11, 36, 126, 423),
    deal("powers", 2, 1, 30, 2, 8, 21, 250, 260, 2254),
    deal("cactus", 2, 1, 2, 6, 50, 746),
    deal("four-turns", 2, 1, 2, 9, 18, 81, 162, 585),
    deal("two-deck", 2, 1, 2, 13, 30, 168, 438),
    deal("par-3", 2, 1, 720, 32, 972),
    deal("par-4", 2, 1, 40320, 58, 3264),
    deal("par-5", 2, 1, 3628800, 92, 8300),
    deal("no-par", 2, 1, 24, 15, 202, 2840),
    deal("par-course", 2, 1, 40320, 58, 3264),
    # The first stock card is in Powers a 2, A, 7, 9, 4 or 3, else a king, a joker or a queen.
    deal("powers", 2, 0, 30, 2, 8, 30, 332, 1362),
    deal("powers", 2, 21, 30, 2, 8, 27, 224, 421, 1848),
    deal("powers", 2, 3, 30, 2, 8, 28, 255, 690, 2604),
    deal("powers", 2, 5, 30, 2, 8, 26, 221, 410, 1626),
    deal("powers", 2, 13, 30, 2, 8, 26, 249, 434, 1732),
    deal("powers", 2, 32, 30, 2, 8, 21, 234, 424, 2058),
    deal("cutthroat", 2, 15, 30, 2, 15, 41, 206, 665),
    deal("cambio", 2, 11, 3, 11, 50, 180),
    deal("cambio", 2, 28, 3, 11, 58, 212, 822),
    deal("cactus", 2, 9, 2, 6, 50, 745),
    # Options
    deal("nine-card", 2, 2, 72, 10, 98, 1341, flip_instead=True, end_mode="both", initial_up=2),
    deal("cambio", 2, 28, 3, 11, 90, 1294, slaps=True, protect_ender=True),
    deal("powers", 2, 1, 30, 3, 15, 56, 568, powers_draw_pile=True),
    deal("par-3", 2, 2, 32, 972, arrange="blind", strokes_per_turn="unlimited"),
]  # fmt: skip


def begin(dealt: Deal) -> Game:
    variant = customised(dealt.preset, dealt.options)
    return Game(variant, dealt.seats, Keyed(b"perft/%d" % dealt.salt, variant, dealt.seats))


def perft(dealt: Deal, depth: int) -> int:
    """How many sequences of so many decisions there are."""
    return _count(dealt, (), depth)


def _count(dealt: Deal, played: tuple[Response, ...], depth: int) -> int:
    game = begin(dealt)
    for response in played:
        game.answer(response)
    if game.question is None:
        return 0
    if depth == 1:
        return sum(size(offer) for offer in first_ask(game.question).offers)
    return sum(_count(dealt, (*played, response), depth - 1) for response in responses(game.question))


def first_ask(question: Question) -> Ask:
    return question if isinstance(question, Ask) else question.asks[0]


def responses(question: Question) -> Iterator[Response]:
    """Every response that is counted."""
    if isinstance(question, Sealed):
        yield tuple(ask.fallback for ask in question.asks)
        return
    ask = first_ask(question)
    for offer in ask.offers:
        for filled in fillings(offer):
            action: Action = convert(filled, type=Action)
            if isinstance(question, Window):
                slaps = (Slapping(seat=ask.seat, target=action.target),) if isinstance(action, Slap) else ()
                yield SlapOrder(slaps=slaps)
            else:
                yield action


@pytest.mark.parametrize("dealt", DEALS, ids=lambda dealt: "-".join((dealt.preset, str(dealt.salt), *dealt.options)))
def test_there_are_as_many_sequences_of_decisions_as_ever(dealt: Deal) -> None:
    assert tuple(perft(dealt, depth) for depth in range(1, len(dealt.counts) + 1)) == dealt.counts


def test_every_preset_is_counted() -> None:
    assert {dealt.preset for dealt in DEALS} == set(PRESETS)
