"""Bots that break one rule each: what `check` finds, which rule it names, and at which place of the line it points.

The bots are the classes of tests/hostile/breaks_a_rule.py. Each plays as little as it needs; all are checked in one
session, some at a time.
"""

import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
import trio
from msgspec import Struct
from processes import marked_processes

from protocol.codec import decode_answer
from protocol.offers import admits
from referee.kit.check import deciding, lasting, measuring, reading, rules, starting
from referee.kit.check.bench import Bench
from referee.kit.check.games import GAMES, GameToTry
from referee.kit.check.lines import present
from referee.kit.check.report import Finding
from referee.kit.check.rules import Rule
from referee.kit.check.sitting import Manner
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement

PROGRAM = Path(__file__).parent.parent / "hostile" / "breaks_a_rule.py"
BY_NAME = {game.label: game for game in GAMES}
SIX, POWERS, CACTUS = (BY_NAME[name] for name in ("six-card", "powers", "cactus"))
AT_ONCE = 8
"""How many bots are checked side by side."""

Doing = Callable[[Bench], Awaitable[object]]


async def a_match(bench: Bench) -> None:
    """Play one match."""
    await bench.sit(bench.games[0], Manner(answers=12))


async def a_match_and_its_sizes(bench: Bench) -> None:
    """Play one match, and look at how much was written and held; bots that share memory only seem to hold more."""
    await bench.sit(bench.games[0], Manner(answers=40))
    bench.sittings[0].memory.append(bench.confinement.limits.memory_mb << 20)
    await measuring.sizes(bench)


async def a_match_to_its_end(bench: Bench) -> None:
    """Play one match, and gather what is left of it."""
    await a_match(bench)
    bench.end()


async def a_match_and_one_of_the_dice(bench: Bench) -> None:
    """Play one match, and some in which the dice decide for the bot to the end."""
    await starting.handshake(bench)
    await reading.many_events(bench)


async def short_and_long_lines(bench: Bench) -> None:
    """Play one match, and one with lines as long as can be."""
    await a_match(bench)
    await reading.long_lines(bench)


class Case(Struct, frozen=True, kw_only=True):
    """What is found about a bot."""

    kind: str
    rule: Rule
    number: str = ""
    """The number of the decision."""
    at: str | None = None
    """How the line goes on at the place that is pointed at; None where no line is wrong."""
    says: str = ""
    """A part of the sentence."""
    stderr: str = ""
    """A part of the end of standard error that is shown."""
    warns: bool = False
    does: Doing = a_match
    games: Sequence[GameToTry] = (SIX,)


bad = partial(Case, kind="bad_message")
illegal = partial(Case, kind="illegal_action", rule=rules.OFFERS)
spare = partial(Case, kind="spare line")
late = partial(Case, kind="timeout")
crash = partial(Case, kind="crashed", rule=rules.CRASHED)
unstarted = partial(Case, kind="start_failed", does=starting.start_up)
warning = partial(Case, warns=True)

