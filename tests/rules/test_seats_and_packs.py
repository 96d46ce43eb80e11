"""Who can sit down at which game, and with which cards (GEN-14)."""

from random import Random
from typing import Any

import pytest
from at_random import AtRandom

from protocol.cards import rank, suit
from referee.rules.check_options import seat_problem, with_options
from referee.rules.game import Game
from referee.rules.variants import PRESETS, deck, preset

SIX = [52] * 2 + [104] * 5
DECKS: dict[str, tuple[int, list[int]]] = {
    "six-card": (2, SIX),
    "six-card-knock": (2, SIX),
    "single-deck": (2, [52] * 3),
    "four-card": (2, [52] * 6),
    "nine-card": (1, [52] * 3 + [104] * 4 + [156] * 3),
    "eight-card": (2, [52] * 2 + [104] * 3),
    "cutthroat": (2, SIX),
    "cambio": (2, [54] * 5 + [108] * 4),
    "powers": (2, [52] * 2 + [104] * 3),
    "cactus": (2, [52] * 4 + [52 + 13 * more for more in range(1, 20)]),
    "four-turns": (2, [52] * 5),
    "two-deck": (2, [52] * 2 + [104] * 4 + [156] * 5),
    **dict.fromkeys(("par-3", "par-4", "par-5", "no-par", "par-course"), (2, [52] * 3)),
}
"""The fewest seats, and the number of cards with so many seats, with one more, and so on."""


@pytest.mark.parametrize("name", PRESETS)
def test_gen_14_the_seats_and_the_cards_of_each_game(name: str) -> None:
    """CAC-01, CAC-04, CMB-01, CUT-01, EIG-01, FOU-01, NIN-01, PAR-01, POW-01, SGL-01, SGL-03, SIX-01, T4-01, TDK-01."""
    fewest, sizes = DECKS[name]
    assert possible_seats(name) == [fewest + more for more in range(len(sizes))]
    assert [len(deck(preset(name), fewest + more)) for more in range(len(sizes))] == sizes


def possible_seats(name: str, **options: Any) -> list[int]:
    variant = with_options(name, options)
    return [seats for seats in range(1, 40) if seat_problem(variant, seats) is None]


@pytest.mark.parametrize(
    ("name", "options", "fewest", "most"),
    [
        ("six-card", {"decks": 3}, 2, 8),
        ("six-card", {"decks": 1}, 2, 7),
        ("single-deck", {"decks": 3}, 2, 4),
        ("nine-card", {"decks": 1}, 1, 5),
        ("cambio", {"decks": 1, "jokers": 0}, 2, 10),
        ("two-deck", {"decks": 1}, 2, 7),
        ("two-deck", {"decks": 3}, 2, 22),
    ],
)
def test_tdk_01_only_in_the_two_deck_game_more_packs_seat_more_players(
    name: str, options: dict[str, int], fewest: int, most: int
) -> None:
    assert possible_seats(name, **options) == list(range(fewest, most + 1))


@pytest.mark.parametrize(("name", "seats"), [("six-card", 8), ("nine-card", 10), ("cambio", 10), ("two-deck", 22)])
def test_gen_14_the_fullest_table_plays_to_the_end(name: str, seats: int) -> None:
    """With a stock of at least one card for each seat after the deal."""
    game = Game.from_seed(with_options(name, {"decks": 3, "rounds": 1, "turn_cap": 3}), seats, "many")
    assert len(game.table.stock) >= seats
    dice = Random(seats)  # noqa: S311
    while game.question is not None:
        game.answer(AtRandom().response(game, dice))
    assert len(game.result.ranks) == seats


# The cards


@pytest.mark.parametrize(
    ("name", "options", "seats", "ranks", "suits"),
    [
        ("six-card", {}, 2, "A 2 3 4 5 6 7 8 9 10 J Q K", "CDHS"),
        ("cactus", {}, 5, "0 1 2 3 4 5 6 7 8 9 10 J Q", "CDHS"),  # CAC-02
        ("cactus", {"cactus_ranks": "KA"}, 5, "2 3 4 5 6 7 8 9 10 J Q A K", "CDHS"),  # CAC-03
        ("cactus", {}, 6, "0 1 2 3 4 5 6 7 8 9 10 J Q", "CDEHS"),
        ("cactus", {}, 10, "0 1 2 3 4 5 6 7 8 9 10 J Q", "CDEFGHIJS"),
    ],
)
def test_cac_04_the_ranks_and_the_suits(name: str, options: dict[str, Any], seats: int, ranks: str, suits: str) -> None:
    cards = deck(with_options(name, options), seats)
    assert len(set(cards)) == len(cards)
    assert {rank(card) for card in cards} == set(ranks.split())
    assert "".join(sorted({suit(card) for card in cards})) == suits


@pytest.mark.parametrize(
    ("name", "options", "seats", "jokers"),
    [
        ("cambio", {}, 2, ["X1", "X2"]),
        ("cambio", {}, 7, ["X1", "X2", "X3", "X4"]),
        ("cambio", {"jokers": 0}, 4, []),
        ("single-deck", {"jokers": 2}, 2, ["X1", "X2"]),
        ("two-deck", {}, 12, []),
        ("powers", {}, 6, []),
    ],
)
def test_sgl_02_the_jokers_of_each_pack(name: str, options: dict[str, int], seats: int, jokers: list[str]) -> None:
    assert [card for card in deck(with_options(name, options), seats) if rank(card) == "X"] == jokers
