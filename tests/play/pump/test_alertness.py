"""When the cores are kept awake between two answers: while bots answer at once, on cores that nobody else has."""

import pytest

from referee.play.isolation.host import cores
from referee.play.pump.alertness import CHECK_NS, MOST_STOLEN, REST_NS, SOON_NS, TICK_NS, Alertness

TURN_NS = 10_000_000


class Sleepers:
    """Remembers what was wanted last."""

    are_awake = False

    def stay_awake(self, *, wanted: bool) -> None:
        self.are_awake = wanted


@pytest.fixture
def sleepers() -> Sleepers:
    return Sleepers()


@pytest.mark.parametrize(
    ("looks", "are_awake"),
    [
        pytest.param(1 + TURN_NS // SOON_NS, True, id="bots that answer at once"),
        pytest.param(TURN_NS // SOON_NS, False, id="bots that think"),
        pytest.param(0, False, id="nothing came until the turn was over"),
    ],
)
def test_cores_stay_awake_for_bots_that_answer_at_once(looks: int, are_awake: bool, sleepers: Sleepers) -> None:
    alertness = Alertness(sleepers, stolen=lambda: 0)
    alertness.note_turn(looks, 0, TURN_NS)
    assert sleepers.are_awake is are_awake
    alertness.note_turn(0, TURN_NS, 2 * TURN_NS)
    assert not sleepers.are_awake


def test_cores_that_others_have_too_may_sleep(sleepers: Sleepers) -> None:
    """For a minute; then it is tried again."""
    ticks, now_ns = 5, 0
    alertness = Alertness(sleepers, stolen=lambda: ticks)

    def play(until_ns: int) -> None:
        nonlocal now_ns
        while now_ns < until_ns:
            alertness.note_turn(1000, now_ns, now_ns + TURN_NS)
            now_ns += TURN_NS

    play(CHECK_NS // 2)
    assert sleepers.are_awake, "what was taken before is not known"
    ticks += 2 + int(2 * MOST_STOLEN * CHECK_NS / TICK_NS * cores())
    play(2 * CHECK_NS)
    assert not sleepers.are_awake
    play(REST_NS)
    assert not sleepers.are_awake
    play(2 * CHECK_NS + REST_NS)
    assert sleepers.are_awake


def test_cores_stay_awake_where_others_take_little_of_them(sleepers: Sleepers) -> None:
    ticks = 0

    def stolen() -> int:
        nonlocal ticks
        ticks += int(MOST_STOLEN * CHECK_NS / TICK_NS * cores())
        return ticks

    alertness = Alertness(sleepers, stolen=stolen)
    for number in range(10):
        began_ns = 2 * number * CHECK_NS
        alertness.note_turn(1000, began_ns, began_ns + TURN_NS)
        assert sleepers.are_awake