CASES = {
    "PrintsDebugging": bad(rule=rules.OUTPUT, at="thinking about"),
    "PrintsBeforeReady": unstarted(rule=rules.OUTPUT, at="loading weights"),
    "PrintsAfterwards": bad(rule=rules.OUTPUT, at="done"),
    "PrintsBlankLines": spare(rule=rules.BLANK, says="a blank line"),
    "NeverFlushes": late(rule=rules.FLUSH, says="does not flush"),
    "AnswersMatch": bad(rule=rules.ONE_LINE, at='"ok"', says="nothing is answered to that message"),
    "AnswersEnd": spare(
        rule=rules.ONE_LINE, at='{"type":"ok"}', says="answered `end`", does=a_match_and_one_of_the_dice
    ),
    "AnswersTwice": spare(rule=rules.ONE_LINE, at='{"type"', says="the same request twice"),
    "ReadyTwice": bad(rule=rules.ONE_LINE, at='"ready"'),
    "SpeaksFirst": spare(rule=rules.SPEAKS_FIRST, at='{"type"', does=starting.start_up),
    "ReadyUnderAnotherType": unstarted(rule=rules.ONE_LINE, at='"hello"'),
    "NameTooLong": unstarted(rule=rules.NAME, at='"golf golf'),
    "SlapsAsText": unstarted(rule=rules.TYPES, at='"no"'),
    "CrashesAtOnce": unstarted(rule=rules.NOT_STARTED, stderr="RuntimeError: no weights"),
    "NeedsItsFolder": unstarted(rule=rules.NOT_STARTED, says="--dir FOLDER", stderr="weights-of-mine.json"),
    "InventsIds": late(rule=rules.SAME_ID, at='"1"', says="another id"),
    "NumberAsId": bad(rule=rules.SAME_ID, at="7"),
    "LastId": late(rule=rules.SAME_ID, at='"none"', says="another id"),
    "NoId": bad(rule=rules.SAME_ID, at="{", says="missing required field `id`"),
    "NoAction": bad(rule=rules.ANSWER, at="{", says="missing required field `action`"),
    "NoType": bad(rule=rules.TYPE, at="{"),
    "OtherType": bad(rule=rules.ONE_LINE, at='"response"'),
    "ActionAsText": bad(rule=rules.ANSWER, at='"turn_up"'),
    "ActionIsNull": bad(rule=rules.NULL, at="null"),
    "NoKind": bad(rule=rules.ANSWER, at="{", says="`kind`"),
    "UnknownKind": bad(rule=rules.ANSWER, at='"draw_stock"'),
    "OtherKind": illegal(number="DEC-04", at='"discard"'),
    "CopiesTheOffer": bad(rule=rules.CHOICES, at='{"pick": 2'),
    "SlotAsText": bad(rule=rules.TYPES, at='"'),
    "SlotAsFloat": bad(rule=rules.TYPES, at="", says="got `float`"),
    "SlotAsBoolean": bad(rule=rules.TYPES, at="", says="got `bool`"),
    "SlotIsNull": bad(rule=rules.NULL, at="null"),
    "SlotIsNegative": bad(rule=rules.NUMBERS, at="-1"),
    "SlotIsNotANumber": bad(rule=rules.NO_NUMBERS, at="NaN"),
    "SlotFromOne": illegal(number="DEC-05", at="6}}"),
    "SlotNowhere": illegal(number="DEC-05", at="17}}", does=reading.pieces),
    "PicksOneForAList": bad(rule=rules.CHOICES, at="0}}"),
    "PicksTheSameTwice": illegal(rule=rules.PICK, number="DEC-01", at="[0, 0]"),
    "PicksTooMany": illegal(rule=rules.PICK, number="DEC-01", at="[0, 1, 2]"),
    "PicksTooFew": illegal(rule=rules.PICK, number="DEC-01", at="[0]"),
    "SaysMoreAfterwards": bad(rule=rules.LINE, at="// ok"),
    "PrettyPrints": bad(rule=rules.LINE, says="a message is one line"),
    "SingleQuotes": bad(rule=rules.LINE, at="'type'", says="double quotes"),
    "MissesABrace": bad(rule=rules.LINE, at="", says="ends too early"),
    "ByteOrderMark": bad(rule=rules.LINE, at="", says="byte order mark"),
    "NoUtf8": bad(rule=rules.LINE, at="\ufffd"),
    "HalfASurrogate": bad(rule=rules.STRINGS, at="\\ud83d"),
    "TooDeep": bad(rule=rules.DEEP, at="[[["),
    "CarriageReturns": late(rule=rules.LINE, says="without a newline"),
    "NoNewline": late(rule=rules.LINE, says="without a newline"),
    "TooLongLine": Case(kind="line_too_long", rule=rules.LENGTH, at=""),
    "IllegalThen": illegal(rule=rules.THEN, number="DEC-15", at='"then": {"kind": "flip", "slot": 17}'),
    "Garbage": bad(rule=rules.OUTPUT, at="%!?"),
    "Silent": late(rule=rules.MOVE_CLOCK, says="nothing came"),
    "SilentOnce": late(rule=rules.MOVE_CLOCK),
    "SlowOnce": late(rule=rules.MOVE_CLOCK),
    "SilentInWindows": warning(kind="late slap", rule=rules.SILENCE, number="DEC-08", games=(CACTUS,)),
    "SlapsNoCard": illegal(number="DEC-08", at="[9, 9]", games=(CACTUS,)),
    "CrashesAfterAMatch": warning(
        kind="ends oddly", rule=rules.MORE_MATCHES, stderr="KeyError: 'winner'", does=lasting.several_matches
    ),
    "EndsWithTheNextMatchInItsPipe": warning(
        kind="ends oddly", rule=rules.MORE_MATCHES, says="exited with code 3", does=lasting.several_matches
    ),
    "CrashesInTheMiddle": crash(stderr="IndexError: list index out of range"),
    "WritesUtf16": unstarted(rule=rules.LINE, at="{", says="it is UTF-16"),
    "EndsReadyInACarriageReturn": Case(
        kind="start_timeout", rule=rules.LINE, at="", says="not in a carriage return", does=starting.start_up
    ),
    "ReadsWholeBlocks": Case(kind="start_timeout", rule=rules.BLOCKS, says="-W interactive", does=starting.start_up),
    "ReadsToTheEnd": Case(
        kind="start_timeout", rule=rules.FLUSH, says="reads to the end of its input", does=starting.start_up
    ),
    "OpensItsInputAnew": late(rule=rules.TOGETHER, says="throws away"),
    "PutsValuesIntoArrays": bad(rule=rules.TYPES, at='["answer"]', says="auto_unbox"),
    "StartsItselfInTheBackground": unstarted(rule=rules.NOT_STARTED, says="with `exec`"),
    "CrashesWhateverIsNew": crash(stderr="IndexError", does=reading.new_fields),
    "ClosesItsOutput": Case(kind="closed_output", rule=rules.CLOSED),
    "KnowsItsEvents": crash(rule=rules.LATER, stderr="unknown event later_bid", does=reading.new_events),
    "KnowsItsDecisions": crash(rule=rules.LATER, stderr="unknown decision later_turn_up", does=reading.new_decisions),
    "KnowsItsFields": crash(
        rule=rules.UNKNOWN_FIELDS,
        stderr="unexpected fields",
        says="; only where messages had new fields",
        does=reading.new_fields,
    ),
    "KnowsItsActions": crash(rule=rules.LATER, stderr="unknown action", does=reading.new_decisions),
    "AnswersInOldWords": illegal(
        rule=rules.OFFERS, number="DEC-04", at='"draw"', says="not `draw`", does=reading.new_decisions
    ),
    "CrashesOnItsFaults": crash(stderr="was taken as late", does=deciding.every_game),
    "CrashesOnPick8": crash(stderr="NotImplementedError: pick8", does=deciding.positions, games=(POWERS,)),
    "CutsCarriageReturns": unstarted(rule=rules.LINE, stderr="carriage return in a line", does=reading.line_ends),
    "ReadsChunks": unstarted(rule=rules.PIECES, stderr="JSONDecodeError", does=reading.pieces),
    "ShortBuffer": unstarted(rule=rules.LENGTH, stderr="line longer than the buffer", does=reading.long_lines),
    "IgnoresTheEnd": Case(kind="does not end", rule=rules.END_OF_INPUT, does=starting.end_of_input),
    "FailsAtTheEnd": warning(
        kind="ends oddly", rule=rules.END_OF_INPUT, stderr="EOFError: no more lines", does=starting.end_of_input
    ),
    "IgnoresSigterm": warning(kind="ignores SIGTERM", rule=rules.END_OF_INPUT, does=starting.sigterm),
    "KeepsTheLastMatch": warning(
        kind="not the same again", rule=rules.SEED, says="has played six-card before", does=lasting.same_seed
    ),
    "PlaysOneMatch": crash(rule=rules.MORE_MATCHES, stderr="the table is taken", does=lasting.several_matches),
    "PlaysOneGame": crash(stderr="KeyError: 'look'", games=(POWERS,)),
    "DrawsItsOwnDice": warning(
        kind="not the same again", rule=rules.SEED, says="in two new processes", does=lasting.same_seed
    ),
    "WritesMuchToStderr": warning(
        kind="much standard error", rule=rules.STDERR, stderr="request 0 x", does=a_match_and_its_sizes
    ),
    "KeepsItsMatches": warning(
        kind="growing memory", rule=rules.MEMORY, says="with each of 8 matches", does=lasting.several_matches
    ),
    "KeepsAThread": Case(
        kind="does not end", rule=rules.END_OF_INPUT, says="with 2 threads in all", does=starting.end_of_input
    ),
    "LeavesAProcess": warning(kind="left behind", rule=rules.END_OF_INPUT, says="`sleep 600`", does=a_match_to_its_end),
    "AnswersOneLate": late(rule=rules.MOVE_CLOCK, says="nothing came"),
    "SkipsLongRequests": late(
        rule=rules.LENGTH, says="the request was 65536 bytes long, and the longest", does=short_and_long_lines
    ),
    "AnswersMatchTooSoon": bad(rule=rules.ONE_LINE, at='"ok"', does=reading.pieces),
    "OtherLetters": bad(rule=rules.TYPE, at="{", says="`type`, not `Type`"),
    "FillsNoFields": bad(rule=rules.ANSWER, at="{", says="missing required field `slots`", does=reading.new_decisions),
    "PrintsInItsFirstMatch": bad(rule=rules.OUTPUT, at="a third request", does=lasting.same_seed),
    "Leaks": warning(kind="growing memory", rule=rules.MEMORY, does=lasting.long_match),
}


