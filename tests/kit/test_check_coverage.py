"""A full check shows a bot all that a bot can be shown; and the rules that it cites stand in the specification."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
import trio
from msgspec.structs import fields

import protocol
from protocol.messages import Limits
from referee.kit.check import rules
from referee.kit.check.bench import Bench
from referee.kit.check.deciding import DECISIONS, EVENTS, KINDS, NULLS
from referee.kit.check.games import GAMES, OPTIONS
from referee.kit.check.rules import Rule
from referee.kit.check.steps import STEPS, check
from referee.kit.check.tape import messages, nulls
from referee.play.bot.channel import Channel
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Reply
from referee.rules.book.options import Options
from referee.rules.book.presets import PRESETS

SPECIFICATION = Path(protocol.__file__).parent / "README.md"
TRANSCRIPTS = SPECIFICATION.parent / "transcripts"
RULES = [rule for rule in vars(rules).values() if isinstance(rule, Rule)]
SLAPS, TIMES = 5, 19
"""The numbers of these steps."""

BOT = BotSpec(name="memory", command=("memory",), dir="/", env={})


class MemoryPump:
    """In place of the pump: a bot in memory that answers by the dice, as a process that is never slow would."""

    def __init__(self, *, slaps: bool = True) -> None:
        self._slaps = slaps
        self._dice = Random(3)  # noqa: S311 - no secret

    async def start_bot(self, spec: BotSpec, confinement: Confinement, limits: Limits) -> Channel:
        return Channel(spec, confinement, limits, refused="it lives in memory")

    def admit(self, channel: Channel) -> Channel:
        return channel

    def let_go(self, channel: Channel) -> None:
        """Do nothing: nothing was admitted."""

    async def converse(self, steps: Steps, channels: dict[int, Channel]) -> int:
        exchange = next(steps)
        while True:
            replies = [self._reply(one, channels[one.seat]) for one in exchange.deliveries if one.awaits is not None]
            try:
                exchange = steps.send(replies)
            except StopIteration:
                return 0

    def _reply(self, delivery: Delivery, channel: Channel) -> Reply:
        *before, message = map(json.loads, delivery.data.splitlines())
        for match in before:
            self._dice = Random(match["seed"])  # noqa: S311
        if message["type"] == "hello":
            answer: dict[str, Any] = {"type": "ready"}
        else:
            passes = message["decision"] == "slap" and not self._slaps
            offer = {"kind": "pass"} if passes else self._dice.choice(message["legal"])
            answer = {"type": "answer", "id": message["id"], "action": self._fill(offer)}
        assert delivery.awaits is not None
        channel.inbox.expect(delivery.awaits)
        heard = channel.inbox.take(json.dumps(answer).encode() + b"\n")
        return Reply(seat=delivery.seat, heard=heard, elapsed_us=50.0, corrected_us=50.0, wait_us=0.0)

    def _fill(self, offer: dict[str, Any]) -> dict[str, Any]:
        return {name: value if name == "kind" else self._value(value) for name, value in offer.items()}

    def _value(self, choice: Any) -> Any:
        if not isinstance(choice, dict):
            return choice
        if "one_of" in choice:
            return self._dice.choice(choice["one_of"])
        return self._dice.sample(choice["of"], choice["pick"]) if "pick" in choice else []


@pytest.fixture(scope="module")
def bench() -> Bench:
    bench = Bench(cast(Pump, MemoryPump()), BOT, Confinement(), games=GAMES, options=OPTIONS, seed="1")
    trio.run(check, bench, lambda: None)
    return bench


def test_every_decision_is_asked(bench: Bench) -> None:
    assert bench.shown.decisions.keys() >= DECISIONS


def test_every_kind_of_action_is_offered(bench: Bench) -> None:
    assert bench.shown.kinds.keys() >= KINDS


def test_every_kind_of_event_is_told(bench: Bench) -> None:
    assert bench.shown.events.keys() >= EVENTS


def test_every_field_that_may_be_null_is_so_once(bench: Bench) -> None:
    assert bench.shown.nulls.keys() >= NULLS


def test_what_the_transcripts_have_as_null_is_known_to_be_so() -> None:
    lines = [json.loads(line) for path in TRANSCRIPTS.glob("*.jsonl") for line in path.read_text().splitlines()]
    sent = [one["line"] for one in lines if one.get("to") == "bot"]
    events = [(event, event["event"]) for message in sent for event in message.get("events", ())]
    tables = [(message.get("table", {}), "table") for message in sent]
    assert {null for value, name in (*events, *tables) for null in nulls(value, name)} == NULLS


def test_every_option_is_played_with_several_values(bench: Bench) -> None:
    told = [
        message["options"] for one in bench.sittings for message in messages(one.tape.entries) if "options" in message
    ]
    values = [
        message["values"] for one in bench.sittings for message in messages(one.tape.entries) if "values" in message
    ]
    alike = {
        field.name
        for field in fields(Options)
        if len({json.dumps(one[field.name]) for one in told if field.name in one}) < 2
    }
    assert alike == {"values"}  # told as the field `values` of `match`
    assert any("9H" in one for one in values)


def test_every_preset_is_played(bench: Bench) -> None:
    assert {sitting.game_to_try.preset for sitting in bench.sittings} == set(PRESETS)


def test_a_bot_that_breaks_no_rule_passes_every_step(bench: Bench) -> None:
    assert [outcome.title for outcome in bench.outcomes] == [step.title for step in STEPS]
    assert {finding.kind for finding in bench.found.values()} <= {"ends oddly"}  # no process ends here


def test_a_bot_that_slaps_by_chance_is_told_so_and_passes(bench: Bench) -> None:
    outcome = bench.outcomes[SLAPS - 1]
    numbers = re.search(r"(\d+) slaps: (\d+) right, (\d+) wrong, (\d+) after", outcome.summary)
    assert numbers is not None
    slaps, right, wrong, late = map(int, numbers.groups())
    assert slaps == right + wrong + late
    assert outcome.notes[0].startswith(f"{wrong} of its {slaps} slaps were wrong")
    assert outcome.verdict == "pass"


def test_a_bot_that_does_not_slap_has_no_wrong_slaps() -> None:
    bench = Bench(cast(Pump, MemoryPump(slaps=False)), BOT, Confinement(), games=GAMES, options=OPTIONS, seed="1")
    trio.run(check, bench, lambda: None, [SLAPS])
    assert bench.outcomes[-1].summary.endswith("0 slaps")
    assert bench.outcomes[-1].notes == []


@pytest.mark.parametrize(
    ("only", "played"),
    [([TIMES], [*range(1, 18), TIMES]), ([2, TIMES], [1, 2, TIMES]), ([1], [1])],
    ids=["all that it sums up", "those named beside it", "the first step alone"],
)
def test_what_a_step_that_sums_up_others_has_played(only: list[int], played: list[int]) -> None:
    bench = Bench(cast(Pump, MemoryPump()), BOT, Confinement(), games=GAMES[:1], options=(), seed="1")
    trio.run(check, bench, lambda: None, only)
    assert [outcome.number for outcome in bench.outcomes] == played
    assert bool(bench.times) == (TIMES in only)


def test_after_all_of_its_time_a_check_names_the_steps_that_it_has_not_tried() -> None:
    bench = Bench(cast(Pump, MemoryPump()), BOT, Confinement(), games=GAMES[:1], options=(), seed="1", most_s=-1.0)
    trio.run(check, bench, lambda: None)

    report = bench.report(seconds=0.0)
    assert (report.verdict, report.findings) == ("warn", [])
    assert report.untried == [*range(2, len(STEPS) + 1)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says[:40])
def test_a_rule_stands_in_the_specification(rule: Rule) -> None:
    text = SPECIFICATION.read_text()
    title, _, subsection = rule.section.partition(", ")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    if subsection:
        section = section.partition(f"### {subsection}\n")[2].partition("\n### ")[0]
    assert rule.says in " ".join(section.split())
