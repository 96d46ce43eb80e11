"""The last words about a run, in every case that there is."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from made_up_runs import made_up_result, made_up_summary
from msgspec.structs import replace

from referee.reports.bot_results import bot_results
from referee.reports.provenance import lateness
from referee.reports.tables.bot_tables import owners_table
from referee.reports.tables.layout import Names
from referee.reports.verdict import commands_to_read_on, ties, verdict
from referee.tournament.figures.collusion import Influence
from referee.tournament.formats.knockout import Level, Tie
from referee.tournament.formats.places import StagePlaces
from referee.tournament.formats.ties import Rule, TieBot
from referee.tournament.standings import BotStanding
from referee.tournament.store.store import Store
from referee.tournament.summary import EnteredBot, Lateness, RunSummary
from referee.tournament.voids import VoidSuspect


def row(bot: str, rank: int | None, best: int | None = None, worst: int | None = None) -> BotStanding:
    return BotStanding(
        rank=rank,
        rank_from=best or rank,
        rank_to=worst or rank,
        bot=bot,
        match_points=0.5,
        match_points_stderr=None,
        strokes=None,
        strokes_stderr=None,
        reason="too few deals",
        matches=10,
        rounds=10,
        firsts=0,
        forfeits=0,
        faults={},
        late_slaps=0,
    )


def summary(rows: Sequence[BotStanding], *, matches: int = 20, planned: int = 20) -> RunSummary:
    return made_up_summary(
        rows,
        matches=matches if rows else 0,
        planned=planned,
        name="friday",
        bots=tuple(EnteredBot(name=one.bot, owner="", version="") for one in rows),
        digest="0123abcd",
    )


ANN, BEA, CID = ("ann", "bea", "cid")


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ([], "No match has a result yet."),
        ([row(ANN, 1), row(BEA, 2)], "ann won: it is better than the other bot (p < 0.05, all pairs)."),
        (
            [row(ANN, 1), row(BEA, 2, 2, 3), row(CID, 3, 2, 3)],
            "ann won: it is better than each of the 2 other bots (p < 0.05, all pairs).",
        ),
        (
            [row(ANN, 1), row(BEA, 2), row(CID, None)],
            "ann won: it is better than the other bot that can be ranked (p < 0.05, all pairs).",
        ),
        (
            [row(ANN, 1, 1, 2), row(BEA, 2, 1, 3), row(CID, 3, 2, 3)],
            "ann has the most match points, but bea may be as good.",
        ),
        ([row(ANN, 1, 1, 2), row(BEA, 2, 1, 2)], "ann has the most match points, but bea may be as good."),
        (
            [row(ANN, 1, 1, 2), row(BEA, 1, 1, 2)],
            "ann and bea have the most match points; which of them is better is not known.",
        ),
        (
            [row(ANN, 1, 1, 3), row(BEA, 2, 1, 3), row(CID, 3, 1, 3)],
            "ann has the most match points, but any of the 3 may be the best.",
        ),
        ([row(ANN, 1), row(BEA, None)], "ann alone is ranked, so there is nobody to compare it with."),
        ([row(ANN, None), row(BEA, None)], "Nobody can be ranked: too few deals."),
    ],
)
def test_who_won_is_told_as_far_as_it_is_known(rows: list[BotStanding], first: str) -> None:
    assert verdict(summary(rows), 80)[0] == first


FINAL = "the final against bea by 0.600 to 0.400 match points after 1 deal"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("settled", f"ann won {FINAL}; it is better there (p < 0.05)."),
        ("seed", f"ann won {FINAL}. It may be luck: the seed decided, no test did."),
        ("match points", f"ann won {FINAL}. It may be luck: match points decided, no test did."),
        ("withdrawn", "ann won: the others were withdrawn."),
    ],
)
def test_a_final_that_was_not_settled_is_told_with_what_decided_it(rule: Rule, words: str) -> None:
    bots = tuple(TieBot(bot=bot, match_points=points, strokes=0.0) for bot, points in ((ANN, 0.6), (BEA, 0.4)))
    final = Level(title="final", bots=(ANN, BEA), ties=(Tie(bots=bots, goes=1, deals=1, rule=rule),))
    stage = StagePlaces(number=1, format="knockout", is_over=True, levels=(final,))
    run = replace(summary([row(ANN, 1, 1, 2), row(BEA, 2, 1, 2)]), order="places", stages=(stage,))
    assert verdict(run, 80)[:2] == [words, "No test settles any of the 2 ranks."]
    if rule == "settled":
        tie = replace(final.ties[0], rule="open")
        played = replace(stage, is_over=False, levels=(replace(final, ties=(tie,)),))
        run = replace(run, goes_on=True, stages=(played,))
        assert verdict(run, 80)[0].endswith(f") ann leads {FINAL}; it is not settled.")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("open", "ann and bea are level in the final after 84 deals; nothing is settled."),
        ("seed", "ann won the final against bea by its seed: their match points are level after 84 deals."),
        ("strokes", "ann won the final against bea by strokes: their match points are level after 84 deals."),
    ],
)
def test_nobody_leads_a_final_whose_score_is_level(rule: Rule, words: str) -> None:
    bots = tuple(TieBot(bot=bot, match_points=0.5, strokes=0.0) for bot in (ANN, BEA))
    final = Level(title="final", bots=(ANN, BEA), ties=(Tie(bots=bots, goes=1, deals=84, rule=rule),))
    stage = StagePlaces(number=1, format="knockout", is_over=rule != "open", levels=(final,))
    run = replace(summary([row(ANN, 1, 1, 2), row(BEA, 2, 1, 2)]), order="places", stages=(stage,))
    assert words in verdict(replace(run, goes_on=rule == "open"), 80)[0]


def test_a_last_stage_whose_bots_were_all_withdrawn_has_no_winner() -> None:
    stages = StagePlaces(number=1, format="swiss", is_over=True), StagePlaces(number=2, format="swiss", is_over=True)
    told = replace(summary([row(ANN, 1, 1, 2), row(BEA, 2, 1, 2)]), order="places", stages=stages)
    assert verdict(told, 200)[0] == "No bot of the last stage is left; of the others ann came furthest."


def test_before_the_end_nobody_has_won() -> None:
    first = verdict(summary([row(ANN, 1), row(BEA, 2)], matches=1200, planned=4000), 80)[0]
    assert first == "So far (1,200 of 4,000 matches) ann leads: it is better than the other bot (p < 0.05, all pairs)."


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([], "There are no ranks yet."),
        ([row("a", 1), row("b", 2)], "No ranks are ties."),
        ([row("a", 1, 1, 2), row("b", 2, 1, 2)], "No test settles any of the 2 ranks."),
        ([row("a", 1), row("b", 2, 2, 3), row("c", 3, 2, 3)], "Ties: ranks 2-3 (b and c)."),
        (
            [row("a", 1, 1, 6), *(row(bot, 2, 2, 6) for bot in "bcdef")],
            "Not every order is known within ranks 1-6 (a, b and 4 more).",
        ),
        (
            [
                row("a", 1, 1, 2),
                row("b", 2, 1, 3),
                row("c", 3, 2, 3),
                row("d", 4),
                row("e", 5, 5, 6),
                row("f", 6, 5, 6),
            ],
            "Not every order is known within ranks 1-3 (a, b and c), 5-6 (e and f).",
        ),
        ([row("a", 1), row("b", None)], "No ranks are ties. Not ranked: b."),
    ],
)
def test_ranks_that_are_not_known_are_told_with_their_bots(rows: list[BotStanding], line: str) -> None:
    assert ties(rows, Names((one.bot for one in rows), 80)) == line


LEFT_OUT = "Left out, since the host spoiled them: 1 match."
HELP = "ann may help bea. ann may give way to bea."


def test_the_last_words_are_three_lines_and_three_commands() -> None:
    at_fault = replace(row(BEA, 2), faults={"timeout": 1200, "crashed": 1})
    run = summary([row(ANN, 1), at_fault])
    run = replace(run, unplayed=(7,), void_suspects=(VoidSuspect(bot="ann", voided=3, of=4),))
    helped = Influence(
        bot="ann", on="bea", one_owner=False, blocks=9, effect=0.2, stderr=0.01, p=0.0, p_of_all=0.0, is_suspected=True
    )  # fmt: skip
    run = replace(
        run, influences=(helped, replace(helped, bot="bea", on="ann", effect=-0.2), replace(helped, is_suspected=False))
    )
    assert verdict(run, 80)[1:] == [
        "No ranks are ties.",
        f"Faults: bea 1,201. {LEFT_OUT} The presence of ann explains voids. {HELP}",
    ]
    commands = [f"golfref {what} 'a b.golfref'" for what in ("compare", "highlights", "publish")]
    assert list(commands_to_read_on(run, Path("a b.golfref"))) == [*commands[:2], f"{commands[2]} -o DIR"]
    assert verdict(summary([row(ANN, 1), row(BEA, 2)]), 80)[2] == "Faults: none."


@pytest.mark.parametrize(("late", "words"), [(2, "2 of 20 matches: the host was fast enough"), (3, "too busy")])
def test_the_lateness_of_the_referee_comes_with_a_verdict_on_the_host(late: int, words: str) -> None:
    run = replace(summary([row(ANN, 1)]), lateness=Lateness(worst_ms=120, above_100_ms=late))
    assert words in lateness(run)


def test_owners_are_ranked_if_one_has_several_bots() -> None:
    rows = [row(ANN, 1), row(BEA, 2), row(CID, 3)]
    bots = [EnteredBot(name=bot, owner=owner, version="") for bot, owner in ((ANN, "x"), (BEA, "y"), (CID, "x"))]
    _, table = owners_table(replace(summary(rows), bots=tuple(bots)), 80)
    assert [line.split() for line in table.splitlines()[2:]] == [["1", "x", ANN, "2"], ["2", "y", BEA, "1"]]
    assert not owners_table(replace(summary(rows[:2]), bots=tuple(bots[:2])), 80)


def test_the_matches_with_faults_of_a_bot_come_before_those_that_it_lost() -> None:
    lost, won = (made_up_result((ANN, BEA), totals, number=number) for number, totals in enumerate([(9, 1), (1, 9)]))
    results = [lost, replace(won, faults=({"timeout": 1}, {}))]
    store = cast("Store", SimpleNamespace(results=lambda _bot: results))
    assert [one.match for one in bot_results(store, ANN)] == [1, 0]
