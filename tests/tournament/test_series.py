"""A few games between given bots: who sits where on which deal, and the figures of all of them together."""

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from protocol.events import Slapped
from protocol.messages import Clocks
from referee.reports.series_report import in_words, series_report
from referee.rules.record import Given, GivenSlaps, GivenTogether, Record, replay
from referee.tournament.orders import result_of
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.series import Seating, Series, seating
from referee.tournament.series_summary import SeriesSummary, summary_of
from referee.tournament.tally import standings_of


@given(seats=st.integers(2, 8), deal=st.integers(0, 9))
@settings(max_examples=30)
def test_on_each_deal_every_bot_plays_once_from_every_seat_and_odd_deals_go_backwards(seats: int, deal: int) -> None:
    games = [seating(deal * seats + rotation, seats, rotates=True) for rotation in range(seats)]

    assert [(game.deal, game.rotation) for game in games] == [(deal, rotation) for rotation in range(seats)]
    assert games[0].order == tuple(range(seats))[:: -1 if deal % 2 else 1]
    for seat in range(seats):
        assert {game.order[seat] for game in games} == set(range(seats))
    for before, after in pairwise(games):
        assert all(after.order[(seat - 1) % seats] == bot for seat, bot in enumerate(before.order))
    fixed = seating(deal, seats, rotates=False)
    assert (fixed.deal, fixed.rotation, fixed.order) == (deal, 0, tuple(range(seats))), "each game has its own deal"


def played(preset: str, games: int) -> tuple[Series, list[tuple[Seating, Record]]]:
    """A series of so many games, which all go alike; the bots are renamed as they change seats."""
    record = BY_PRESET[preset]
    names = [seat.name for seat in record.seats]
    series, all_played = Series(seats=3, rotates=True), []
    for game in range(games):
        seat = seating(game, 3, rotates=True)
        bots = (replace(one, name=names[bot]) for one, bot in zip(record.seats, seat.order, strict=True))
        all_played.append((seat, replace(record, seats=tuple(bots))))
        series.add(*all_played[-1])
    return series, all_played


def test_standings_are_those_of_a_tournament_with_a_block_for_each_deal() -> None:
    series, games = played("six-card", 7)
    results = [
        result_of(
            PlannedMatch(
                number=seat.game,
                variant="six-card",
                block=seat.deal,
                lineup=seat.order,
                rotation=seat.rotation,
                deal=seat.deal,
                deal_key=b"",
            ),
            record,
        )
        for seat, record in games
    ]
    summary = summary_of(series)

    assert summary.standings == standings_of(results).overall
    assert summary.crosstable == standings_of(results).crosstable
    assert (summary.games, summary.deals) == (7, 3)
    assert summary.faults == {
        "faulty": {"illegal_action": 3},
        "random": {"illegal_action": 2},
        "greedy": {"illegal_action": 2},
    }


def test_times_are_those_of_the_records_by_bot_and_not_by_seat() -> None:
    series, games = played("cactus", 5)
    thinking, slaps = defaultdict(list), defaultdict(list)
    for _, record in games:
        names = [seat.name for seat in record.seats]
        for move in record.moves:
            for one in move.answers if isinstance(move, GivenTogether) else [move]:
                if isinstance(one, Given) and not one.joined:
                    thinking[names[one.seat]].append(one.time_us)
            for reaction in move.reactions if isinstance(move, GivenSlaps) else ():
                if reaction.corrected_us is not None and not reaction.fault:
                    slaps[names[reaction.seat]].append(reaction.corrected_us)

    for figures in summary_of(series).bots:
        assert figures.thinking is not None
        assert figures.thinking.answers == len(thinking[figures.bot])
        assert figures.thinking.worst_us == max(thinking[figures.bot])
        assert figures.thinking.p50_us <= figures.thinking.p99_us <= figures.thinking.worst_us
        assert (figures.slaps is None) == (figures.bot not in slaps)
        if figures.slaps is not None:
            assert figures.slaps.answers == len(slaps[figures.bot])
            assert figures.slaps.worst_us == max(slaps[figures.bot])
    assert slaps


@pytest.mark.parametrize("preset", ["six-card", "cactus"])
def test_slaps_are_counted_as_the_table_was_told_of_them(preset: str) -> None:
    series, kept = played(preset, 3)
    told: Counter[tuple[str, str]] = Counter()
    for _, record in kept:
        for event in replay(record).events:
            if isinstance(event, Slapped):
                told[record.seats[event.seat].name, event.verdict] += 1

    for figures in summary_of(series).bots:
        counts = figures.actions.slaps
        assert (counts is None) == (preset == "six-card")
        if counts is not None:
            assert [counts.right, counts.wrong, counts.late] == [
                told[figures.bot, verdict] for verdict in ("right", "wrong", "late")
            ]
    assert (preset == "cactus") == (sum(told.values()) > 0)


def summary(games: int, preset: str = "six-card") -> SeriesSummary:
    return summary_of(played(preset, games)[0])


def test_what_was_played_is_said_with_what_is_left_over() -> None:
    assert in_words(summary(6)) == "6 games of six-card: 2 deals, each from all 3 seats"
    assert in_words(summary(4)) == "4 games of six-card: 1 deal, from all 3 seats, and one more from 1 of 3 seats"
    assert in_words(summary(2)) == "2 games of six-card: one deal from 2 of 3 seats"
    fixed = replace(summary(2), rotates=False)
    assert in_words(fixed) == "2 games of six-card, each on a deal of its own; seats as given"


def test_a_shared_first_place_is_won_and_told_apart() -> None:
    record = BY_PRESET["six-card"]
    tied = replace(record, result=replace(record.result, totals=(5, 5, 9), ranks=(1, 1, 3)))
    series = Series(seats=3, rotates=True)
    series.add(seating(0, 3, rotates=True), tied)
    assert [one.shared_firsts for one in summary_of(series).bots] == [1, 1, 0]
    titles, _, first, *_ = series_report(summary_of(series), Clocks(), 80).split("\n\n")[1].splitlines()
    assert titles.split() == ["rank", "bot", "games", "won", "shared", "match", "points", "strokes", "games", "rounds"]
    assert first.split()[1:5] == ["faulty", "1", "1", "0.750"]
    assert "shared" not in series_report(summary(2), Clocks(), 80)


def test_the_report_has_faults_by_kind_and_times_with_their_limits() -> None:
    report = series_report(summary(3, "cactus"), Clocks(move_s=2.0, slap_s=0.25), 80)

    for heading in (
        "Takes from the pile, ends of rounds, and slaps",
        "Faults\n",
        "Thinking times in ms as charged, of 2000\n",
        "Times in slap windows in ms, of 250\n",
    ):
        assert f"\n\n{heading}" in report
    assert "illegal\n" in report
    assert "isolation: limits" in report
    assert "slap windows" not in series_report(summary(3), Clocks(), 80)
