"""Whose presence explains the voids of a run: worked cases, and simulated runs with bad hosts and with attackers."""

from collections.abc import Callable
from math import comb

import pytest
from void_runs import Voids, attacker, bad_host, simulate, troubled_host

from referee.tournament.voids import LEVEL, Attempts, VoidTally, likelihood

pytestmark = pytest.mark.full

# Worked cases


def tally(*attempts: str, owners: dict[str, str] | None = None) -> VoidTally:
    """A tally of attempts at which the bots of a text sat, a letter each; a `!` before it stands for a void."""
    made = VoidTally(owners or {})
    for one in attempts:
        (made.voided if one[0] == "!" else made.finished)(one.lstrip("!"))
    return made


ALL_BUT_A = ("bc", "bd", "cd", "be", "ce", "de")


def test_a_bot_is_told_at_how_many_attempts_it_sat() -> None:
    assert tally("ab", "!ab", "!ab", "bc").of("a") == Attempts(attempts=3, voided=2)
    assert tally().of("a") == Attempts()


def test_the_likelihood_is_fishers() -> None:
    """Of ten occasions four are void, and three of these are with the bot, which was there on four."""
    exact = (comb(4, 3) * comb(6, 1) + comb(4, 4) * comb(6, 0)) / comb(10, 4)
    assert likelihood(3, 1, 1, 5) == pytest.approx(exact)
    assert likelihood(5, 0, 0, 5) == pytest.approx(1 / comb(10, 5))


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (3, 0, 0, 0), (0, 3, 3, 0), (1, 1, 1, 1), (0, 5, 0, 5)])
def test_nothing_is_explained_without_a_comparison_or_where_the_bot_has_no_more_voids(
    counts: tuple[int, int, int, int],
) -> None:
    assert likelihood(*counts) == 1.0


def test_a_bot_that_voids_whatever_it_plays_is_found() -> None:
    rounds = [(f"!a{rival}", *ALL_BUT_A) for rival in "bcdebcde"]
    found = tally(*(one for some in rounds for one in some))

    assert found.blamed("abcde", 3) == ["a"]
    assert found.blamed("abcde", 9) == []


def test_two_bots_alone_cannot_be_told_apart() -> None:
    assert tally(*20 * ("!ab", "ab")).blamed("ab", 3) == []


def test_of_two_bots_that_void_only_together_neither_is_blamed() -> None:
    """Else a rival could put the blame on a bot by voiding only the matches between them."""
    assert tally(*20 * ("!ab", "ac", "ad", *ALL_BUT_A)).blamed("abcde", 3) == []


def test_two_bots_of_one_owner_cannot_put_the_blame_on_a_third() -> None:
    attempts = 20 * ("!ab", "ac", "!db", "dc", "bc", "ae", "de", "ce", "be")
    assert tally(*attempts).blamed("abcde", 3) == ["b"]
    assert tally(*attempts, owners={"a": "x", "d": "x"}).blamed("abcde", 3) == []


def test_voids_without_a_finished_match_in_between_count_once() -> None:
    """While the host is in trouble, whoever happens to play is voided again and again."""
    trouble = ("!ab", "!ab", "!ab", "!ac", "!ac", "!ac", "!ad")
    assert tally(*trouble, *20 * ALL_BUT_A, *trouble).blamed("abcde", 3) == []


def test_voids_that_show_nothing_bar_nobody_and_are_told() -> None:
    """A bot that fills the host in another match has the kernel kill the largest process, always the same bot."""
    found = tally(*20 * ALL_BUT_A)
    for rival in "bcdebcde":
        found.voided(f"a{rival}", shows=False)
    assert found.blamed("abcde", 3) == []
    assert found.of("a") == Attempts(attempts=8, voided=8)


# Simulated runs

SIZES = [(4, 2, 20), (6, 2, 10), (12, 2, 3), (6, 3, 3)]
"""Bots, seats, deals."""


@pytest.mark.parametrize(("bots", "seats", "deals"), SIZES)
@pytest.mark.parametrize(
    "host",
    [lambda: bad_host(0.03), lambda: bad_host(0.3), lambda: troubled_host(0.02, 5), lambda: troubled_host(0.01, 25)],
    ids=["3 % void", "30 % void", "short troubles", "long troubles"],
)
def test_a_bad_host_bars_nobody(bots: int, seats: int, deals: int, host: Callable[[], Voids]) -> None:
    for seed in range(8):
        assert simulate(seed, host(), bots=bots, seats=seats, deals=deals).barred == {}


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("jobs", [1, 4])
def test_an_attacker_is_barred_and_nobody_else(share: float, noise: float, jobs: int) -> None:
    for seed in range(8):
        voids = attacker("2", share=share, noise=noise)
        assert list(simulate(seed, voids, bots=6, seats=2, deals=20, jobs=jobs).barred) == ["2"]


def test_a_rival_that_voids_its_matches_against_one_bot_bars_nobody() -> None:
    for seed in range(8):
        voids = attacker("2", against="3")
        assert simulate(seed, voids, bots=6, seats=2, deals=20).barred == {}


def test_a_bot_is_not_barred_before_it_has_sat_at_so_many_voids() -> None:
    few, many = (simulate(3, attacker("2"), bots=6, seats=2, deals=20, voids_that_bar=count) for count in (3, 60))
    assert few.barred["2"] < 60 <= many.barred["2"]


def test_the_level_is_what_the_page_says() -> None:
    assert LEVEL == 0.0001
