"""Keyed streams, against vectors from `openssl dgst` and a second implementation straight from the description."""

from collections import Counter

import naive_streams as naive
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.chance import Keyed
from referee.rules.keyed_streams import Stream, bot_seed
from referee.rules.variants import preset

KEY = bytes(range(32))
purposes = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def test_vectors_for_other_implementations() -> None:
    assert Stream(KEY, "deck/1").shuffled(range(10)) == [5, 1, 4, 8, 7, 9, 6, 3, 2, 0]
    assert [Stream(KEY, "deck/1").below(n) for n in (1, 6, 52, 2**32)] == [0, 4, 44, 0xC67A34D0]
    assert bot_seed(KEY, 0, 2) == 0x2963889B << 21 | 0x1E31A9BB >> 11


@given(st.binary(max_size=80), purposes, st.lists(st.integers(1, 2**32), max_size=40))
def test_below_as_described(key: bytes, purpose: str, bounds: list[int]) -> None:
    stream, source = Stream(key, purpose), naive.words(key, purpose)
    assert [stream.below(n) for n in bounds] == [naive.below(source, n) for n in bounds]


@given(st.binary(min_size=1, max_size=32), purposes, st.integers(0, 120))
def test_shuffled_as_described_and_leaves_the_given_order_alone(key: bytes, purpose: str, count: int) -> None:
    items = list(range(count))
    assert Stream(key, purpose).shuffled(items) == naive.shuffled(naive.words(key, purpose), items)
    assert items == list(range(count))


@given(st.integers(0, 11), st.integers(0, 11))
def test_a_bots_seed_fits_a_double_exactly(rotation: int, seat: int) -> None:
    source = naive.words(KEY, f"bot/{rotation}/{seat}")
    assert bot_seed(KEY, rotation, seat) == (next(source) * 2**32 + next(source)) >> 11 < 2**53


def test_all_orders_of_a_shuffle_are_about_equally_frequent() -> None:
    orders = Counter(tuple(Stream(KEY, f"deck/{number}").shuffled("abc")) for number in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_a_range_that_a_word_cannot_fill_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match=r"from 1 to 2\*\*32"):
        Stream(KEY, "deck/1").below(n)


def test_gen_05_every_purpose_round_and_counter_has_a_stream_of_its_own() -> None:
    variant = preset("cactus")
    chance, pack = Keyed(KEY, variant, 10), tuple(sorted(Keyed(KEY, variant, 10).deck(1)))
    numbers = [(number, count) for number in (1, 2) for count in (1, 2)]
    orders = [chance.deck(1), chance.deck(2)]
    orders += [draw(*at, pack) for draw in (chance.reshuffle, chance.shuffle) for at in numbers]
    assert len(set(orders)) == 10
    assert len({draw(*at) for draw in (chance.lots, chance.asking) for at in numbers}) == 8
    assert Keyed(KEY, variant, 10).deck(2) == chance.deck(2) == orders[1]
    assert Keyed(KEY, variant, 10).lots(2, 2) == chance.lots(2, 2)
