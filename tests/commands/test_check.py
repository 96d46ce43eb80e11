"""`golfref check` as a bot's author types it: what it prints, its exit codes, Ctrl-C."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import GOLFREF, PATIENCE_S, golfref
from needs import need_perl

from referee.bot_check.steps import STEPS
from referee.commands.entrants.check import CheckOptions, check
from referee.errors import GolfrefError
from referee.play.spec import SHIPPED

PROGRAM = Path(__file__).parent.parent / "hostile" / "breaks_a_rule.py"
TIMED = {"timeout", "start_timeout", "late slap", "slow answer", "slow start", "large part of the bank", "left behind"}
"""Kinds of findings that can come from what the machine did meanwhile."""

SHORT = ("--variant", "six-card", "--step", "2")
"""One short match."""


def bot(name: str) -> str:
    return shlex.join([sys.executable, str(PROGRAM), name])


def test_a_finding_tells_all_that_is_needed_to_put_it_right(tmp_path: Path) -> None:
    out, err = golfref("check", bot("SlotFromOne"), *SHORT, cwd=tmp_path, code=1)

    assert err == ""
    told = out.splitlines()
    step = next(line for line in told if line.startswith(" 2 FAIL"))
    assert step.endswith("see [1]")
    found = told[told.index(next(line for line in told if line.startswith("[1] "))) :]
    assert found[0].startswith("[1] fail: illegal_action")
    assert "six-card, round 1, place" in found[0]
    assert found[1].startswith("    what:   `place` offered swap with slot one of 0 1 2 3 4 5")
    assert found[2].startswith('    line:   {"type": "answer"')
    assert found[2][found[3].index("^")] == "6"
    assert "column" in found[3]
    assert "`slot` is not as offered" in found[3]
    assert found[4].startswith("    rule:   protocol/README.md, section 4. Offers, DEC-05")
    assert found[5].startswith('    right:  {"type":"answer"')
    shown = [line.strip() for line in found if line.startswith("      ")]
    assert shown[-1].startswith("< ")
    assert shown[-2].startswith('> {"type":"request"')
    assert told[-1].startswith("fail: of 2 steps 1 passed, 0 warned, 1 failed, 0 skipped")


def test_a_bot_with_a_fault_is_not_tried_with_odd_lines_and_no_step_repeats_a_finding(tmp_path: Path) -> None:
    steps = [word for number in (2, 3, 6, 7, 16) for word in ("--step", str(number))]
    out, _ = golfref("check", bot("SlotFromOne"), "--variant", "six-card", *steps, cwd=tmp_path, code=1)

    lines = out.splitlines()
    numbers = [line[:2].strip() for line in lines if re.match(r"[ \d]\d (pass|FAIL|skip)", line)]
    assert numbers == ["1", "2", "6", "16"]
    assert next(line for line in lines if line.startswith(" 6 skip")).endswith("put [1] right first")


@pytest.mark.parametrize(
    ("command", "changed", "told"),
    [
        ("nosuchprogram-of-mine", {}, "`nosuchprogram-of-mine` is not on the PATH"),
        ("python3 nosuch.py", {}, "there is no file `nosuch.py`"),
        ("builtin:kepper", {}, "did you mean `keeper`?"),
        ("builtin:keeper", {"variants": ["six-crad"]}, "did you mean `six-card`?"),
        ("builtin:keeper", {"steps": [99]}, f"there are steps 1 to {len(STEPS)}"),
        ("builtin:keeper", {"isolation": "jail"}, "expected none, limits or bwrap"),
        ("builtin:keeper", {"folder": "nosuch"}, "there is no such folder"),
    ],
)
def test_what_cannot_be_checked_is_told(
    command: str, changed: dict[str, Any], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GolfrefError, match=re.escape(told)) as refused:
        check(CheckOptions(what=command, **changed))

    assert capsys.readouterr().out == ""
    assert "--bot" not in str(refused.value)
    assert refused.value.exit_code == 2


def test_a_check_whose_terminal_is_closed_ends_with_its_bots(
    tmp_path: Path, mark: dict[str, str], marked: Callable[[], list[int]]
) -> None:
    """An honest bot plays every game: that takes much longer than the signal needs."""
    # What a bot inherits of the environment is little: the mark comes with its command.
    command = f"env GOLFREF_TEST={mark['GOLFREF_TEST']} {sys.executable} {SHIPPED / 'greedy/bot.py'}"
    check = subprocess.Popen(
        [*GOLFREF, "check", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert check.stdout is not None
    for line in check.stdout:
        if line.startswith(" 1 pass"):
            break
    check.send_signal(signal.SIGHUP)
    _, err = check.communicate(timeout=PATIENCE_S)

    assert check.returncode == 130
    assert err == "golfref: interrupted\n"
    assert not marked()


@pytest.mark.full
@pytest.mark.parametrize("name", ["random", "greedy", "keeper", "perl"])
def test_the_shipped_bots_pass_every_step(tmp_path: Path, name: str) -> None:
    if name == "perl":
        need_perl()
    out, _ = golfref("check", f"builtin:{name}", "--json", cwd=tmp_path)

    report = json.loads(out)
    late = {number for number, finding in enumerate(report["findings"], 1) if finding["kind"] in TIMED}  # a busy host
    assert len(late) == len(report["findings"])
    assert {step["verdict"] for step in report["steps"] if late.isdisjoint(step["findings"])} == {"pass"}
    assert len(report["steps"]) == len(STEPS)
