"""The bot sharp, in this process: the same lines get the same answers, and what it believes and expects."""

import copy
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import protocol
from protocol.codec import encode
from protocol.messages import Clocks, FaultPolicy
from referee.play.spec import SHIPPED
from referee.play.talk import script
from referee.research.programs import Decide, Message, load
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.variants import PRESETS

TRANSCRIPTS = Path(protocol.__file__).parent / "transcripts"

Make = Callable[[Message], Decide]
Told = tuple[dict[str, Any], list[dict[str, Any]]]


def told(preset: str) -> Told:
    """The `match` message and the requests of the first seat in the golden transcript of a preset."""
    lines = (json.loads(line) for line in (TRANSCRIPTS / f"{preset}.jsonl").read_text().splitlines()[1:])
    messages = [line["line"] for line in lines if (line["seat"], line["to"]) == (0, "bot")]
    (match,) = (message for message in messages if message["type"] == "match")
    return match, [message for message in messages if message["type"] == "request"]


@pytest.fixture(scope="module")
def sharp() -> Make:
    return load(SHIPPED / "sharp").make


@pytest.mark.parametrize("preset", ["six-card", "powers", "cactus", "par-3"])
def test_the_same_lines_get_the_same_answers(sharp: Make, preset: str) -> None:
    match, requests = told(preset)
    assert requests
    first, second = ([decide(copy.deepcopy(one)) for one in requests] for decide in (sharp(match), sharp(match)))
    assert first == second


def test_with_less_time_it_tries_fewer_things(sharp: Make) -> None:
    match, requests = told("six-card")
    tried = []
    for time_s in (1.0, 0.05):
        decide = sharp(match)
        decide({**copy.deepcopy(requests[0]), "time_s": time_s})
        (player,) = getattr(decide, "args")  # noqa: B009 - a partial function has them
        tried.append(player.count(100))
    assert tried == [100, 25]


def test_a_decision_that_fails_is_answered_all_the_same() -> None:
    match, requests = told("six-card")
    request = {**requests[0], "events": [{"event": "drew"}]}
    run = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=SHIPPED / "sharp",
        input="".join(json.dumps(line) + "\n" for line in ({"type": "hello"}, match, request)),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [answer["type"] for answer in answers] == ["ready", "answer"]
    assert answers[1]["action"]["kind"] in {offer["kind"] for offer in request["legal"]}
    assert "KeyError" in run.stderr


# What it believes of cards that it cannot see, and what it expects of rows in par golf

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


def player(sharp: Make, preset: str, options: dict[str, Any] | None = None, seats: int = 2) -> Any:
    """The player of a match, on the first of its seats, which has been told that the first round begins."""
    told = script.announcements(
        with_options(preset, options or {}), preset, seeds=range(seats), clocks=Clocks(), faults=FaultPolicy()
    )
    match = json.loads(encode(told[0]))
    decide = sharp(match)
    (made,) = getattr(decide, "args")  # noqa: B009 - a partial function has them
    round_ = {"event": "round", "round": 1, "dealer": 0, "starter": 1, "totals": [0] * seats, "rows": match["rows"]}
    made.table.read({**round_, "stock": 40, "playoff": False})
    return made


def swap(seat: int, slot: int, replaced: str) -> dict[str, Any]:
    return {"event": "swapped", "seat": seat, "slot": slot, "card": None, "face_up": False, "replaced": replaced}


def test_a_card_that_was_preferred_to_a_lower_one_is_lower(sharp: Make) -> None:
    cambio = player(sharp, "cambio")
    cambio.table.read({"event": "looked", "seat": 1, "slots": [2, 3], "cards": [None, None]})
    cambio.table.read(swap(1, 2, "3S"))
    cambio.table.read(swap(1, 3, "9H"))
    dealt, _, low, high = (cambio.points_at((1, slot)) for slot in range(4))
    assert low < high < dealt


