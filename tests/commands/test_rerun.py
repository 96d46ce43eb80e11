"""A recorded match sent again to builds of a bot: the place where each first does something else is found."""

import sys
from pathlib import Path

import msgspec
import pytest
from commands import golfref
from live_matches import match_setup, matches
from msgspec.structs import replace
from quick import FILLER

from protocol.messages import Clocks
from referee.bot_tools.rerun import Outcome, Rerun, compared, rerun
from referee.commands.match.rerun import in_words
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement
from referee.reports.bot_match import BotMatch, Took, bot_match
from referee.rules.record import Mishap, Record

NONE = Confinement(isolation="none")

BUILD = (
    FILLER
    + """
import time
kind, at = (sys.argv + ["", "0"])[1:3]
start(name="mine")
for number, request in enumerate(requests(), 1):
    print(f"request {number}", file=sys.stderr, flush=True)
    if number == int(at):
        if kind == "crashes": sys.exit("I have no idea")
        if kind == "sleeps": time.sleep(60)
        if kind == "cheats": say(answer(request, {"kind": "stop"})); continue
        if kind == "babbles": say("let me see"); continue
        if kind == "draws": say(right(request, "draw") | {"action": {"kind": "draw", "from": "pile"}}); continue
        if kind == "hastens": say(right(request) | {"then": {"kind": "none"}}); continue
    say(right(request))
"""
)
"""It does what its words say at the request of this number, and is honest else."""


def spec(name: str, *words: str, mark: dict[str, str]) -> BotSpec:
    return BotSpec(name=name, command=(sys.executable, "-c", BUILD, *words), dir="/", env=mark)


def recorded(mark: dict[str, str], *words: str, preset: str = "six-card") -> Record:
    """A match of two such bots, of which the first does what the words say."""
    bots = (spec("mine", *words, mark=mark), spec("rival", mark=mark))
    clocks = Clocks(move_s=1.0 if "sleeps" in words else 60.0, bank_s=600.0, slap_s=10.0)
    (record,) = matches(match_setup(bots, preset, clocks=clocks, confinement=NONE))
    return msgspec.json.decode(msgspec.json.encode(record), type=Record)


def reran(match: BotMatch, mark: dict[str, str], *words: str, patience: float = 1.0, goes_on: bool = False) -> Rerun:
    results: list[Rerun] = []

    async def work(pump: Pump) -> None:
        build = spec("mine", *words, mark=mark)
        results.append(await rerun(pump, match, build, NONE, patience=patience, goes_on=goes_on))

    run_session([work])
    return results[0]


@pytest.fixture(scope="module")
def match() -> BotMatch:
    """An honest match of the build."""
    return bot_match(recorded({}), 0)


def places(result: Rerun) -> list[tuple[str, int]]:
    return [(finding.kind, finding.step.number) for finding in result.findings]


def test_where_it_answers_otherwise_is_found(match: BotMatch, mark: dict[str, str]) -> None:
    result = reran(match, mark, "draws", "2")

    assert places(result) == [("other", 2)]
    assert result.answered == 2
    assert in_words(result) == (
        f"At request 2 of {result.requests}, round 1, turn: it answers otherwise (another action). "
        "The answer before it is as recorded."
    )
    (finding,) = result.findings
    assert finding.stderr.splitlines() == ["request 1", "request 2"]
    assert places(reran(match, mark, "hastens", "3")) == [("other", 3)]


def test_a_crash_is_found_with_the_last_words(match: BotMatch, mark: dict[str, str]) -> None:
    result = reran(match, mark, "crashes", "4", goes_on=True)

    assert places(result) == [("fault", 4)]
    (finding,) = result.findings
    assert finding.now.mishap is not None
    assert finding.now.mishap.kind == "crashed"
    assert finding.stderr.splitlines()[-2:] == ["request 4", "I have no idea"]


def test_lateness_is_held_against_the_recorded_limit(match: BotMatch, mark: dict[str, str]) -> None:
    result = reran(match, mark, "sleeps", "2", patience=0.01)  # of a minute

    assert places(result) == [("late", 2)]
    assert "timeout: no answer to `turn` within 0.6 s" in in_words(result)


@pytest.mark.parametrize(("kind", "fault"), [("cheats", "illegal_action"), ("babbles", "bad_message")])
def test_a_fault_that_the_record_has_too_is_the_same(kind: str, fault: str, mark: dict[str, str]) -> None:
    faulty = bot_match(recorded(mark, kind, "3"), 0)
    again = reran(faulty, mark, kind, "3")

    assert places(again) == [("same", 3)]
    assert in_words(again) == f"All {again.requests} answers are as recorded, the fault too: {fault} at request 3."
    repaired = reran(faulty, mark)
    assert places(repaired) == [("other", 3)]
    assert f"it answers otherwise (the record has a fault here: {fault})" in in_words(repaired)


