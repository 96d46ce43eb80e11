"""Stages: a format after another, each with the best bots of the one before."""

from collections import Counter

import pytest
from made_up_rounds import a_round, field_of, played_out, results_of, without
from msgspec.structs import replace

from referee.tournament.formats import swiss
from referee.tournament.formats.outlook import outlook
from referee.tournament.formats.places import places_of
from referee.tournament.formats.stages import entrants, most_matches, ordered
from referee.tournament.formats.stages import next_round as draw
from referee.tournament.plan.rounds import End, Format, History, Round, StageRules

SWISS = StageRules(format="swiss", deals=2, rounds=4, advance=4)
ALL = StageRules(deals=3)
KNOCKOUT = StageRules(format="knockout", deals=4, advance=1, limit=8)


def test_the_best_of_a_swiss_play_a_final_of_their_own() -> None:
    field = field_of(12, SWISS, ALL)
    past, end = played_out(field, draw)
    assert end.reason == "all 3 deals are played"
    assert [drawn.stage for drawn in past.rounds] == [0, 0, 0, 0, 1]
    assert past.rounds[-1].title == "stage 2 of 2: round-robin of 4"
    assert past.rounds[0].entered == ()
    final = past.rounds[-1]
    assert final.entered == tuple(ordered(field, past, 0)[:4])
    assert {bot for table in final.tables for bot in table.bots} == set(final.entered)
    assert ordered(field, past, 1)[0] == "b11"
    assert sum(map(len, past.played)) == most_matches(field) == 4 * 6 * 2 * 2 + 6 * 3 * 2


def test_the_ranks_of_a_stage_are_the_seeds_of_a_knockout() -> None:
    field = field_of(10, replace(SWISS, advance=8), KNOCKOUT)
    past, _ = played_out(field, draw)
    first = next(drawn for drawn in past.rounds if drawn.stage == 1)
    order = ordered(field, past, 0)[:8]
    assert first.entered == tuple(order)
    assert {table.bots for table in first.tables} == {tuple(sorted((order[n], order[7 - n]))) for n in range(4)}
    assert past.rounds[-1].title == "stage 2 of 2: final: 1 tie, up to deal 8"


def test_the_same_bots_get_other_deals_in_a_later_stage() -> None:
    field = field_of(6, StageRules(deals=2, advance=4), ALL)
    past, _ = played_out(field, draw)
    assert {table.deal for table in past.rounds[0].tables} == {0, 1}
    assert {table.deal for table in past.rounds[1].tables} == {2, 3, 4}


def test_a_withdrawal_changes_nothing_of_who_went_on() -> None:
    field = field_of(8, SWISS, ALL)
    past, _ = played_out(field, draw)
    gone = past.rounds[-1].entered[0]
    left = replace(field, bots=[entrant for entrant in field.bots if entrant.name != gone])
    past = without(past, gone)
    assert [entrant.name for entrant in entrants(left, past, 1)] == [*past.rounds[-1].entered[1:]]
    assert isinstance(draw(left, past), End)


def test_a_new_version_in_the_final_plays_its_matches_and_no_others() -> None:
    field = field_of(8, SWISS, ALL)
    past, _ = played_out(field, draw)
    replaced = past.rounds[-1].entered[0]
    more = a_round(draw(field, without(past, replaced)))
    assert all(replaced in table.bots for table in more.tables)
    assert len(more.tables) == 3 * 3
    assert more.entered == past.rounds[-1].entered


def test_a_sampled_stage_keeps_to_its_line_ups_and_stays_balanced_when_a_bot_leaves() -> None:
    field = field_of(8, StageRules(deals=1, lineups=10, advance=4), ALL)
    first = a_round(draw(field, History()))
    assert len(first.tables) == 10
    assert {bot for table in first.tables for bot in table.bots} == {entrant.name for entrant in field.bots}
    past = without(History(rounds=[first], played=[results_of(first.tables)]), "b00")
    left = replace(field, bots=field.bots[1:])
    kept = len(past.rounds[0].tables)
    more = a_round(draw(left, past))
    assert more.stage == 0
    assert len(more.tables) == 10 - kept
    counts = Counter(bot for table in (*past.rounds[0].tables, *more.tables) for bot in table.bots)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_a_late_entry_gets_line_ups_of_a_sampled_stage_and_nobody_loses_any() -> None:
    field = field_of(8, StageRules(deals=1, lineups=12, advance=4), ALL)
    early = replace(field, bots=field.bots[1:])
    first = a_round(draw(early, History()))
    past = History(rounds=[first], played=[results_of(first.tables)])
    more = a_round(draw(field, past))
    counts = Counter(bot for table in first.tables for bot in table.bots)
    assert (more.stage, len(more.tables)) == (0, min(counts.values()))
    assert all("b00" in table.bots for table in more.tables)
    past = History(rounds=[first, more], played=[results_of(first.tables), results_of(more.tables)])
    assert a_round(draw(field, past)).stage == 1


