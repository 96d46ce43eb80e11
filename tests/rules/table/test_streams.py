"""Keyed streams, against vectors from `openssl dgst` and a second implementation straight from the description."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.book.variants import preset
from referee.rules.table.chance import Keyed
from referee.rules.table.streams import Stream, bot_seed

KEY = bytes(range(32))
purposes = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def words(key: bytes, purpose: str) -> Iterator[int]:
    """The 32-bit words of a stream."""
    for number in range(10**6):
        message = purpose.encode("utf-8") + b"\0" + number.to_bytes(8, "big")
        digest = hmac.new(key, message, hashlib.sha256).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")


def below(source: Iterator[int], n: int) -> int:
    while (word := next(source)) >= (2**32 // n) * n:
        pass
    return word % n


def test_the_words_of_a_stream_are_those_of_hmac_sha_256() -> None:
    stream = Stream(KEY, "deck/1")
    drawn = "".join(f"{stream.below(2**32):08x}" for _ in range(16))
    first, second = drawn[:64], drawn[64:]
    assert first == "c67a34d0c1220a2c565095dbe59a040d873f961847f56c72a1ac85cea070229b"
    assert second == "258f6b63f675c30eff0ed6597656f78354477e47d64b4d76d71971415ae94004"


def test_vectors_for_other_implementations() -> None:
    assert Stream(KEY, "deck/1").shuffled(range(10)) == [5, 1, 4, 8, 7, 9, 6, 3, 2, 0]
    assert [Stream(KEY, "deck/1").below(n) for n in (1, 6, 52, 2**32)] == [0, 4, 44, 0xC67A34D0]
    assert bot_seed(KEY, 0, 2) == 0x2963889B << 21 | 0x1E31A9BB >> 11


@given(st.binary(max_size=80), purposes, st.lists(st.integers(1, 2**32), max_size=40))
def test_below_as_described(key: bytes, purpose: str, bounds: list[int]) -> None:
    stream, source = Stream(key, purpose), words(key, purpose)
    assert [stream.below(n) for n in bounds] == [below(source, n) for n in bounds]


@given(st.binary(min_size=1, max_size=32), purposes, st.integers(0, 120))
def test_shuffled_as_described_and_leaves_the_given_order_alone(key: bytes, purpose: str, count: int) -> None:
    items = list(range(count))
    source, expected, given_order = words(key, purpose), list(items), list(items)
    for i in reversed(range(1, len(items))):
        j = below(source, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert Stream(key, purpose).shuffled(items) == expected
    assert items == given_order


@given(st.integers(0, 11), st.integers(0, 11))
def test_a_bots_seed_fits_a_double_exactly(rotation: int, seat: int) -> None:
    source = words(KEY, f"bot/{rotation}/{seat}")
    assert bot_seed(KEY, rotation, seat) == (next(source) * 2**32 + next(source)) >> 11 < 2**53


def test_words_that_would_bias_are_passed_over() -> None:
    n = 3 * 2**30
    stream, source = Stream(KEY, "biased"), words(KEY, "biased")
    drawn = [stream.below(n) for _ in range(200)]
    assert drawn == [word for word in (next(source) for _ in range(400)) if word < n][:200]


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
