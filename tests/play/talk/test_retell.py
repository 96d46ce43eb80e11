"""What was said on the wire, told again from the record alone: byte for byte what the bots were sent and wrote."""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import golfref
from live_matches import match_setup, matches
from quick import FILLER

from protocol.messages import FaultPolicy
from referee.play.spec import BotSpec, Confinement, builtin_bot
from referee.play.talk.inbox import KEPT_OF_LINE
from referee.plots.times import Times
from referee.reports.bot_match import bot_match
from referee.reports.transcript_text import wire_lines
from referee.rules.record import Given, GivenTogether, Mishap, Move, Record
from referee.tournament.verify.replay import check_record

PRELUDE = (
    FILLER
    + """
import time
os.chdir({folder!r})
heard, said = open("heard", "wb"), open("said", "wb")

def say(line):
    line = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\\n"
    for file in (said, sys.stdout.buffer):
        file.write(line)
        file.flush()

def messages():
    for line in sys.stdin.buffer:
        heard.write(line)
        heard.flush()
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready", "name": "dicta\\u202ephone"})
        yield message
"""
)
"""A bot that keeps what it reads and what it writes, each in a file of its folder."""

HONEST = "for request in requests(): say(right(request))"
TWO_IN_ONE = """
for request in requests():
    say(right(request) | {"then": {"kind": "none"}})
"""
SLOPPY = """
print("thoughts", file=sys.stderr)
for number, request in enumerate(requests(), 1):
    if number == 2: say(b"my hand is \\x1b[2Jgood \\xff\\n")
    if number == 3: say(right(request) | {"id": "guess"})
    if number == 4: say(right(request) | {"action": {"kind": "knock"}})
    elif number != 2: say(right(request) | {"remark": "x" * 2000 if number == 5 else ""})
"""
CRASHES = """
for number, request in enumerate(requests(), 1):
    if number == 3:
        say(b'{"type": "ans')
        sys.exit("no idea")
    say(right(request))
"""
NEVER_READY = "say(b'hello\\n'); time.sleep(60)"


def recorded(program: str, folder: Path, mark: dict[str, str], preset: str = "six-card") -> Record:
    """A match of the program on seat 0 against the shipped random bot."""
    command = (sys.executable, "-c", PRELUDE.replace("{folder!r}", repr(str(folder))) + program)
    rival = builtin_bot("random")
    bots = (
        BotSpec(name="dictaphone", command=command, dir="/", env=mark),
        BotSpec(name="rival", command=rival.command, dir=rival.dir, env=mark),
    )
    options: dict[str, Any] | None = {} if preset == "par-course" else None
    alone = Confinement(isolation="none")
    (record,) = matches(match_setup(bots, preset, options, faults=FaultPolicy(strikes=5), confinement=alone))
    return msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(record, lag_us=0)), type=Record)


def told(record: Record, sign: str, seat: int = 0) -> list[str]:
    """The lines of the conversation that begin with this sign, without it."""
    return [line[2:] for line in wire_lines(bot_match(record, seat)) if line.startswith(f"{sign} ")]


@pytest.mark.parametrize("preset", ["six-card", "powers", "cambio", "cactus", "par-course"])
def test_the_referees_lines_are_told_again_as_the_bot_read_them(
    preset: str, tmp_path: Path, mark: dict[str, str]
) -> None:
    record = recorded(HONEST, tmp_path, mark, preset)

    assert list(check_record(record)) == []
    assert told(record, ">") == (tmp_path / "heard").read_text().splitlines()
    assert told(record, "<") == (tmp_path / "said").read_text().splitlines()
    assert record.seats[0].sent_bytes == (tmp_path / "heard").stat().st_size
    assert record.seats[0].wrote_bytes == (tmp_path / "said").stat().st_size