@pytest.fixture(scope="module")
def benches() -> dict[str, Bench]:
    """What was found about each bot. None of them is left over."""
    found: dict[str, Bench] = {}
    mark = {"GOLFREF_TEST": uuid4().hex}

    async def work(pump: Pump) -> None:
        room = trio.Semaphore(AT_ONCE)
        async with trio.open_nursery() as nursery:
            for name, case in CASES.items():
                nursery.start_soon(one, pump, name, case, room)

    async def one(pump: Pump, name: str, case: Case, room: trio.Semaphore) -> None:
        spec = BotSpec(name=name, command=(sys.executable, "-S", str(PROGRAM), name), dir="/", env=mark)
        bench = found[name] = Bench(pump, spec, Confinement(), games=case.games, options=(), seed="1")
        async with room:
            await case.does(bench)
            await bench.close()

    run_session([work])
    assert marked_processes(mark) == {}
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_finding_is_the_right_one(benches: dict[str, Bench], name: str) -> None:
    case, findings = CASES[name], list(benches[name].found.values())
    sought = (case.kind, case.rule.says, case.number or case.rule.number)
    finding = next((one for one in findings if (one.kind, one.rule.says, one.rule.number) == sought), None)
    assert finding is not None, [(one.kind, one.rule.says, one.rule.number, one.what) for one in findings]
    assert finding.verdict == ("warn" if case.warns else "fail")
    assert case.says in finding.what
    assert case.stderr in "\n".join(finding.stderr)
    assert case.at is None or _at(finding).startswith(case.at)


