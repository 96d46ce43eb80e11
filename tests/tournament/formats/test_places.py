"""Who has which place in a knockout and where there are several stages, and what is told of it."""

import json

import msgspec
from made_up_rounds import a_round, by_name, field_of, played_out, results_of, without
from msgspec.structs import replace

from referee.reports.tables.stage_tables import stages_report
from referee.tournament.formats import knockout
from referee.tournament.formats.places import places_of
from referee.tournament.formats.stages import next_round as draw
from referee.tournament.plan.rounds import Block, End, Entrant, History, Round, StageRules

KNOCKOUT = StageRules(format="knockout", deals=4, advance=1, limit=8)
SWISS = StageRules(format="swiss", deals=2, rounds=4, advance=4)


def test_bots_that_left_early_keep_the_order_of_their_stage() -> None:
    field = field_of(12, SWISS, StageRules(deals=6))
    past, _ = played_out(field, draw)
    found = places_of(field, past, is_playing=False)
    first, last = found.stages
    best = [bot for bot, rank in sorted(found.ranks.items(), key=lambda pair: pair[1])][:4]
    assert best == sorted((row.bot for row in first.bots[:4]), reverse=True)
    assert sorted(rank for bot, (rank, *_) in found.ranks.items() if bot not in best) == [*range(5, 13)]
    assert [row.bot for row in first.bots if row.goes_on] == [row.bot for row in first.bots][:4]
    assert (first.format, first.is_over, first.is_cut_settled is None) == ("swiss", True, False)
    assert (last.format, last.is_cut_settled, [row.match_points for row in last.bots]) == (
        "round-robin",
        None,
        [1.0, 0.666666667, 0.333333333, 0.0],
    )


def test_the_table_of_a_sampled_round_robin_stage_shows_the_strengths_that_order_it() -> None:
    field = field_of(8, StageRules(deals=2, lineups=10, advance=4), StageRules(deals=2))
    past, _ = played_out(field, draw)
    sampled, last = stages_report(places_of(field, past, is_playing=False).stages, 100)
    assert "strength" in sampled
    assert "match points" not in sampled
    assert "match points" in last


def test_a_bot_that_comes_when_the_first_stage_is_over_has_no_place() -> None:
    field = field_of(8, SWISS, StageRules(deals=2))
    past, _ = played_out(field, draw)
    late = replace(field, bots=[*field.bots, Entrant(name="late", owner="")])
    assert isinstance(draw(late, past), End)
    found = places_of(late, past, is_playing=False)
    assert "late" not in found.ranks
    assert "late" not in {row.bot for stage in found.stages for row in stage.bots}


def test_a_stage_of_which_an_amendment_left_no_table_has_only_those_who_went_on() -> None:
    """So it is where another game took the place of the one that was played in it."""
    field = field_of(8, SWISS, StageRules(deals=2))
    past, _ = played_out(field, draw)
    last = [(one, played) for one, played in zip(past.rounds, past.played, strict=True) if one.stage == 1]
    begun = [(replace(one, tables=()), ()) for one in past.rounds if one.stage == 0]
    left = History(rounds=[one for one, _ in (*begun, *last)], played=[some for _, some in (*begun, *last)])
    found = places_of(field, left, is_playing=False)
    assert {row.bot for row in found.stages[0].bots} == set(last[0][0].entered)
    assert {(row.strength, row.goes_on) for row in found.stages[0].bots} == {(None, True)}
    assert sorted(rank for rank, *_ in found.ranks.values()) == [1, 2, 3, 4]


def test_a_cut_is_settled_where_all_that_go_on_are_better() -> None:
    stages = StageRules(deals=14, advance=2), StageRules(deals=1)
    field = field_of(4, *stages)
    past, _ = played_out(field, draw)
    assert places_of(field, past, is_playing=False).stages[0].is_cut_settled is True
    text = "\n".join(stages_report(places_of(field, past, is_playing=False).stages, 80))
    assert "The 2 that go on are better than the others (p < 0.05, all pairs)." in text
    even, _ = played_out(field, draw, lambda *_: 0)
    found = places_of(field, even, is_playing=False)
    assert found.stages[0].is_cut_settled is False
    assert "Who goes on is not settled: " in "\n".join(stages_report(found.stages, 80))