@pytest.mark.parametrize("program", [TWO_IN_ONE, SLOPPY, CRASHES], ids=["two in one", "sloppy", "crashes"])
@pytest.mark.parametrize("preset", ["cactus"])
def test_lines_are_told_again_after_faults_and_where_two_answers_came_in_one(
    program: str, preset: str, tmp_path: Path, mark: dict[str, str]
) -> None:
    record = recorded(program, tmp_path, mark, preset)

    assert list(check_record(record)) == []
    assert told(record, ">") == (tmp_path / "heard").read_text().splitlines()
    assert record.seats[0].wrote_lines == len((tmp_path / "said").read_bytes().splitlines())
    said = (tmp_path / "said").read_bytes().splitlines(keepends=True)
    assert [line.size for line in record.seats[0].lines] == list(map(len, said))

    times = Times()
    times.add(["dictaphone", "rival"], [*map(without_time, record.moves)])
    requests = [line for line in map(json.loads, told(record, ">")) if line["type"] == "request"]
    assert times.thinking["dictaphone"].count == sum(request["decision"] != "slap" for request in requests)


def without_time(move: Move) -> Move:
    """The move as if all time of it had been waived."""
    if isinstance(move, GivenTogether):
        return GivenTogether(answers=tuple(msgspec.structs.replace(one, time_us=0) for one in move.answers))
    return msgspec.structs.replace(move, time_us=0) if isinstance(move, Given) else move