@pytest.mark.parametrize(("name", "starts"), [("Bot", 1), ("EndsWithTheNextMatchInItsPipe", 3)])
def test_a_bot_plays_its_matches_in_one_process_if_it_plays_on(name: str, starts: int, mark: dict[str, str]) -> None:
    spec = BotSpec(name=name, command=(sys.executable, "-S", str(PROGRAM), name), dir="/", env=mark)

    async def work(pump: Pump) -> None:
        bench = Bench(pump, spec, Confinement(), games=(SIX,), options=(), seed="1")
        for salt in "abc":
            await bench.sit(SIX, salt=salt)
        await bench.close()
        assert (bench.starts, bench.found) == (starts, {})
        assert not marked_processes(mark)

    run_session([work])


def _at(finding: Finding) -> str:
    """How the line goes on at the place."""
    place = finding.place
    assert place is not None
    assert place.marker.lstrip(" ") == "^"
    return place.text[len(place.marker) - 1 :]


@pytest.mark.parametrize("name", CASES)
def test_nothing_else_is_found(benches: dict[str, Bench], name: str) -> None:
    """A mistake does not make others look like mistakes."""
    case = CASES[name]
    others = [one for one in benches[name].found.values() if (one.kind, one.rule.says) != (case.kind, case.rule.says)]
    assert [(one.kind, one.what) for one in others if name not in SEVERAL] == []


SEVERAL = {"AnswersInOldWords", "CopiesTheOffer", "ReadyTwice", "AnswersMatch", "SilentInWindows"}
"""Bots whose mistake shows in more than one way."""


@pytest.mark.parametrize("name", CASES)
def test_what_would_be_right_is_legal(benches: dict[str, Bench], name: str) -> None:
    bench = benches[name]
    asks = {slip.id: slip.ask for sitting in bench.sittings for slip in sitting.slips}
    asks |= {late.id: late.ask for sitting in bench.sittings for late in sitting.late}
    for finding in bench.found.values():
        if finding.right.startswith('{"type":"answer"'):
            answer = decode_answer(present(finding.right.encode()))
            ask = asks[answer.id]
            assert ask is not None
            assert admits(ask.offers, answer.action)
            assert answer.then is None
