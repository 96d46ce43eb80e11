"""The shipped bots, and the one in README.md, play every game in live matches and break no rule."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import live_matches
import pytest
from live_matches import match_setup
from msgspec.structs import replace
from needs import need_bubblewrap, need_perl

from protocol.codec import decode_answer, decode_ready, encode
from protocol.messages import Clocks, Decision, Request
from protocol.offers import AnyOf, Offer, OneOf, Pick, admits
from referee.play.match import match_messages
from referee.play.spec import SHIPPED, BotSpec, Confinement, Isolation, builtin_bot, shipped
from referee.play.talk.script import hello
from referee.rules.record import Record
from referee.rules.variants import PRESETS
from referee.tournament.config.config import load

PATIENT = Clocks(start_s=60.0, move_s=60.0, bank_s=3000.0, slap_s=30.0)
"""A busy machine is no fault of the bots."""

Options = Mapping[str, Mapping[str, Any]]
"""Preset -> options."""

SHORT: Options = {
    name: {"course": [3, 5], "par_choice": "dealer"} if name == "par-course" else {"rounds": 2} for name in PRESETS
}
"""The options with which a match is over soon."""


def matches(
    bots: list[BotSpec], presets: Sequence[str], isolation: Isolation = "limits", options: Options = SHORT
) -> dict[str, Record]:
    """A match of these bots in each of these presets, all side by side; a short one unless options are given."""
    confined = Confinement(isolation=isolation)
    setups = (
        match_setup(bots, preset, dict(options[preset]), clocks=PATIENT, confinement=confined) for preset in presets
    )
    return dict(zip(presets, live_matches.matches(*setups), strict=True))


def assert_blameless(records: dict[str, Record]) -> None:
    troubles = {
        (preset, seat.name): (seat.faults, seat.late_slaps, seat.unasked_lines, seat.stderr)
        for preset, record in records.items()
        for seat in record.seats
        if seat.faults or seat.late_slaps or seat.unasked_lines or seat.stderr
    }
    assert not troubles


@pytest.mark.parametrize(
    "presets",
    [
        ("six-card", "powers", "cactus", "par-3"),
        pytest.param(tuple(PRESETS), marks=pytest.mark.full),
    ],
)
def test_the_shipped_bots_play_every_game(
    presets: tuple[str, ...], mark: dict[str, str], marked: Callable[[], dict[int, str]]
) -> None:
    names = ("keeper", "sharp", "random", "greedy")
    assert {*names, "perl"} == {*shipped()}
    assert_blameless(matches([replace(builtin_bot(name), env=mark) for name in names], presets))
    assert not marked()


def test_the_shipped_bots_play_the_house_rules(mark: dict[str, str]) -> None:
    lines: dict[str, Any] = {"rounds": 3, "lines_leave": True, "cancel": ["col", "row"], "end_mode": "both"}
    house_rules = {
        "nine-card": lines | {"up_in_each_row": True},
        "cutthroat": lines | {"knock_ends_at_once": True, "initial_up": 5},
        "six-card-knock": {"rounds": 3, "knock_ends_at_once": True, "knock_penalty": "double"},
        "cambio": {"rounds": 3, "knock_ends_at_once": True},
    }
    bots = [replace(builtin_bot(name), env=mark) for name in ("keeper", "sharp", "random", "greedy")]
    assert_blameless(matches(bots, list(house_rules), options=house_rules))


@pytest.mark.toolchain
def test_the_bot_in_perl_plays_every_game(mark: dict[str, str]) -> None:
    need_perl()
    bots = [replace(builtin_bot(name), env=mark) for name in ("perl", "keeper", "random")]
    assert_blameless(matches(bots, list(PRESETS)))


@pytest.mark.parametrize("name", ["keeper", "sharp"])
def test_a_copy_of_a_shipped_bot_needs_nothing_but_the_kit(name: str, tmp_path: Path, mark: dict[str, str]) -> None:
    """The kit is copied into its folder, as bots/README.md says."""
    folder = shutil.copytree(builtin_bot(name).dir, tmp_path / "alone")
    shutil.copytree(SHIPPED / "kit", folder / "kit")
    alone = BotSpec(name="alone", command=(sys.executable, "bot.py"), dir=str(folder), env=mark)
    assert_blameless(matches([alone, replace(builtin_bot("random"), env=mark)], ["powers"]))


@pytest.mark.isolation
def test_a_shipped_bot_finds_the_kit_from_a_cell(mark: dict[str, str]) -> None:
    need_bubblewrap()
    bots = [replace(builtin_bot(name), env=mark) for name in ("keeper", "sharp")]
    assert_blameless(matches(bots, ["six-card"], "bwrap"))


@pytest.mark.parametrize(("name", "most_seats"), [("all-variants", 99), ("sharp", 2), ("sharp-four", 4)])
def test_a_tournament_of_all_games_has_every_preset_as_it_is(name: str, most_seats: int) -> None:
    config = load(Path(__file__).parents[2] / "tournaments" / f"{name}.toml")
    played = {entry.variant.preset: entry.variant for entry in config.variants}
    assert played == {preset: variant for preset, variant in PRESETS.items() if variant.seats[0] <= most_seats}


def test_the_bot_of_the_readme_plays_every_game(tmp_path: Path, mark: dict[str, str]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert program.count("\n") <= 25
    (tmp_path / "mine.py").write_text(program)
    mine = BotSpec(name="mine", command=(sys.executable, "mine.py"), dir=str(tmp_path), env=mark)
    greedy = replace(builtin_bot("greedy"), env=mark)
    assert_blameless(matches([mine, greedy, greedy], list(PRESETS)))


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
    "par": (Offer(kind="choose_par", par=OneOf((3, 4, 5))),),
    "pick2": (Offer(kind="copy", power=OneOf(("3", "BK"))), Offer(kind="stop")),
}
"""Decisions that few games know."""


@pytest.mark.parametrize("name", ["random", "perl"])
def test_a_bot_that_knows_nothing_of_a_decision_answers_it_legally(name: str) -> None:
    if name == "perl":
        need_perl()
    spec = builtin_bot(name)
    setup = match_setup([spec, spec])
    requests = [
        Request(events=(), id=decision, decision=decision, legal=legal, time_s=1.0, bank_s=1.0)
        for decision, legal in SELDOM.items()
    ]
    one_match = encode(match_messages(setup)[0]) + b"".join(map(encode, requests))
    script = encode(hello(setup.games, setup.limits)) + one_match * 2
    said = subprocess.run(spec.command, input=script, capture_output=True, check=True).stdout.splitlines()

    ready, *answers = said
    assert decode_ready(ready).name == {"perl": "my-bot"}.get(name, name)
    assert len(answers) == 2 * len(requests), "one answer a request, in both matches"
    for line in answers:
        answer = decode_answer(line)
        assert admits(SELDOM[cast(Decision, answer.id)], answer.action), line
