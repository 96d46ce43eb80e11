"""Bots that break one rule each: what `check` finds, which rule it names, and at which place of the line it points.

Most are bots in memory. What only a process can do is done by one, in the step of the check that looks for it.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import pytest
import trio
from checked_in_memory import BOTS, live, run_of
from msgspec import Struct
from msgspec.structs import replace

from protocol.codec import decode_answer
from protocol.offers import admits
from referee.bot_check import rules, steps_games, steps_lasting, steps_lines, steps_start, steps_sums
from referee.bot_check.findings import of_fault
from referee.bot_check.games import GAMES, GameToTry
from referee.bot_check.report import Finding
from referee.bot_check.rules import Rule
from referee.bot_check.run import CheckRun
from referee.bot_check.test_match import Setup
from referee.play.pump.pump import Pump
from referee.play.session import run_session

BY_NAME = {game.label: game for game in GAMES}
SIX, POWERS, CACTUS = (BY_NAME[name] for name in ("six-card", "powers", "cactus"))

AT_ONCE = 8
"""How many processes are checked side by side."""

Fields = dict[str, Any]


async def a_match(run: CheckRun) -> None:
    """Play one match."""
    await run.play(Setup(game=run.games[0], answers=12))


async def a_match_and_its_sizes(run: CheckRun) -> None:
    """Play one match, and look at how much was written."""
    await run.play(Setup(game=run.games[0], answers=40))
    await steps_sums.sizes(run)


async def a_match_to_its_end(run: CheckRun) -> None:
    """Play one match, and gather what is left of it."""
    await a_match(run)
    run.end()


async def a_match_and_one_of_the_dice(run: CheckRun) -> None:
    """Play one match, and some in which the dice decide for the bot to the end."""
    await steps_start.handshake(run)
    await steps_lines.many_events(run)


async def short_and_long_lines(run: CheckRun) -> None:
    """Play one match, and one with lines as long as can be."""
    await a_match(run)
    await steps_lines.long_lines(run)


async def several_matches(run: CheckRun) -> None:
    """Play matches in one process, and look back at them."""
    for number in range(9):
        await run.play(Setup(game=SIX, first=20, salt=str(number)))
    await steps_lasting.several_matches(run)
    await steps_sums.sizes(run)


async def a_long_match_and_its_sizes(run: CheckRun) -> None:
    """Play one long match, and look how its memory grew."""
    await steps_lasting.long_match(run)
    await steps_sums.sizes(run)


async def a_match_and_the_end_of_input(run: CheckRun) -> None:
    """Play one match, and look how the process ended."""
    await a_match(run)
    await steps_sums.end_of_input(run)


class Case(Struct, frozen=True, kw_only=True):
    """A bot, and what is found about it."""

    kind: str
    rule: Rule
    bot: str = ""
    """The class of the bot; empty where the case has its name, and where it `writes` or says who it is."""
    writes: Callable[[Fields], object] | None = None
    """Its line in place of the right answer: a message, a text to which a newline belongs, or bytes."""
    ready: Fields | None = None
    """Its first message."""
    crashes_at: Callable[[Fields], bool] | None = None
    """The requests at which it crashes."""
    number: str = ""
    """The number of the decision."""
    at: str | None = None
    """How the line goes on at the place that is pointed at; None where no line is wrong."""
    says: str = ""
    """A part of the sentence."""
    note: str = ""
    """How what is said about the place begins."""
    stderr: str = ""
    """A part of the end of standard error that is shown."""
    warns: bool = False
    does: Callable[[CheckRun], Awaitable[object]] = a_match
    games: Sequence[GameToTry] = (SIX,)
    finds_more: bool = False
    """Whether its mistake shows in more than one way."""


def with_action(name: str, value: object) -> Callable[[Fields], Fields]:
    """Another value of this field of the action, where the action has it."""
    return lambda answer: answer | {"action": answer["action"] | ({name: value} if name in answer["action"] else {})}


def with_lines(lines: str) -> Callable[[Fields], str]:
    """The answer among other lines."""
    return lambda answer: lines.format(json.dumps(answer))


def in_windows(line: Callable[[Fields], object]) -> Callable[[Fields], object]:
    """This in place of an answer in a slap window."""
    return lambda answer: line(answer) if answer["action"]["kind"] in ("slap", "pass") else answer


def has_event(name: str) -> Callable[[Fields], bool]:
    """Whether a request tells of such an event."""
    return lambda request: any(event["event"] == name for event in request["events"])


def ending(text: str) -> Callable[[Fields], str]:
    """The answer with this in place of its last brace."""
    return lambda answer: json.dumps(answer)[:-1] + text


def at_place(action: Fields, then: Fields | None = None) -> Callable[[Fields], Fields]:
    """This action where it may discard what it has drawn, and what it means to do then."""
    more = {"action": action} | ({"then": then} if then else {})
    return lambda answer: answer | (more if answer["action"]["kind"] == "discard" else {})


def of(kind: str, **usual: Any) -> Callable[..., Case]:
    """Makes cases of a kind: of a rule, and with the same as others of the kind."""
    return lambda rule, **more: Case(kind=kind, rule=rule, **(usual | more))


bad, spare, late, crash = of("bad_message"), of("spare line"), of("timeout"), of("crashed")
unstarted, silent_start = (of(kind, does=steps_start.start_up) for kind in ("start_failed", "start_timeout"))
slot_bad = of("bad_message", bot="SlotFromOne")
illegal = partial(Case, kind="illegal_action", rule=rules.OFFERS)
slot = partial(illegal, number="DEC-05", note="`slot` is not as offered", bot="SlotFromOne")
pick = partial(illegal, rule=rules.PICK, number="DEC-01", note="`slots` is not as offered")


def warning(kind: str, rule: Rule, **more: Any) -> Case:
    return Case(kind=kind, rule=rule, warns=True, **more)


IN_MEMORY = {
    "debugging before the answer": bad(rules.OUTPUT, writes=with_lines("thinking\n{}\n"), at="thinking"),
    "PrintsBeforeReady": unstarted(rules.OUTPUT, at="loading"),
    "debugging after the answer": bad(rules.OUTPUT, writes=with_lines("{}\ndone\n"), at="done"),
    "blank lines": spare(rules.BLANK, writes=with_lines("{}\n\n"), says="a blank line"),
    "NeverFlushes": late(rules.FLUSH, says="does not flush"),
    "AnswersMatch": bad(rules.ONE_LINE, at='"ok"', says="nothing is answered to that message", finds_more=True),
    "AnswersEnd": spare(rules.ONE_LINE, at='{"type":"ok"}', says="answered `end`", does=a_match_and_one_of_the_dice),
    "two answers": spare(rules.ONE_LINE, writes=with_lines("{0}\n{0}\n"), at='{"type"', says="the same request twice"),
    "ReadyTwice": bad(rules.ONE_LINE, at='"ready"', finds_more=True),
    "ready is of another type": unstarted(rules.ONE_LINE, at='"hello"', ready={"type": "hello"}),
    "its name is too long": unstarted(rules.NAME, at='"golf golf', ready={"name": "golf " * 20}),
    "slaps is a text": unstarted(rules.TYPES, at='"no"', ready={"slaps": "no"}),
    "CrashesAtOnce": unstarted(rules.NOT_STARTED, stderr="RuntimeError: no weights"),
    "another id": late(rules.SAME_ID, writes=lambda it: it | {"id": "1"}, at='"1"', says="another id"),
    "LastId": late(rules.SAME_ID, at='"none"', says="another id"),
    "id is a number": bad(rules.SAME_ID, writes=lambda it: it | {"id": 7}, at="7"),
    "no id": bad(
        rules.SAME_ID,
        writes=lambda it: {"type": "answer", "action": it["action"]},
        at="{",
        says="`id` is missing",
    ),
    "no action": bad(
        rules.ANSWER,
        writes=lambda it: {"type": "answer", "id": it["id"]} | it["action"],
        at="{",
        says="`action` is missing",
    ),
    "no type": bad(rules.TYPE, writes=lambda it: {"id": it["id"], "action": it["action"]}, at="{"),
    "another type": bad(rules.TYPE, writes=lambda it: it | {"type": "response"}, at='"response"'),
    "names in other letters": bad(
        rules.TYPE, writes=lambda it: {name.title(): it[name] for name in it}, at="{", says="`type`, not `Type`"
    ),
    "values in arrays": bad(
        rules.TYPES,
        writes=lambda it: {"type": ["answer"], "id": [it["id"]], "action": it["action"]},
        at='["answer"]',
        says="auto_unbox",
    ),
    "action is a text": bad(rules.ANSWER, writes=lambda it: it | {"action": "turn_up"}, at='"turn_up"'),
    "action is null": bad(rules.NULL, writes=lambda it: it | {"action": None}, at="null"),
    "no kind": bad(rules.ANSWER, writes=lambda it: it | {"action": {"slot": 1}}, at="{", says="`kind`"),
    "unknown kind": bad(rules.ANSWER, writes=with_action("kind", "draw_stock"), at='"draw_stock"'),
    "kind of another question": illegal(
        number="DEC-05", writes=at_place({"kind": "turn_up", "slots": [0]}), at='"turn_up"', note="`kind`"
    ),
    "no field": bad(
        rules.ANSWER,
        writes=lambda it: it | {"action": {"kind": it["action"]["kind"]}},
        at="{",
        says="`action.slots` is missing",
    ),
    "CopiesTheOffer": bad(rules.CHOICES, at='{"pick": 2'),
    "slot is a text": slot_bad(rules.TYPES, writes=with_action("slot", "3"), at='"3"'),
    "slot is a float": slot_bad(rules.TYPES, writes=with_action("slot", 3.0), at="3.0", says="float"),
    "slot is a boolean": slot_bad(rules.TYPES, writes=with_action("slot", True), at="true"),
    "slot is null": slot_bad(rules.NULL, writes=with_action("slot", None), at="null"),
    "slot is negative": slot_bad(rules.NUMBERS, writes=with_action("slot", -1), at="-1"),
    "slot is no number": slot_bad(rules.NO_NUMBERS, writes=with_action("slot", float("nan")), at="NaN"),
    "slots from 1": slot(at="6}}"),
    "a slot that is nowhere, in pieces": slot(at="6}}", does=steps_lines.pieces),
    "one slot for a list": bad(rules.CHOICES, writes=with_action("slots", 0), at="0}}"),
    "the same slot twice": pick(writes=with_action("slots", [0, 0]), at="[0, 0]"),
    "too many slots": pick(writes=with_action("slots", [0, 1, 2]), at="[0, 1, 2]"),
    "too few slots": pick(writes=with_action("slots", [0]), at="[0]"),
    "more after the answer": bad(rules.LINE, writes=ending("} // ok\n"), at="// ok"),
    "an answer on several lines": bad(
        rules.LINE, writes=lambda it: json.dumps(it, indent=1) + "\n", says="a message is one line"
    ),
    "single quotes": bad(rules.LINE, writes=lambda it: f"{it}\n", at="'type'", says="double quotes"),
    "no brace at the end": bad(rules.LINE, writes=ending("\n"), at="", says="ends too early"),
    "a byte order mark": bad(rules.LINE, writes=lambda it: "\ufeff" + json.dumps(it) + "\n", at="", says="mark"),
    "no UTF-8": bad(rules.LINE, writes=lambda _: b'{"why": "caf\xe9"}\n', at="\ufffd"),
    "half a surrogate pair": bad(rules.STRINGS, writes=ending(', "why": "\\ud83d"}\n'), at="\\ud83d"),
    "nested too deeply": bad(rules.DEEP, writes=ending(f', "why": {"[" * 5000}{"]" * 5000}}}\n'), at="[[["),
    "a carriage return for a newline": late(rules.LINE, writes=ending("}\r"), says="without a newline"),
    "no newline": late(rules.LINE, writes=ending("}"), says="without a newline"),
    "too long a line": Case(
        kind="line_too_long", rule=rules.LENGTH, writes=ending(', "why": "' + "x" * 70000 + '"}\n'), at=""
    ),
    "UTF-16": unstarted(rules.LINE, bot="WritesUtf16", at="{", says="it is UTF-16"),
    "then is illegal": illegal(
        rule=rules.THEN,
        number="DEC-15",
        writes=at_place({"kind": "discard"}, {"kind": "flip", "slot": 17}),
        at='"then": {"kind": "flip", "slot": 17}',
        note="`then` is for the question that follows `place`",
    ),
    "Garbage": bad(rules.OUTPUT, at="%!?"),
    "Silent": late(rules.MOVE_CLOCK, says="nothing came"),
    "SilentOnce": late(rules.MOVE_CLOCK),
    "silence in windows": warning(
        "late slap", rules.SILENCE, number="DEC-08", writes=in_windows(lambda _: ""), games=(CACTUS,), finds_more=True
    ),
    "a slap of no card": illegal(
        number="DEC-08",
        writes=in_windows(lambda it: it | {"action": {"kind": "slap", "target": [9, 9]}}),
        at="[9, 9]",
        games=(CACTUS,),
        note="`target` is not as offered",
    ),
    "CrashesInTheMiddle": crash(rules.CRASHED, stderr="IndexError: list index out of range"),
    "CrashesWhateverIsNew": crash(
        rules.CRASHED, bot="CrashesInTheMiddle", stderr="IndexError", does=steps_lines.new_fields
    ),
    "ClosesItsOutput": Case(kind="closed_output", rule=rules.CLOSED, says="standard output was closed"),
    "EndsReadyInACarriageReturn": silent_start(rules.LINE, at="", says="not in a carriage return"),
    "ReadsWholeBlocks": silent_start(rules.BLOCKS, says="-W interactive"),
    "ReadsToTheEnd": silent_start(rules.FLUSH, says="reads to the end of its input"),
    "an unknown event": crash(rules.LATER, crashes_at=has_event("later_bid"), does=steps_lines.new_events),
    "an unknown field": crash(
        rules.UNKNOWN_FIELDS,
        crashes_at=lambda it: "later" in it,
        says="; only where messages had new fields",
        does=steps_lines.new_fields,
    ),
    "its own fault": crash(rules.CRASHED, crashes_at=has_event("fault"), does=steps_games.every_game),
    "a decision of one game": crash(
        rules.CRASHED, crashes_at=lambda it: it["decision"] == "look", games=(POWERS,), says="the answer to `look`"
    ),
    "CutsCarriageReturns": unstarted(rules.LINE, stderr="carriage return in a line", does=steps_lines.line_ends),
    "ShortBuffer": unstarted(rules.LENGTH, stderr="line longer than the buffer", does=steps_lines.long_lines),
    "SkipsLongRequests": late(rules.LENGTH, says="the request was 65536 bytes long", does=short_and_long_lines),
    "AnswersOneLate": late(rules.MOVE_CLOCK, says="its answer came later"),
    "DrawsItsOwnDice": warning(
        "not the same again", rules.SEED, says="in two new processes", does=steps_lasting.same_seed
    ),
    "PrintsInItsFirstMatch": bad(rules.OUTPUT, at="a third request", does=steps_lasting.same_seed),
    "WritesMuchToStderr": warning(
        "much standard error", rules.STDERR, stderr="request 0 x", does=a_match_and_its_sizes
    ),
}

LIVE = {
    "ExitsAtOnce": unstarted(rules.NOT_STARTED, says="with `exec`"),
    "SpeaksFirst": spare(rules.SPEAKS_FIRST, at='{"type"', does=steps_start.start_up),
    "NeedsItsFolder": unstarted(rules.NOT_STARTED, says="--dir FOLDER", stderr="weights-of-mine.json"),
    "OpensItsInputAnew": late(rules.TOGETHER, says="throws away"),
    "ReadsChunks": unstarted(rules.PIECES, stderr="JSONDecodeError", does=steps_lines.pieces),
    "Leaks": warning("growing memory", rules.MEMORY, does=a_long_match_and_its_sizes, finds_more=True),
    "CrashesAfterAMatch": warning("ends oddly", rules.MORE_MATCHES, stderr="KeyError: 'winner'", does=several_matches),
    "EndsWithTheNextMatchInItsPipe": warning(
        "ends oddly", rules.MORE_MATCHES, says="exited with code 3", does=several_matches
    ),
    "PlaysOneMatch": crash(rules.MORE_MATCHES, stderr="the table is taken", does=several_matches),
    "KeepsItsMatches": warning("growing memory", rules.MEMORY, says="grew all the time", does=several_matches),
    "KeepsTheLastMatch": warning(
        "not the same again", rules.SEED, says="in one that has played other matches", does=steps_lasting.same_seed
    ),
    "FailsAtTheEnd": warning(
        "ends oddly", rules.END_OF_INPUT, stderr="EOFError: no more lines", does=a_match_and_the_end_of_input
    ),
    "KeepsAThread": Case(
        kind="does not end", rule=rules.END_OF_INPUT, says="with 2 threads in all", does=a_match_and_the_end_of_input
    ),
    "LeavesAProcess": warning("left behind", rules.END_OF_INPUT, says="`sleep 600`", does=a_match_to_its_end),
}


def bot_of(name: str, case: Case) -> Any:
    """A new bot in memory."""
    bot = BOTS[case.bot or (name if name in BOTS else "Bot")]()
    if (writes := case.writes) is not None:
        bot.reply = lambda answer: bot.write(line_of(writes(answer)))
    if (crashes_at := case.crashes_at) is not None:
        answer = bot.request

        def request(message: Fields) -> None:
            if crashes_at(message):
                raise KeyError(message["decision"])
            answer(message)

        bot.request = request
    if (ready := case.ready) is not None:
        bot.who = lambda: {"type": "ready", "name": "broken"} | ready
    return bot


def line_of(message: object) -> bytes:
    if isinstance(message, bytes):
        return message
    return (message if isinstance(message, str) else json.dumps(message) + "\n").encode()


def checked(name: str, case: Case) -> CheckRun:
    """What the check of a bot in memory came to."""
    at = run_of(partial(bot_of, name, case), case.games)

    async def check() -> None:
        await case.does(at)
        await at.close()

    trio.run(check)
    return at


@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_mistake_is_found_with_its_rule_and_its_place(name: str) -> None:
    judge(IN_MEMORY[name], checked(name, IN_MEMORY[name]), name)


def test_the_mistakes_of_processes_are_found(mark: dict[str, str]) -> None:
    async def work(pump: Pump) -> None:
        async with trio.open_nursery() as nursery:
            for name, case in LIVE.items():
                nursery.start_soon(one, pump, name, case)

    async def one(pump: Pump, name: str, case: Case) -> None:
        at = live(name, pump, mark, case.games)
        async with room:
            await case.does(at)
            await at.close()
        judge(case, at, name)

    room = trio.Semaphore(AT_ONCE)
    run_session([work])


def judge(case: Case, at: CheckRun, name: str) -> None:
    """The mistake is found, a mistake does not make others look like mistakes, and what is told to be right is so."""
    found = list(at.found.values())
    sought = (case.kind, case.rule.says, case.number or case.rule.number)
    told = (name, [(one.kind, one.rule.says, one.rule.number, one.what) for one in found])
    finding = next((one for one in found if (one.kind, one.rule.says, one.rule.number) == sought), None)
    assert finding is not None, told
    assert len(found) == 1 or case.finds_more, told
    assert (name, finding.verdict) == (name, "warn" if case.warns else "fail")
    assert case.says in finding.what, name
    assert case.stderr in "\n".join(finding.stderr), name
    assert case.at is None or from_its_place(finding).startswith(case.at)
    assert finding.place_note.startswith(case.note)
    assert bool(finding.place_note) == bool(case.note)
    asks = {fault.id: fault.ask for match in at.matches for fault in match.faults}
    asks |= {late.id: late.ask for match in at.matches for late in match.late_slaps}
    for one in found:
        if one.right.startswith('{"type":"answer"'):
            answer = decode_answer(one.right.encode())
            ask = asks[answer.id]
            assert ask is not None
            assert admits(ask.offers, answer.action)
            assert answer.then is None


def from_its_place(finding: Finding) -> str:
    """How the line goes on at the place."""
    place = finding.place
    assert place is not None
    assert place.marker.lstrip(" ") == "^"
    return place.text[len(place.marker) - 1 :]


def test_mistakes_are_counted_together_where_they_are_alike() -> None:
    """What is wrong with a message makes two of one rule; why nothing came does not."""
    lines = iter(["{'type': 'answer'}\n", "\ufeff{}\n"] * 6)
    various = checked("", bad(rule=rules.LINE, writes=lambda _: next(lines)))
    assert [one.count for one in various.found.values()] == [5, 5]
    said = iter(["\n", ""])
    silent = checked("", late(rule=rules.MOVE_CLOCK, writes=lambda _: next(said)))
    assert [one.count for one in silent.found.values()] == [2]


def test_the_length_of_a_request_is_printed_if_it_is_longer_than_a_buffer() -> None:
    at = checked("SilentOnce", IN_MEMORY["SilentOnce"])
    (match,) = (one for one in at.matches if one.faults)
    fault = replace(match.faults[0], line=b"")
    for size, is_named in ((4096, False), (4097, True)):
        what = of_fault(replace(fault, asked_bytes=size), match)[1].what
        assert (f"the request was {size} bytes long" in what) is is_named


def test_much_standard_error_is_shown_from_its_beginning_in_few_lines() -> None:
    (found,) = checked("WritesMuchToStderr", IN_MEMORY["WritesMuchToStderr"]).found.values()
    assert found.stderr_is_beginning
    assert [line.split(" x")[0] for line in found.stderr] == [f"request {number}" for number in range(4)]


def test_a_bot_plays_its_matches_in_one_process_if_it_plays_on(mark: dict[str, str]) -> None:
    async def work(pump: Pump) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one, pump, "Bot", 1, [])
            nursery.start_soon(one, pump, "EndsWithTheNextMatchInItsPipe", 3, ["ends oddly"])

    async def one(pump: Pump, name: str, starts: int, kinds: list[str]) -> None:
        at = live(name, pump, mark, (SIX,))
        for salt in "abc":
            await at.play(Setup(game=SIX, salt=salt))
        await at.close()
        found = [finding.kind for finding in at.found.values()]
        assert (name, at.starts, found) == (name, starts, kinds)

    run_session([work])