def test_bots_that_are_equal_at_the_cut_are_drawn_by_lot() -> None:
    field = field_of(4, StageRules(deals=1, advance=2), ALL)
    past = History()
    drawn = a_round(draw(field, past))
    past = History(rounds=[drawn], played=[results_of(drawn.tables, lambda *_: 0)])
    assert ordered(field, past, 0) == ordered(replace(field, bots=field.bots[::-1]), past, 0)
    assert ordered(field, past, 0) != ordered(replace(field, master_key=b"other"), past, 0)


@pytest.mark.parametrize("format_", ["swiss", "round-robin"])
def test_a_bot_without_a_match_in_the_stage_comes_last_at_its_cut(format_: Format) -> None:
    """So a bot that is replaced, or enters, when no match of the stage is left for it does not pass those who lost."""
    field = field_of(6, StageRules(format=format_, deals=2, rounds=3 if format_ == "swiss" else None, advance=4), ALL)
    past = History()
    while isinstance(drawn := draw(field, past), Round) and drawn.stage == 0:
        past = History(rounds=[*past.rounds, drawn], played=[*past.played, results_of(drawn.tables)])
    past = without(past, "b05")
    assert ordered(field, past, 0)[-1] == "b05"


def test_a_final_with_more_seats_than_bots_have_played_takes_those_without_a_match_last() -> None:
    field = field_of(4, StageRules(format="swiss", deals=1, rounds=1, advance=3), ALL)
    first = a_round(draw(field, History()))
    past = without(History(rounds=[first], played=[results_of(first.tables)]), first.tables[0].bots[0])
    final = a_round(draw(field, past))
    assert {*final.entered[:2]} == {*first.tables[1].bots}
    assert final.entered[2] in first.tables[0].bots
    past = History(rounds=[*past.rounds, final], played=[*past.played, results_of(final.tables)])
    (stage, _) = places_of(field, past, is_playing=False).stages
    assert [(row.bot, row.strength is None) for row in stage.bots if row.goes_on] == [
        (bot, place == 2) for place, bot in enumerate(final.entered)
    ]


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout"])
@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_a_later_stage_ends_where_too_few_bots_are_left_for_a_table(format_: Format, left: int) -> None:
    last = replace(KNOCKOUT, advance=1) if format_ == "knockout" else StageRules(format=format_, deals=2)
    field = field_of(8, replace(SWISS, rounds=1), last, tables={"game": 4})
    past = History()
    while isinstance(drawn := draw(field, past), Round):
        past = History(rounds=[*past.rounds, drawn], played=[*past.played, ()])
        if drawn.stage:
            break
    stay = past.rounds[-1].entered[:left]
    there = replace(field, bots=[entrant for entrant in field.bots if entrant.name in stay])
    for gone in set(past.rounds[-1].entered).difference(stay):
        past = without(past, gone)
    assert isinstance(draw(there, past), End)


@pytest.mark.parametrize("left", [0, 1, 3])
def test_a_swiss_without_enough_bots_for_a_table_ends(left: int) -> None:
    field = field_of(left, StageRules(format="swiss", deals=1), tables={"game": 4})
    assert swiss.next_round(field, History()) == End(reason=f"too few bots are left for a table ({left})")
    assert swiss.most_matches(field) == 0


# What `--dry-run` prints


FORTY = replace(KNOCKOUT, limit=40)


@pytest.mark.parametrize(
    ("bots", "seats", "rounds"),
    [
        (2, 2, "the final alone"),
        (3, 2, "1 tie with 1 bye, then the final"),
        (13, 2, "5 ties with 3 byes, then 4, 2 and the final"),
        (16, 4, "4 ties, then the final"),
        (60, 4, "15 ties, then 4 and the final"),
    ],
)
def test_a_knockout_tells_its_rounds(bots: int, seats: int, rounds: str) -> None:
    rest = "a tie plays 4 to 40 deals of each game; seeds are drawn by the key"
    assert outlook(field_of(bots, FORTY, tables={"game": seats})) == [f"knockout of {bots}: {rounds}; {rest}"]


def test_stages_tell_how_many_go_on() -> None:
    stages = StageRules(format="swiss", deals=4, advance=8), StageRules(deals=5, advance=4), FORTY
    cup = "knockout of 4: 2 ties, then the final; a tie plays 4 to 40 deals of each game"
    assert outlook(field_of(60, *stages)) == [
        "stage 1: swiss of 60, of which 8 go on",
        "stage 2: round-robin of 8, of which 4 go on",
        f"stage 3: {cup}; seeds are the ranks of stage 2",
    ]


def test_the_outlook_of_a_round_robin_or_a_swiss_is_empty() -> None:
    assert outlook(field_of(4, StageRules(deals=2))) == outlook(field_of(8, StageRules(format="swiss", deals=2))) == []