def test_a_crash_that_the_record_has_too_is_still_told(mark: dict[str, str]) -> None:
    crashed = bot_match(recorded(mark, "crashes", "5"), 0)

    again = reran(crashed, mark, "crashes", "5")
    assert places(again) == [("fault", 5)]
    assert "crashed, as in the record: exited with code 1" in in_words(again)
    assert places(reran(crashed, mark)) == [("other", 5)]


def test_all_differences_are_found_if_that_is_asked_for(match: BotMatch, mark: dict[str, str]) -> None:
    result = reran(match, mark, "cheats", "2", goes_on=True)

    assert places(result)[0] == ("fault", 2)
    assert result.answered == result.requests
    assert reran(match, mark, "cheats", "2").answered == 2


def test_slaps_are_timed_as_in_the_match_and_their_times_are_no_difference(mark: dict[str, str]) -> None:
    record = recorded(mark, preset="cactus")
    result = reran(bot_match(record, 0), mark)

    assert places(result) == []
    assert any(isinstance(entry, Took) and entry.in_window for entry in bot_match(record, 0).wire)


def test_a_process_that_had_played_before_is_greeted_first(match: BotMatch, mark: dict[str, str]) -> None:
    (hello, ready, *rest) = match.wire
    later = replace(match, matches_before=3, wire=tuple(rest))

    assert places(reran(later, mark)) == []
    assert [hello, ready] == list(match.wire[:2])


def test_an_answer_that_nearly_is_late_again_is_told_as_such(match: BotMatch, mark: dict[str, str]) -> None:
    result = reran(match, mark, "draws", "2")
    (finding,) = result.findings
    late = Outcome(mishap=Mishap(kind="timeout", detail="nothing came"))
    step = replace(finding.step, recorded=late, sent=replace(finding.step.sent, limit_s=1.0))
    slow = compared(step, replace(finding.now, took_us=880_000.0), has_slaps=False)
    quick = compared(step, replace(finding.now, took_us=400_000.0), has_slaps=False)
    said = [in_words(replace(result, findings=(one,))) for one in (slow, quick)]
    assert "(the record has a fault here: timeout; now it took 88% of the time that it had)." in said[0]
    assert "(the record has a fault here: timeout)." in said[1]


def test_rerun_as_it_is_typed(tmp_path: Path, mark: dict[str, str]) -> None:
    (tmp_path / "build.py").write_text(BUILD)
    record = recorded(mark)
    seats = (replace(record.seats[0], command=(sys.executable, "build.py")), record.seats[1])
    (tmp_path / "m.jsonl").write_bytes(msgspec.json.encode(replace(record, seats=seats)) + b"\n")
    (tmp_path / "elsewhere").mkdir()

    said, _ = golfref("rerun", "m.jsonl", "--bot", "mine", cwd=tmp_path)
    assert said.splitlines()[-1].endswith(" answers are as recorded.")
    build = ("--", sys.executable, "build.py", "crashes", "3")
    said, _ = golfref("rerun", "m.jsonl:0", "--bot", "0", *build, cwd=tmp_path, code=1)
    lines = said.splitlines()
    assert "at request 3, round 1, place: crashed: exited with code 1" in lines
    assert "  | I have no idea" in lines
    assert '  in the record: {"kind":"swap","slot":0}' in said
    assert lines[-1].startswith("At request 3 of ")
    assert "From here on the input no longer fits" not in said
    shipped = ("--dir", ".", "--", "builtin:random")
    _, problem = golfref("rerun", "m.jsonl", "--bot", "mine", *shipped, cwd=tmp_path, code=2)
    assert problem == "golfref: builtin:random: --dir has no effect with it; leave one of them out\n"
    _, problem = golfref("rerun", "m.jsonl", "--bot", "mine", "--dir", "elsewhere", cwd=tmp_path, code=2)
    assert "the command of the record, " in problem
    assert "there is no file `build.py` in " in problem
    assert "name the build after --, and with --dir the folder in which it starts" in problem
    elsewhere = replace(record.seats[0], command=(sys.executable, "-m", "build"))
    (tmp_path / "n.jsonl").write_bytes(msgspec.json.encode(replace(record, seats=(elsewhere, record.seats[1]))))
    _, problem = golfref("rerun", "../n.jsonl", "--bot", "0", cwd=tmp_path / "elsewhere", code=1)
    assert f"the build started in {tmp_path}/elsewhere; if the bot lies elsewhere, --dir names its folder" in problem