def test_the_cut_of_a_sample_of_line_ups_is_not_settled_by_what_was_not_played() -> None:
    """With 7 of 10 line-ups some pairs have not met, however sure those are that have."""
    field = field_of(5, StageRules(deals=4, lineups=7, advance=3), StageRules(deals=1))
    past = History()
    while isinstance(drawn := draw(field, past), Round) and drawn.stage == 0:
        past = History(rounds=[*past.rounds, drawn], played=[*past.played, results_of(drawn.tables)])
    assert places_of(field, past, is_playing=False).stages[0].is_cut_settled is False


def test_nobody_is_called_better_than_a_bot_without_a_match() -> None:
    field = field_of(6, StageRules(deals=14, advance=3), StageRules(deals=1))
    past = History()
    while isinstance(drawn := draw(field, past), Round) and drawn.stage == 0:
        past = History(rounds=[*past.rounds, drawn], played=[*past.played, results_of(drawn.tables)])
    text = "\n".join(stages_report(places_of(field, without(past, "b05"), is_playing=False).stages, 99))
    assert "The 3 that go on are better than the others that have a match in this stage (p < 0.05, all pairs)." in text


def test_a_bracket_is_told_with_who_beat_whom_and_by_which_rule() -> None:
    field = field_of(3, KNOCKOUT)
    past, _ = played_out(field, knockout.next_round)
    found = places_of(field, past, is_playing=False)
    assert found.ranks["b02"] == (1, 1, 1)
    (stage,) = found.stages
    text = "\n\n".join(stages_report(found.stages, 60))
    assert text.startswith("Round of 3\n\ntie  bot")
    assert f"bye: {stage.levels[0].byes[0]}" in text
    assert "wins, settled" in text
    told = json.loads(msgspec.json.encode(found.stages))[0]["levels"][-1]
    assert told["title"] == "final"
    assert told["ties"][0]["rule"] == "settled"
    assert told["ties"][0]["bots"][0]["bot"] == "b02"


def test_long_names_fit_into_80_columns() -> None:
    names = [letter * 64 for letter in "abcde"]
    field = replace(field_of(5, KNOCKOUT), bots=[Entrant(name=name, owner="") for name in names])
    past, _ = played_out(field, knockout.next_round, lambda _, rotation, bot: rotation - ord(bot[0]))
    gone = replace(field, bots=field.bots[:-1])
    for found in (places_of(field, past, is_playing=False), places_of(gone, without(past, names[-1]), is_playing=True)):
        assert max(map(len, "\n".join(stages_report(found.stages, 80)).splitlines())) <= 80


def test_places_that_no_settled_tie_decided_are_not_known() -> None:
    even = replace(KNOCKOUT, deals=1, limit=1)
    past, _ = played_out(field_of(4, even), knockout.next_round, lambda *_: 0)
    assert sorted(places_of(field_of(4, even), past, is_playing=False).ranks.values()) == [
        (1, 1, 4),
        (2, 1, 4),
        (3, 1, 4),
        (3, 1, 4),
    ]
    past, _ = played_out(field_of(4, KNOCKOUT), knockout.next_round)
    ranks = places_of(field_of(4, KNOCKOUT), past, is_playing=False).ranks.values()
    assert sorted(ranks) == [(1, 1, 1), (2, 2, 2), (3, 3, 4), (3, 3, 4)]


def test_places_are_not_known_across_a_cut_that_is_not_settled() -> None:
    def always_at_last(table: Block, rotation: int, bot: str) -> int:
        return by_name(table, rotation, bot) if table.deal else 0

    field = field_of(4, StageRules(deals=1, advance=2), KNOCKOUT)
    past, _ = played_out(field, draw, always_at_last)
    found = places_of(field, past, is_playing=False)
    assert found.stages[1].levels[-1].ties[0].rule == "settled"
    assert sorted(found.ranks.values()) == [(1, 1, 4), (2, 2, 4), (3, 1, 4), (4, 1, 4)]


def test_a_tie_that_is_played_is_told_as_such() -> None:
    field = field_of(2, KNOCKOUT)
    drawn = a_round(knockout.next_round(field, History()))
    past = History(rounds=[drawn], played=[results_of(drawn.tables[:1])])
    found = places_of(field, past, is_playing=True)
    assert set(found.ranks.values()) == {(1, 1, 2)}
    assert "is played" in "\n".join(stages_report(found.stages, 80))
