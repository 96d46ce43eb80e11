"""What a bot did wrong, as findings: the sentence, the place in its line, the rule, and what would have been right."""

import contextlib
import json
from collections import Counter
from collections.abc import Hashable

from msgspec import UNSET
from msgspec.structs import fields, replace

from protocol.actions import Action
from protocol.bad_lines import BadLine, find
from protocol.codec import decode_answer, encode
from protocol.messages import Answer, Ready
from protocol.offers import ACTIONS, FIELDS, Choice, OneOf, Pick, admits
from protocol.text import printable
from referee.bot_check import rules
from referee.bot_check.report import Finding, Place, place_in
from referee.bot_check.rules import Rule
from referee.bot_check.test_match import Fault, LateSlap, StrayLine, TestMatch
from referee.play.process.channel import Channel
from referee.rules.questions import Ask

LAST_WORDS = 12
"""How many lines of standard error are shown of a bot that ended."""

FIRST_WORDS = 4
"""How many lines of standard error are shown of a bot that writes much."""

LONGEST_WORDS = 300
"""How many characters of such a line are shown."""

LONGEST_COMMANDS = 250
"""How many characters are shown of the commands of what a bot left behind."""

FIELDS_OF_A_BOT = frozenset((*Answer.__struct_fields__, *Ready.__struct_fields__, "type"))
"""The names of all fields of what a bot writes."""

ENDED = frozenset({"crashed", "closed_output", "start_failed", "start_timeout"})
"""Faults whose reason may stand in standard error."""

BUFFER = 4096
"""A common size of buffers: a bot may not have read a request of more bytes to its end."""

RIGHT_READY = '{"type":"ready","name":"mine"}'

IGNORED = "1000 such lines a match are ignored, the next one is a `flood` and forfeits"
"""What becomes of lines that answer nothing."""

KEEPS_BACK = (
    "its answer came when its input ended: it reads to the end of its input before it answers, as readFileSync(0) "
    "does, or it does not flush what it writes: in Python flush=True, in C fflush(stdout), in Go Flush(), in Java "
    "flush(), in Perl $| = 1, in filters sed -u or grep --line-buffered"
)
READS_BLOCKS = (
    "it answers a line that fills whole blocks, so it waits for a full buffer when it reads: read line by line, in "
    "mawk with -W interactive"
)
LOSES_LINES = (
    "it answers where the request comes after `match`, and not where both come together: it throws away what came with "
    "the line that it reads, as a new reader for each line does, or a standard input that is opened anew"
)
ENDS_AT_ONCE = (
    "a program reads standard input until that ends; a script that only starts it does so with `exec`, and not in the "
    "background (`&`, nohup, setsid), where it has no input and is ended"
)
ENDS_EARLY = "its program ended by itself: read standard input in a loop, line by line, until it ends"
"""What a bot that is silent or ends at once does, and what to do."""

SILENCES = {
    "reads_blocks": (READS_BLOCKS, rules.BLOCKS),
    "loses_lines": (LOSES_LINES, rules.TOGETHER),
    "keeps_back": (KEEPS_BACK, rules.FLUSH),
}
"""The words and the rule for what was found out about a bot that did not answer in time."""

Found = tuple[Hashable, Finding]
"""What findings have in common that are one, and the finding."""


# Faults


def of_fault(fault: Fault, match: TestMatch) -> Found:
    """A fault."""
    kind, ask = fault.mishap.kind, fault.ask
    field, rule = _rule(fault)
    what, rule = _what(fault, match, rule)
    words = last_words(match.channel) if kind in ENDED else ()
    finding = Finding(
        verdict="fail",
        kind=kind,
        what=what + _about_names(fault.line),
        where=_where(match, fault.round, ask),
        rule=rule,
        place=_place(fault, field),
        place_note=_place_note(field, fault),
        right=_right(fault, ask),
        conversation=fault.conversation,
        stderr=words,
        games=Counter([match.setup.game.label]),
    )
    return (kind, rule.says, _cause(fault, field, words)), finding


def _cause(fault: Fault, field: str, words: tuple[str, ...]) -> Hashable:
    """What faults have in common that one change of the bot puts right, as far as can be seen."""
    if fault.bad is not None:
        return fault.bad.code, fault.bad.path.split(".")[:2][-1]
    if fault.mishap.kind == "illegal_action":
        return fault.ask is not None and field in ("", "kind") and fault.ask.decision, field, fault.joined
    return words[-1].partition(":")[0] if words else ""  # the kind of an error, in most languages


