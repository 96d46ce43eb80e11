"""A full check shows a bot all that a bot can be shown; and the rules that it cites stand in the specification."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from checked_in_memory import BOTS, run_of
from msgspec.structs import fields

import protocol
from referee.bot_check import rules
from referee.bot_check.games import GAMES, OPTIONS
from referee.bot_check.rules import Rule
from referee.bot_check.run import CheckRun
from referee.bot_check.steps import STEPS, check
from referee.bot_check.steps_games import DECISIONS, EVENTS, KINDS
from referee.bot_check.tape import messages
from referee.rules.options import Options
from referee.rules.variants import PRESETS

SPECIFICATION = Path(protocol.__file__).parent / "README.md"
TRANSCRIPTS = SPECIFICATION.parent / "transcripts"
RULES = [rule for rule in vars(rules).values() if isinstance(rule, Rule)]
NULLS = frozenset({
    "arranged.slots", "blocked.shield", "drew.card", "drew_two.cards", "kept.card", "lines_swapped.axis",
    "lines_swapped.layout", "lines_swapped.lines", "looked.cards", "peeked.card", "power.against", "rearranged.slots",
    "scored.ender", "showdown.layouts", "slapped.new_slot", "swapped.card", "swapped_own.cards", "table.knocker",
    "table.layouts",
})  # fmt: skip
"""The fields of events and tables that may be null, or hold a null."""

SLAPS, TIMES = 5, 17
"""The numbers of these steps."""


@pytest.fixture(scope="module")
def run() -> CheckRun:
    run = run_of(BOTS["Bot"], GAMES, options=OPTIONS)
    trio.run(check, run, lambda: None)
    return run


def test_every_decision_action_event_and_null_is_shown_and_every_preset_is_played(run: CheckRun) -> None:
    shown = run.shown
    for all_of_them, those in (
        (DECISIONS, shown.decisions), (KINDS, shown.kinds), (EVENTS, shown.events),
    ):  # fmt: skip
        assert not all_of_them - those.keys()
    assert {match.setup.game.preset for match in run.matches} == set(PRESETS)


def nulls(value: object, name: str) -> Iterator[str]:
    """The fields of an event or a table that are null or hold a null, such as `drew.card`."""
    if value is None:
        yield name
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from nulls(inner, f"{name}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from nulls(inner, name)


def nulls_of(sent: Iterable[dict[str, Any]]) -> set[str]:
    """The same of all these messages."""
    events = [(event, event["event"]) for message in sent for event in message.get("events", ())]
    tables = [(message.get("table", {}), "table") for message in sent]
    return {null for value, name in (*events, *tables) for null in nulls(value, name)}


def test_each_null_is_shown(run: CheckRun) -> None:
    shown = nulls_of([message for match in run.matches for message in messages(match.tape.entries)])
    assert not NULLS - shown


def test_what_the_transcripts_have_as_null_is_known_to_be_so() -> None:
    lines = [json.loads(line) for path in TRANSCRIPTS.glob("*.jsonl") for line in path.read_text().splitlines()]
    sent = [one["line"] for one in lines if one.get("to") == "bot"]
    assert nulls_of(sent) == NULLS


def test_every_option_is_played_with_several_values(run: CheckRun) -> None:
    sent = [one for match in run.matches for one in messages(match.tape.entries) if "options" in one]
    names = {field.name for field in fields(Options)} - {"values"}  # that is a field of `match` of its own
    alike = [name for name in names if len({json.dumps(match["options"].get(name)) for match in sent}) < 2]
    assert alike == []
    assert any("9H" in match["values"] for match in sent)


def test_a_bot_that_breaks_no_rule_passes_every_step(run: CheckRun) -> None:
    assert [step.title for step in run.steps] == [step.title for step in STEPS]
    assert {finding.kind for finding in run.found.values()} <= {"ends oddly"}  # no process ends here


def test_a_bot_that_slaps_by_chance_is_told_so_and_passes(run: CheckRun) -> None:
    step = run.steps[SLAPS - 1]
    numbers = re.search(r"(\d+) slaps: (\d+) right, (\d+) wrong, (\d+) after", step.summary)
    assert numbers is not None
    slaps, right, wrong, late = map(int, numbers.groups())
    assert slaps == right + wrong + late
    assert step.notes[0].startswith(f"{wrong} of its {slaps} slaps were wrong")
    assert step.verdict == "pass"


def test_a_bot_that_does_not_slap_has_no_wrong_slaps() -> None:
    run = run_of(BOTS["NeverSlaps"], GAMES, options=OPTIONS)
    trio.run(check, run, lambda: None, [SLAPS])
    assert run.steps[-1].summary.endswith("0 slaps")
    assert run.steps[-1].notes == []


@pytest.mark.parametrize(
    ("only", "played"),
    [([TIMES], [*range(1, 14), TIMES]), ([2, TIMES], [1, 2, TIMES]), ([1], [1])],
    ids=["all that it sums up", "those named beside it", "the first step alone"],
)
def test_what_a_step_that_sums_up_others_has_played(only: list[int], played: list[int]) -> None:
    run = run_of(BOTS["Bot"], GAMES[:1])
    trio.run(check, run, lambda: None, only)
    assert [step.number for step in run.steps] == played
    assert bool(run.times) == (TIMES in only)


def test_after_all_of_its_time_a_check_names_the_steps_that_it_has_not_tried() -> None:
    run = run_of(BOTS["Bot"], GAMES[:1], most_s=-1.0)
    trio.run(check, run, lambda: None)

    report = run.report(seconds=0.0)
    assert (report.verdict, report.findings) == ("warn", [])
    assert report.untried == [*range(2, len(STEPS) + 1)]


def test_the_rules_that_are_cited_stand_in_the_specification() -> None:
    assert [rule for rule in RULES if not stands_in_the_specification(rule)] == []


def stands_in_the_specification(rule: Rule) -> bool:
    text = SPECIFICATION.read_text()
    title, _, subsection = rule.section.partition(", ")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    if subsection:
        section = section.partition(f"### {subsection}\n")[2].partition("\n### ")[0]
    return rule.says in " ".join(section.split())