@pytest.fixture(scope="module")
def sloppy(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return recorded(SLOPPY, tmp_path_factory.mktemp("sloppy"), {})


def test_a_fault_stands_at_the_line_where_it_happened(sloppy: Record) -> None:
    lines = list(wire_lines(bot_match(sloppy, 0)))

    faults = [number for number, line in enumerate(lines) if line.startswith("! ")]
    bad, illegal = faults
    assert lines[bad].startswith("! bad_message: not UTF-8")
    assert lines[bad - 2] == "< my hand is \\x1b[2Jgood \ufffd"
    assert lines[illegal].startswith("! illegal_action: ")
    assert '"knock"' in lines[illegal - 2]
    assert json.loads(lines[illegal + 1][2:])["events"][-1]["event"] == "fault"


def test_a_conversation_is_one_line_a_line_and_steers_no_terminal(sloppy: Record) -> None:
    lines = list(wire_lines(bot_match(sloppy, 0)))
    assert all(line.isprintable() for line in lines)
    assert [line[0] for line in lines[:3]] == [">", "<", ">"]
    assert lines[-2:] == ["# standard error, 9 bytes:", "| thoughts"]


def test_it_is_told_how_long_an_answer_took_and_which_line_answered_nothing(sloppy: Record) -> None:
    lines = list(wire_lines(bot_match(msgspec.structs.replace(sloppy, lag_us=461_000), 0)))
    assert lines[0] == "# the referee looked at its pipes at worst 461 ms late in this match"
    guess = next(number for number, line in enumerate(lines) if '"guess"' in line)
    assert lines[guess + 1] == "# ignored: no request before it has this id"
    first = next(move for move in sloppy.moves if isinstance(move, GivenTogether)).answers[0]
    took = f"# {first.time_us / 1000:.3f} ms"  # with what was not charged, if the host was busy
    assert any(line == took or line.startswith(f"{took}, ") for line in lines)


def test_a_fault_stands_below_its_line_and_a_late_answer_is_called_late(tmp_path: Path, mark: dict[str, str]) -> None:
    corrects = """
for number, request in enumerate(requests(), 1):
    if number == 2: say(b'a slip\\n')
    say(right(request))
"""
    record = recorded(corrects, tmp_path, mark)
    lines = list(wire_lines(bot_match(record, 0)))
    slip = lines.index("< a slip")
    assert [line[:2] for line in lines[slip : slip + 3]] == ["< ", "# ", "! "]
    assert lines[slip + 2].startswith("! bad_message: ")
    assert "# ignored: its request has an answer already" in lines

    honest = [number for number, move in enumerate(record.moves) if isinstance(move, Given) and not move.seat]
    moves = list(record.moves)
    last = moves[honest[-1]]
    assert isinstance(last, Given)
    moves[honest[-1]] = msgspec.structs.replace(last, fault=Mishap(kind="timeout", detail="nothing came"))
    lines = list(wire_lines(bot_match(msgspec.structs.replace(record, moves=tuple(moves)), 0)))
    late = lines.index("# ignored: it came too late")
    assert lines[late - 1].startswith("< {")
    assert lines[late + 1] == "! timeout: nothing came"


def test_time_that_was_not_charged_and_blank_lines_are_told(tmp_path: Path, mark: dict[str, str]) -> None:
    blank = "for request in requests(): say(b'\\n'); say(right(request))"
    record = recorded(blank, tmp_path, mark)
    moves = [
        msgspec.structs.replace(move, waived_us=52_000) if isinstance(move, Given) else move for move in record.moves
    ]
    lines = list(wire_lines(bot_match(msgspec.structs.replace(record, moves=tuple(moves)), 0)))
    assert "# ignored: a blank line" in lines
    assert any(line.endswith(" ms, 52.000 ms more not charged") for line in lines)


def test_of_a_long_line_the_start_is_kept_and_its_length(sloppy: Record) -> None:
    lines = list(wire_lines(bot_match(sloppy, 0)))
    (long,) = [number for number, line in enumerate(lines) if line.startswith("# its start")]
    assert len(lines[long - 1]) == len("< ") + KEPT_OF_LINE
    assert int(lines[long].split()[-2]) > 2000


def test_what_a_crashed_bot_had_begun_to_write_is_shown(tmp_path: Path, mark: dict[str, str]) -> None:
    lines = list(wire_lines(bot_match(recorded(CRASHES, tmp_path, mark), 0)))
    begun = lines.index('< {"type": "ans')
    assert lines[begun + 1] == "# without a newline; 13 bytes"
    assert lines[begun + 3] == "! forfeits: crashed: exited with code 1"
    assert lines[begun + 4 :] == ["# standard error, 8 bytes:", "| no idea"]


def test_a_bot_that_never_got_ready_was_sent_hello_alone(tmp_path: Path, mark: dict[str, str]) -> None:
    record = recorded(NEVER_READY, tmp_path, mark)

    assert list(check_record(record)) == []
    lines = list(wire_lines(bot_match(record, 0)))
    assert [line[0] for line in lines] == [">", "<", "!"]
    assert json.loads(lines[0][2:])["type"] == "hello"
    assert lines[1:] == ["< hello", lines[2]]
    assert lines[2].startswith("! forfeits: start_failed: its first line was not a `ready` message")


def test_lines_that_came_too_early_stand_before_the_request_that_they_did_not_answer(
    tmp_path: Path, mark: dict[str, str]
) -> None:
    twice = r"for request in requests(): say(2 * (json.dumps(right(request)).encode() + b'\n'))"
    record = recorded(twice, tmp_path, mark)
    assert list(check_record(record)) == []
    assert sum(line.after == 2 for line in record.seats[0].lines) == 2


def test_a_conversation_is_asked_for_by_name_or_by_seat(tmp_path: Path, mark: dict[str, str]) -> None:
    (tmp_path / "one.json").write_bytes(msgspec.json.encode(recorded(HONEST, tmp_path, mark)))

    assert (
        "with --bot, by a name or a seat: 0 dictaphone, 1 rival"
        in golfref("transcript", tmp_path / "one.json", cwd=tmp_path, code=2)[1]
    )
    shown, _ = golfref("transcript", tmp_path / "one.json", "--bot", "dictaphone", cwd=tmp_path, code=0)
    read = (tmp_path / "heard").read_text().splitlines()
    assert [line[2:] for line in shown.splitlines() if line.startswith("> ")] == read
