"""A tournament for some hours takes its deals in parts, and its clock ends it."""

from collections.abc import Mapping
from typing import Any

from made_up_rounds import a_round
from msgspec.structs import replace

from referee.tournament.formats.draw import next_round
from referee.tournament.formats.parts import hours_are_over
from referee.tournament.plan.rounds import End, Entrant, Field, Past, Round, StageRules
from referee.tournament.plan.schedule import PlannedVariant
from referee.tournament.run.clock import HoursClock
from referee.tournament.store.events import played_for, told_as_played_for, used_s
from referee.tournament.store.rows import RunEvent

RULES = StageRules(deals=2, lineups=8, lineups_a_round=3)
FIELD = Field(
    master_key=bytes(32),
    bots=[Entrant(name=name, owner="") for name in "abcde"],
    variants=[PlannedVariant(variant="pairs", seats=2), PlannedVariant(variant="fours", seats=4)],
    stages=[RULES],
)


def drawn(field: Field, rounds: list[Round]) -> Round | End:
    return next_round(field, Past(rounds=rounds, played=[[] for _ in rounds]))


def test_each_part_has_the_next_line_ups_of_a_deal() -> None:
    rounds: list[Round] = []
    while isinstance(one := drawn(FIELD, rounds), Round):
        rounds.append(one)
    parts = [(one.whole_deal, one.lineups) for one in rounds]
    assert parts == [(deal, ends) for deal in (0, 1) for ends in ((0, 3), (3, 6), (6, 8))]
    assert [one.number for one in rounds] == list(range(6))
    assert rounds[1].title == "deal 1 of at most 2, line-ups 4 to 6 of 8"
    assert one == End(reason="all 2 deals are played")


def test_after_an_amendment_line_ups_that_were_left_out_come_first() -> None:
    more = replace(FIELD, stages=[replace(RULES, lineups=None)])
    begun = [
        Round(number=number, title="", whole_deal=deal, lineups=ends)
        for number, (deal, ends) in enumerate([(0, (0, 3)), (0, (5, 8)), (1, (0, 3))])
    ]
    first = a_round(drawn(more, begun))
    assert (first.number, first.whole_deal, first.lineups) == (3, 0, (3, 5))
    second = a_round(drawn(more, [*begun, first]))
    assert (second.whole_deal, second.lineups) == (0, (8, 10))


class Session:
    """A store as a clock sees it, and the time as a test sets it."""

    def __init__(self, **counts: int) -> None:
        self.now, self.matches = 0.0, counts
        self.lines: list[tuple[int, str]] = []

    def counts(self) -> Mapping[str, int]:
        return self.matches

    def ids(self) -> range:
        return range(sum(self.matches.values()))

    def history(self) -> list[RunEvent]:
        return [RunEvent(after=after, lines=(line,)) for after, line in self.lines]


def clock_of(store: Any, hours: float, *, counts_earlier: bool = True) -> HoursClock:
    clock = HoursClock(lambda: store.now)
    clock.begin(store, hours, {"short": 1.0, "long": 3.0}, 2, counts_earlier=counts_earlier)
    return clock


def test_a_round_fits_if_it_ends_in_time_at_the_pace_of_the_matches_so_far() -> None:
    """Ten matches, one of them of three times the work, took 120 s; so seven short ones take 70 s more, or 77."""
    store: Any = Session()
    clock = clock_of(store, 200 / 3600)
    assert clock.has_time_for(store, {"short": 1000}), "where nothing has been played, nothing is known"
    store.now, store.matches = 120.0, {"short": 9, "long": 1}
    assert clock.has_time_for(store, {"short": 7})
    assert not clock.has_time_for(store, {"short": 5, "long": 1})
    assert (clock.used_s, round(clock.left_s)) == (120.0, 80)


def test_time_that_was_used_before_counts_even_where_the_run_was_killed() -> None:
    """It told 60 s after 6 matches, and 3 were committed since, each of which usually takes 10 s."""
    store: Any = Session(short=9)
    store.lines = [(0, played_for(4.0)), (6, played_for(60.0)), (9, "something else")]
    assert clock_of(store, 1.0).used_s == 90.0
    assert clock_of(store, 1.0, counts_earlier=False).used_s == 0.0
    killed: Any = Session(short=8)
    assert clock_of(killed, 1.0).used_s == 4.0, "in its first round: as long as was expected, two at a time"


def test_the_words_for_time_are_recognised() -> None:
    assert told_as_played_for(played_for(61.7)) == 62
    assert told_as_played_for("played for 6x s of its hours") is None
    assert used_s([played_for(3), "other", played_for(61)]) == 61
    assert used_s(["other"]) is None
    assert hours_are_over(0.5) == End(reason="its time is over (hours = 0.5)")
