"""The shipped bots, and the one in bots/README.md, play every game in live matches and break no rule."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from protocol.codec import decode_answer, decode_ready, encode
from protocol.messages import Clocks, Decision, FaultPolicy, Game, Request
from protocol.offers import AnyOf, Offer, OneOf, Pick, admits
from referee.play.bots import SHIPPED, BotSpec, builtin_bot, shipped
from referee.play.match import MatchSetup, hello, match_messages, play
from referee.play.pump import Pump
from referee.play.session import run_session
from referee.rules.record import Record
from referee.rules.variants import PRESETS

PATIENT = Clocks(move_s=10.0, bank_s=300.0, slap_s=5.0)
"""A busy machine is no fault of the bots."""


def games_for(seats: int) -> set[str]:
    return {name for name, variant in PRESETS.items() if variant.seats[0] <= seats <= variant.seats[1]}


def matches(bots: list[BotSpec]) -> dict[str, Record]:
    """A match of these bots in every preset that so many can play, all side by side."""
    records: dict[str, Record] = {}

    async def work(preset: str, pump: Pump) -> None:
        records[preset] = await play(pump, setup_of(preset, bots))

    run_session([partial(work, preset) for preset in games_for(len(bots))])
    return records


def assert_blameless(records: dict[str, Record]) -> None:
    troubles = {
        (preset, seat.name): (seat.faults, seat.late_slaps, seat.unasked_lines, seat.stderr)
        for preset, record in records.items()
        for seat in record.seats
        if seat.faults or seat.late_slaps or seat.unasked_lines or seat.stderr
    }
    assert not troubles


def skip_unless_startable(name: str) -> None:
    """The language of a bot may be missing, but not in CI."""
    if name != "perl" or os.environ.get("CI") == "true":
        return
    perl = shutil.which("perl")
    if perl is None or subprocess.run([perl, "-MJSON::PP", "-e1"], check=False, capture_output=True).returncode:
        pytest.skip("needs Perl 5 with its core module JSON::PP")


def setup_of(preset: str, bots: Sequence[BotSpec]) -> MatchSetup:
    return MatchSetup(
        variant=PRESETS[preset],
        name=preset,
        bots=tuple(bots),
        seeds=tuple(range(len(bots))),
        deal_key=b"shipped",
        clocks=PATIENT,
        faults=FaultPolicy(),
        isolation="limits",
        games=(Game(variant=preset, name=preset, seats=len(bots)),),
    )


def test_the_shipped_bots_are_these() -> None:
    assert set(shipped()) == set(NAMES)


SELDOM: dict[Decision, tuple[Offer, ...]] = {
    "look": (Offer(kind="look", slots=Pick(2, (0, 1, 2, 3))),),
    "arrange": (Offer(kind="arrange", slots=Pick(4, (0, 1, 2, 3))),),
    "power": (
        Offer(kind="exchange", slot=OneOf((0, 1)), target=OneOf(((1, 0), (1, 1)))),
        Offer(kind="swap_lines", seat=OneOf((1,)), axis=OneOf(("row",)), lines=Pick(2, (0, 1))),
    ),
    "block": (Offer(kind="block"), Offer(kind="allow")),
    "pairs": (Offer(kind="discard_pairs", rows=AnyOf((0, 2))),),
    "stroke": (Offer(kind="stroke", row=OneOf((1, 2))), Offer(kind="none")),
    "pick8": (Offer(kind="keep", card=OneOf((0, 1, 2)), slot=OneOf((3, 5))),),
    "pick2": (Offer(kind="copy", power=OneOf(("3", "BK"))), Offer(kind="stop")),
}
"""Decisions that few games know."""

NAMES = ("random", "greedy", "keeper", "perl")


@pytest.mark.parametrize("name", NAMES)
def test_decisions_that_a_bot_knows_nothing_of_are_answered_legally(name: str) -> None:
    skip_unless_startable(name)
    spec = builtin_bot(name)
    setup = setup_of("six-card", [spec, spec])
    requests = [
        Request(events=(), id=decision, decision=decision, legal=legal, time_s=1.0, bank_s=1.0)
        for decision, legal in SELDOM.items()
    ]
    one_match = encode(match_messages(setup)[0]) + b"".join(map(encode, requests))
    script = encode(hello(setup.games, setup.limits)) + one_match * 2
    said = subprocess.run(spec.command, input=script, capture_output=True, check=True).stdout.splitlines()

    ready, *answers = said
    assert decode_ready(ready).name == name
    assert len(answers) == 2 * len(requests), "one answer a request, in both matches"
    for line in answers:
        answer = decode_answer(line)
        assert admits(SELDOM[cast(Decision, answer.id)], answer.action), line


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_bot_plays_every_game(
    name: str, seats: int, mark: dict[str, str], marked: Callable[[], dict[int, str]]
) -> None:
    skip_unless_startable(name)
    bots = [replace(builtin_bot(one), env=mark) for one in (name, "random", name)]
    records = matches(bots[:seats])
    assert set(records) == games_for(seats)
    assert_blameless(records)
    assert not marked()


def test_the_bot_of_the_readme_plays_every_game(tmp_path: Path, mark: dict[str, str]) -> None:
    readme = (SHIPPED / "README.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert program.count("\n") <= 25
    (tmp_path / "mine.py").write_text(program)
    mine = BotSpec(name="mine", command=(sys.executable, "mine.py"), dir=str(tmp_path), env=mark)
    assert_blameless(matches([mine, replace(builtin_bot("greedy"), env=mark)]))
