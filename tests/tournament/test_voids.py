"""Whose presence explains the voids of a run: worked cases, and simulated runs with bad hosts and with attackers."""

from collections.abc import Callable
from math import comb

import pytest
from void_runs import Voids, attacker, bad_host, simulate, troubled_host

from referee.tournament.voids import LEAST_OCCASIONS, LEVEL, VoidSuspect, VoidTally, p_value

# Worked cases


def tally(*attempts: str, owners: dict[str, str] | None = None) -> VoidTally:
    """A tally of attempts at which the bots of a text sat, a letter each; a `!` before it stands for a void."""
    made = VoidTally(owners or {})
    for one in attempts:
        (made.voided if one[0] == "!" else made.finished)(one.lstrip("!"))
    return made


def suspects(found: VoidTally) -> list[str]:
    return [one.bot for one in found.suspects()]


ALL_BUT_A = ("bc", "bd", "cd", "be", "ce", "de")


def test_the_p_value_is_fishers() -> None:
    """Of ten occasions four are void, and three of these are with the bot, which was there on four."""
    exact = (comb(4, 3) * comb(6, 1) + comb(4, 4) * comb(6, 0)) / comb(10, 4)
    assert p_value(3, 1, 1, 5) == pytest.approx(exact)
    assert p_value(5, 0, 0, 5) == pytest.approx(1 / comb(10, 5))
    assert p_value(3, 0, 0, 0) == p_value(0, 5, 0, 5) == 1.0


def test_a_bot_that_voids_whatever_it_plays_is_found() -> None:
    attempts = [one for rival in "bcdebcde" for one in (f"!a{rival}", *ALL_BUT_A)]
    found = tally(*attempts)
    assert found.suspects() == [VoidSuspect(bot="a", voided=8, of=8)]
    assert found.suspects("bcde") == []
    assert suspects(tally(*attempts[:14])) == []


def test_two_bots_alone_cannot_be_told_apart() -> None:
    assert suspects(tally(*20 * ("!ab", "ab"))) == []


def test_of_two_bots_that_void_only_together_neither_is_found() -> None:
    """Else a rival could put the blame on a bot by voiding only the matches between them."""
    assert suspects(tally(*20 * ("!ab", "ac", "ad", *ALL_BUT_A))) == []


def test_two_bots_of_one_owner_cannot_put_the_blame_on_a_third() -> None:
    attempts = 20 * ("!ab", "ac", "!db", "dc", "bc", "ae", "de", "ce", "be")
    assert suspects(tally(*attempts)) == ["b"]
    assert suspects(tally(*attempts, owners={"a": "x", "d": "x"})) == []


def test_voids_without_a_finished_match_in_between_count_once() -> None:
    """While the host is in trouble, whoever happens to play is voided again and again."""
    trouble = ("!ab", "!ab", "!ab", "!ac", "!ac", "!ac", "!ad")
    assert suspects(tally(*trouble, *20 * ALL_BUT_A, *trouble)) == []


# Simulated runs

SIZES = [(4, 2, 20), (6, 2, 10), (12, 2, 3), (6, 3, 3)]
"""Bots, seats, deals."""


@pytest.mark.full
@pytest.mark.parametrize(("bots", "seats", "deals"), SIZES)
@pytest.mark.parametrize(
    "host",
    [lambda: bad_host(0.03), lambda: bad_host(0.3), lambda: troubled_host(0.02, 5), lambda: troubled_host(0.01, 25)],
    ids=["3 % void", "30 % void", "short troubles", "long troubles"],
)
def test_the_voids_of_a_bad_host_are_explained_by_no_bot(
    bots: int, seats: int, deals: int, host: Callable[[], Voids]
) -> None:
    for seed in range(8):
        assert simulate(seed, host(), bots=bots, seats=seats, deals=deals) == {}


@pytest.mark.full
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("jobs", [1, 4])
def test_an_attacker_is_found_and_no_other_bot(share: float, noise: float, jobs: int) -> None:
    for seed in range(8):
        voids = attacker("2", share=share, noise=noise)
        assert list(simulate(seed, voids, bots=6, seats=2, deals=20, jobs=jobs)) == ["2"]


@pytest.mark.full
def test_a_rival_that_voids_its_matches_against_one_bot_puts_the_blame_on_neither() -> None:
    for seed in range(8):
        voids = attacker("2", against="3")
        assert simulate(seed, voids, bots=6, seats=2, deals=20) == {}


def test_the_level_is_what_the_page_says_and_out_of_reach_of_fewer_occasions() -> None:
    assert LEVEL == 0.0001
    assert comb(LEAST_OCCASIONS - 1, LEAST_OCCASIONS // 2) < 1 / LEVEL < comb(LEAST_OCCASIONS, LEAST_OCCASIONS // 2)