def _rule(fault: Fault) -> tuple[str, Rule]:
    """The field of an action that is not as offered, if that is the fault, and the rule that was broken."""
    kind, ask = fault.mishap.kind, fault.ask
    if fault.joined:
        return "", rules.THEN
    if fault.bad is not None:
        return "", rules.rule_of(fault.bad, fault.line)
    if kind == "illegal_action" and ask is not None:
        rule = replace(rules.OFFERS, number=rules.NUMBER[ask.decision])
        action = decode_answer(fault.line).action
        field = culprit(ask, action) or ""
        offers = [offer for offer in ask.offers if offer.kind == action.__struct_config__.tag]
        is_pick = any(isinstance(offer.choices().get(field), Pick) for offer in offers)
        return field, replace(rule, says=rules.PICK.says) if is_pick else rule
    if kind == "timeout":
        if fault.line.strip():
            return "", rules.SAME_ID if fault.line.endswith(b"\n") else rules.LINE
        return "", rules.MOVE_CLOCK if fault.has_bank else rules.BANK
    others = {"crashed": rules.CRASHED, "closed_output": rules.CLOSED, "line_too_long": rules.LENGTH}
    others |= {"start_failed": rules.NOT_STARTED, "start_timeout": rules.LINE if fault.line else rules.START_CLOCK}
    return "", others.get(kind, rules.FLOOD)


def _what(fault: Fault, match: TestMatch, rule: Rule) -> tuple[str, Rule]:
    """The sentence, and the rule where more is known of a bot that did not answer in time."""
    what, process = fault.mishap.detail, match.channel.process
    if fault.mishap.kind in ("timeout", "start_timeout"):
        return _why_late(fault, match, rule)
    if fault.ask is not None and fault.mishap.kind == "crashed":
        what = f"when the answer to `{fault.ask.decision}` was due, the process had ended: {what}"
    if fault.ask is not None and fault.mishap.kind == "closed_output":
        state = "the process lived and its standard output was closed: leave it open until the input ends"
        what = f"when the answer to `{fault.ask.decision}` was due, {state}"
    if fault.mishap.kind in ("crashed", "start_failed") and fault.bad is None and process is not None:
        if process.has_succeeded():
            what += f"; {ENDS_AT_ONCE if fault.ask is None else ENDS_EARLY}"
        elif fault.ask is None and not match.setup.trial and not match.check_rules.only_these:
            what += f"; it was started in {match.folder}, and `--dir FOLDER` starts it elsewhere"
    return what, rule


def _why_late(fault: Fault, match: TestMatch, rule: Rule) -> tuple[str, Rule]:
    """The sentence and the rule for a bot that did not answer in time."""
    why = fault.hint
    if match.silence:
        why, rule = SILENCES[match.silence]
    elif fault.is_of_before:
        why, rule = "its answer to an earlier request came meanwhile, too late", rules.MOVE_CLOCK
    elif not fault.line and fault.asked_bytes > BUFFER and fault.id not in match.came_late:
        why = f"the request was {fault.asked_bytes} bytes long: does it read a line up to its end?"
    elif not fault.line:
        why = _why_silent(fault.id, match) or why
    return f"{fault.mishap.detail.removesuffix(fault.hint).removesuffix('; ')}; {why}", rule


def _why_silent(id_: str, match: TestMatch) -> str:
    """Why a bot did not answer a request, where its other answers show that it reads and flushes; else empty."""
    if id_ in match.came_late:
        return "its answer came later: it thinks too long, so answer from what is known when the time is short"
    if match.answered:
        return "nothing came, though it answered other requests: it computes too long, or waits for something else"
    return ""


def _place(fault: Fault, field: str) -> Place | None:
    """The place in the line of a fault; None where no line is wrong."""
    text = fault.line.decode("utf-8", "replace")
    if not text.strip() or fault.is_of_before:
        return None
    if fault.joined:
        start = text.find('"then"')
    elif fault.bad is not None:
        start = fault.bad.start
    elif fault.mishap.kind == "illegal_action":
        start = find(text, f".action.{field}" if field else ".action")
    elif fault.mishap.kind == "timeout" and text.endswith("\n"):  # an answer with another id
        start = find(text, ".id")
    else:
        start = len(text)
    return place_in(fault.line, start)


def _place_note(field: str, fault: Fault) -> str:
    if fault.joined and fault.ask is not None:
        return f"`then` is for the question that follows `{fault.ask.decision}`"
    return f"`{field}` is not as offered" if field else ""


