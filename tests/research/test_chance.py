"""The chance of games that are played by the million: seeded, fair, and no stream tells of another."""

from collections import Counter

from scipy.stats import chisquare

from referee.research.chance import Seeded, pack_of
from referee.rules.game import Game
from referee.rules.variants import preset

PACK = pack_of(preset("cambio"), 2)
CARDS = tuple(PACK.tolist())


def test_a_seed_gives_the_same_outcomes_again() -> None:
    one, other = (Seeded(b"seed", PACK, 4) for _ in range(2))
    for chance in (one, other):
        assert sorted(chance.deck(1)) == sorted(PACK)
        assert " ".join(chance.deck(1)[:8]) == "JD 9D 10C 3C KD 7S 7C JC"
        assert chance.lots(2, 1) == (3, 0, 2, 1)
    assert one.reshuffle(1, 1, CARDS) == other.reshuffle(1, 1, CARDS)


def test_every_purpose_and_every_seed_has_an_order_of_its_own() -> None:
    chance = Seeded(b"seed", PACK, 4)
    orders = [
        chance.deck(1),
        chance.deck(2),
        chance.reshuffle(1, 1, CARDS),
        chance.reshuffle(1, 2, CARDS),
        chance.shuffle(1, 1, CARDS),
        Seeded(b"seed\0", PACK, 4).deck(1),
        Seeded(b"", PACK, 4).deck(1),
    ]
    assert len(set(orders)) == len(orders)


def test_every_order_of_the_seats_is_as_likely_as_the_others() -> None:
    chance = Seeded(b"seed", PACK, 4)
    for draw in (chance.lots, chance.asking):
        orders = Counter(draw(number, window) for number in range(60) for window in range(60))
        assert len(orders) == 24
        assert chisquare(list(orders.values())).pvalue > 0.001


def test_every_card_is_as_likely_to_come_first_and_last() -> None:
    decks = [Seeded(b"%d" % number, PACK, 2).deck(1) for number in range(2000)]
    for place in (0, -1):
        assert chisquare(list(Counter(cards[place] for cards in decks).values())).pvalue > 0.001


def test_a_game_deals_from_it() -> None:
    variant = preset("cambio")
    game = Game(variant, 2, Seeded(b"seed", PACK, 2))
    cards = Seeded(b"seed", PACK, 2).deck(1)
    assert [slot.card for slot in game.table.layouts[1] if slot] == list(cards[:8:2])