def test_shuffled_cards_are_together_worth_what_they_were(sharp: Make) -> None:
    powers = player(sharp, "powers")
    powers.table.read({"event": "peeked", "seat": 0, "target": [1, 4], "card": "KS"})
    powers.table.read(swap(1, 5, "QH"))
    before = sum(powers.points_at((1, slot)) for slot in range(6))
    powers.table.read({"event": "shuffled", "seat": 0, "of": 1})
    after = [powers.points_at((1, slot)) for slot in range(6)]
    assert len(set(after)) == 1
    assert sum(after) == pytest.approx(before, abs=0.05)


def test_all_cards_that_are_not_seen_are_reckoned_with(sharp: Make) -> None:
    games = [("cambio", 2), ("powers", 2), ("powers", 4), *[("cactus", seats) for seats in (2, 9, 13, 17, 21, 24)]]
    for preset, seats in games:
        dealt = Game.from_seed(PRESETS[preset], seats, "any").table
        cards = Counter([*dealt.stock, *dealt.pile, *[slot.card for row in dealt.layouts for slot in row if slot]])
        made = player(sharp, preset, seats=seats)
        made.unseen.see(["5S", "5H"])
        made.beliefs.reckon(made.unseen)
        beliefs = made.beliefs
        assert beliefs.left == cards - Counter(["5S", "5H"])
        assert sum(beliefs.chances) == pytest.approx(1)


@pytest.mark.parametrize("preset", ["six-card", "nine-card"])
def test_an_empty_slot_costs_nothing_and_a_card_beside_it_what_it_counts(sharp: Make, preset: str) -> None:
    made = player(sharp, preset, {"lines_leave": True})
    kind, tables, gone = made.kinds.kind, made.tables, [-1] * (PRESETS[preset].rows - 1)
    tables.see()
    nine, ten, ace = kind("9S"), kind("10S"), kind("AS")
    assert tables.cost((*gone, -1), "end") == 0
    assert tables.gains((*gone, -1), "end") == [0.0] * made.kinds.hidden
    assert [tables.cost((*gone, card), "end") for card in (nine, ten)] == [9, 10]
    assert tables.gains((*gone, ten), "end")[ace] == 9


@pytest.mark.parametrize("draws", [0, 1, 2.5, 6])
def test_rows_cost_less_the_more_draws_are_to_come(sharp: Make, draws: float) -> None:
    row_costs = player(sharp, "par-4").row_costs
    rows = [(one + "S", other + "H") for one, other in combinations(RANKS, 2)]
    costs = [row_costs.prospects(rows, more) for more in (draws, draws + 1)]
    assert all(later <= now + 1e-9 for now, later in zip(*costs, strict=True))


def test_rows_score_by_the_table_of_the_match(sharp: Make) -> None:
    any_high = {"if": {"any": True}, "score": "high"}
    rules = [{"if": {"same_suit": True, "gap": 1}, "score": -5}, {"if": {"ranks": ["K", "A"]}, "score": 7}, any_high]
    row_costs = player(sharp, "par-4", {"par_table": {"name": "own", "values": "B1", "rules": rules}}).row_costs
    rows = [("4S", "5S"), ("4S", "5H"), ("AS", "KH"), ("2S", "9S")]
    assert row_costs.prospects(rows, 0) == pytest.approx([-5, 5, 7, 9])


def test_the_arrangement_is_the_best_of_all(sharp: Make) -> None:
    par = player(sharp, "par-3")
    dealt = ["9S", "KS", "4H", "9H", "2S", "4D"]
    par.table.read({"event": "looked", "seat": 0, "slots": list(range(6)), "cards": dealt})
    offers = [{"kind": "arrange", "slots": {"pick": 6, "of": list(range(6))}}]
    action = par.answer({"events": [], "decision": "arrange", "legal": offers, "id": "any", "time_s": 1.0})["action"]
    arranged = [dealt[slot] for slot in action["slots"]]
    rows = {frozenset(row) for row in zip(arranged[::2], arranged[1::2], strict=True)}
    assert rows == {frozenset({"9S", "9H"}), frozenset({"4H", "4D"}), frozenset({"KS", "2S"})}
