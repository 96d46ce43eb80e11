"""Whether hosts differ is asked of blocks: what is alike within one says nothing, and games may lie anywhere."""

from random import Random

from simulated import chance

from referee.tournament.figures.host_differences import FEWEST, Difference, Sample, differences


def blocks(dice: Random, *, slower: float = 1.0, hosts: int = 3, count: int = 30) -> list[Sample]:
    """Slaps of two bots in blocks that differ much, on hosts by chance; the last host is `slower`."""
    samples = []
    for block in range(count):
        host = dice.randrange(hosts)
        for bot in ("ann", "bea"):
            level = dice.lognormvariate(5.0, 0.5) * (slower if host == hosts - 1 else 1.0)
            slaps = tuple(level * dice.lognormvariate(0.0, 0.05) for _ in range(20))
            samples.append(
                Sample(what="slaps", host=f"lab{host}", game="cactus", block=block, bot=bot, values_us=slaps)
            )
    return samples


def told(samples: list[Sample]) -> list[Difference]:
    return [one for one in differences(samples) if one.differs]


def test_hosts_that_are_alike_are_told_apart_no_more_often_than_said() -> None:
    wrong = sum(bool(told(blocks(chance(str(number))))) for number in range(60))

    assert wrong <= 8  # 3 are expected at the level 0.05


def test_a_slow_host_is_found_and_its_bots_are_named() -> None:
    found = told(blocks(chance("1"), slower=4.0, count=60))

    assert sorted(one.bot for one in found) == ["ann", "bea"]
    assert all(one.median_us["lab2"] > 2 * one.median_us["lab0"] for one in found)
    assert sum(found[0].blocks.values()) == 60


def test_a_host_that_played_the_slow_game_alone_is_no_slow_host() -> None:
    samples = []
    for block in range(40):
        host, game, level = ("lab1", "cactus", 900.0) if block % 2 else (f"lab{block // 2 % 2}", "cambio", 100.0)
        samples.append(
            Sample(what="answers", host=host, game=game, block=block, bot="ann", values_us=(level + block % 7,))
        )

    assert told(samples) == []


def test_too_few_blocks_are_not_compared_and_equal_ones_do_not_differ() -> None:
    few = [
        Sample(what="lag", host=f"lab{number % 2}", game="par", block=number, values_us=(float(number),))
        for number in range(2 * FEWEST - 1)
    ]
    assert differences(few) == ()

    equal = [
        Sample(what="lag", host=f"lab{number % 2}", game="par", block=number, values_us=(3.0,)) for number in range(20)
    ]
    assert [(one.p, one.differs) for one in differences(equal)] == [(1.0, False)]
