"""When the pump's pipes were looked at, by a time that the test sets: in nanoseconds from 0."""

from referee.play.pump.clock import AT_ONCE_NS, LAG_NS, Clock

MS = 1_000_000


class Watched:
    """A clock, the lags that it has told, and its time."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.lags: list[int] = []
        self.clock = Clock(lambda: self.now_ns)
        self.clock.on_lag = self.lags.append

    def wait_in_loop(self, began_ns: int, ended_ns: int) -> None:
        self.now_ns = began_ns
        self.clock.loop_waits.before_io_wait(0)
        self.now_ns = ended_ns
        self.clock.loop_waits.after_io_wait(0)


def test_a_gap_between_two_looks_is_a_lag_once_it_is_long_enough() -> None:
    watched = Watched()
    watched.clock.catch_up(LAG_NS)
    assert watched.lags == []
    watched.clock.catch_up(LAG_NS + 1)
    assert watched.lags == [LAG_NS + 1]
    watched.clock.catch_up(2 * LAG_NS)
    assert watched.lags == [LAG_NS + 1]


def test_a_poll_that_returns_later_than_its_timeout_is_a_lag_of_the_rest() -> None:
    watched = Watched()
    watched.now_ns = 9 * MS
    assert watched.clock.end_poll(0, 2 * MS) == 9 * MS
    assert watched.lags == [7 * MS]
    watched.clock.catch_up(10 * MS)
    assert watched.lags == [7 * MS]


def test_what_a_poll_finds_at_once_may_have_come_since_the_last_look() -> None:
    watched = Watched()
    watched.now_ns = 1 * MS + AT_ONCE_NS - 1
    watched.clock.end_poll(1 * MS, 2 * MS)
    assert watched.clock.arrived_ns == 0
    looked_ns = watched.now_ns
    watched.now_ns = looked_ns + AT_ONCE_NS
    watched.clock.end_poll(looked_ns, 2 * MS)
    assert watched.clock.arrived_ns == watched.now_ns
    assert watched.lags == []


def test_while_the_pump_is_parked_the_loop_looks_as_long_as_it_waits() -> None:
    watched = Watched()
    with watched.clock.parked(100 * MS):
        watched.wait_in_loop(1 * MS, 90 * MS)
        assert watched.lags == []
        watched.wait_in_loop(97 * MS, 98 * MS)
        assert watched.lags == [7 * MS]
        watched.wait_in_loop(98 * MS, 105 * MS)
        assert watched.lags == [7 * MS, 5 * MS]
    watched.clock.catch_up(106 * MS)
    assert len(watched.lags) == 2


def test_what_the_loop_waits_for_while_the_pump_is_not_parked_is_no_look() -> None:
    watched = Watched()
    watched.wait_in_loop(1 * MS, 9 * MS)
    assert watched.lags == []
    watched.clock.catch_up(10 * MS)
    assert watched.lags == [10 * MS]


def test_what_the_pump_does_on_purpose_before_it_looks_is_no_lag() -> None:
    watched = Watched()
    watched.now_ns = 500 * MS
    watched.clock.mark_looked()
    watched.clock.catch_up(501 * MS)
    assert watched.lags == []