def _about_names(line: bytes) -> str:
    """What to add where fields have the right names in other letters."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    names = list(message) if isinstance(message, dict) else []
    wrong = [name for name in names if name not in FIELDS_OF_A_BOT and name.lower() in FIELDS_OF_A_BOT]
    return f"; names are in small letters: `{wrong[0].lower()}`, not `{printable(wrong[0], 20)}`" if wrong else ""


def _right(fault: Fault, ask: Ask | None) -> str:
    if ask is None:
        return RIGHT_READY
    if fault.joined:
        return _text(replace(decode_answer(fault.line), then=None, comment=UNSET))
    return _text(Answer(id=fault.id, action=_as_meant(fault.line, ask) or ask.fallback))


def _as_meant(line: bytes, ask: Ask) -> Action | None:
    """An action of the kind that the line names, as it is offered; None where the line names none that is."""
    try:
        kind = json.loads(line)["action"]["kind"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    offer = next((offer for offer in ask.offers if offer.kind == kind), None)
    if offer is None:
        return None
    return ACTIONS[kind](**{name: first_value(choice) for name, choice in offer.choices().items()})


def _text(answer: Answer) -> str:
    """The answer as an author would write it, without what may be left out."""
    return encode(answer).decode().rstrip("\n").replace(',"then":null', "")


def _where(match: TestMatch, number: int, ask: Ask | None) -> str:
    if match.ready is None:
        return "before a match"
    game = match.setup.game.label
    by_dice = " (golfref had played this seat up to there)" if match.is_played_by_dice else ""
    return game if ask is None else f"{game}, round {number}, {ask.decision}{by_dice}"


# Offers


def culprit(ask: Ask, action: Action) -> str | None:
    """The field, as it is called on the wire, without which the action would be legal; None where there is no such one.

    It is `kind` where no offer is of this kind. The offers themselves are asked.
    """
    alike = [offer for offer in ask.offers if offer.kind == action.__struct_config__.tag]
    if not alike:
        return "kind"
    wire = {field.name: field.encode_name for field in fields(action)}
    for offer in alike:
        for name in FIELDS[offer.kind]:
            mended = replace(action, **{name: first_value(offer.choices()[name])})
            if admits(ask.offers, mended):
                return wire[name]
    return None


def first_value(choice: Choice) -> object:
    """A value that the choice allows."""
    if isinstance(choice, OneOf):
        return choice.one_of[0]
    return choice.of[: choice.pick] if isinstance(choice, Pick) else ()


# What is no fault


def of_late_slap(late: LateSlap, match: TestMatch) -> Found:
    """Silence in a slap window."""
    limit_s = match.check_rules.clocks.slap_s
    finding = Finding(
        verdict="warn",
        kind="late slap",
        what=f"no answer within {limit_s:g} s in a slap window, which counts as a pass: "
        f"{_why_silent(late.id, match) or late.hint}",
        where=_where(match, match.game.table.round, late.ask),
        rule=rules.SILENCE,
        right=_text(Answer(id=late.id, action=late.ask.fallback)),
        conversation=late.conversation,
        games=Counter([match.setup.game.label]),
    )
    return ("late slap",), finding


def of_left(commands: tuple[str, ...], where: str) -> Found:
    """Processes with these commands lived on when the bot had ended."""
    shown = printable(", ".join(f"`{command}`" for command in commands), LONGEST_COMMANDS)
    finding = Finding(
        verdict="warn",
        kind="left behind",
        what=f"when it had ended, what it had started still lived, and was killed: {shown}",
        where=where,
        rule=rules.END_OF_INPUT,
        right="end what you start, and wait for it, before the program ends: nothing of a bot outlives its matches",
    )
    return ("left behind",), finding


def of_ending(what: str, rule: Rule, stderr: tuple[str, ...], where: str) -> Found:
    """A bot ended in another way than with exit code 0, though not in a match."""
    is_input = rule is rules.END_OF_INPUT
    finding = Finding(
        verdict="warn",
        kind="ends oddly",
        what=what,
        where=where,
        rule=rule,
        right=f"{'' if is_input else 'read on after `end`, or '}end the program with exit code 0",
        stderr=stderr,
    )
    return ("ends oddly", rule.says), finding


_AFTER = {
    "": ("it wrote this before it was sent anything", rules.SPEAKS_FIRST),
    "hello": ("it wrote more than one line for `hello`", rules.ONE_LINE),
    "match": ("it answered `match`", rules.ONE_LINE),
    "end": ("it answered `end`", rules.ONE_LINE),
    "match or end": ("it answered `match` or `end`", rules.ONE_LINE),
}
"""What a line is that came after a message of the referee that awaits none."""


def of_stray_line(stray: StrayLine, match: TestMatch) -> Found:
    """A line that answers nothing."""
    what, rule = _why_stray(stray)
    finding = Finding(
        verdict="fail",
        kind="spare line",
        what=f"{what}; {IGNORED}" if stray.after else what,
        where=_where(match, match.game.table.round, None),
        rule=rule,
        place=place_in(stray.line, 0) if stray.line.strip() else None,
        right="nothing; one line for each request, and debugging to standard error",
        conversation=stray.conversation,
        games=Counter([match.setup.game.label]),
    )
    return ("spare line", what), finding


def _why_stray(stray: StrayLine) -> tuple[str, Rule]:
    if not stray.line.endswith(b"\n"):
        return "its last line has no newline", rules.LINE
    if not stray.line.strip():
        return "it wrote a blank line", rules.BLANK
    if stray.after in _AFTER:
        return _AFTER[stray.after]
    if stray.is_repeat:
        return "it answered the same request twice", rules.ONE_LINE
    with contextlib.suppress(BadLine):
        decode_answer(stray.line)
        return "it answered with an id that no open request has", rules.SAME_ID
    return "it wrote something that is no answer", rules.OUTPUT


# Standard error


def last_words(channel: Channel) -> tuple[str, ...]:
    """The end of what the bot wrote to standard error."""
    return _printable(channel.stderr.text().splitlines()[-LAST_WORDS:])


def first_words(channel: Channel) -> tuple[str, ...]:
    """The beginning of what the bot wrote to standard error."""
    return _printable(channel.stderr.text().splitlines()[:FIRST_WORDS])


def _printable(lines: list[str]) -> tuple[str, ...]:
    return tuple(printable(line.expandtabs(), LONGEST_WORDS) for line in lines)
