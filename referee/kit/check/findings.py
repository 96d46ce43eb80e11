"""What a bot did wrong, as findings: the sentence, the place in its line, the rule, and what would have been right."""

import contextlib
import json
import re
from collections import Counter
from collections.abc import Hashable

from msgspec import UNSET
from msgspec.structs import replace

from protocol.actions import Action
from protocol.codec import BadLine, decode_answer, encode
from protocol.messages import Answer, Ready
from protocol.offers import ACTIONS, Pick
from protocol.text import printable
from referee.kit.check import rules
from referee.kit.check.lines import LATER, present
from referee.kit.check.noted import Late, Slip, Spare
from referee.kit.check.places import culprit, first_value, place_in, place_of
from referee.kit.check.report import Finding
from referee.kit.check.sitting import Sitting
from referee.rules.questions import Ask

LAST_WORDS = 12
"""How many lines of standard error are shown of a bot that ended."""

FIRST_WORDS = 4
"""How many lines of standard error are shown of a bot that writes much."""

LONGEST_WORDS = 300
"""How many characters of such a line are shown."""

MOST_COMMANDS = 3
"""How many commands are shown of what a bot left behind."""

LONGEST_COMMAND = 80
"""How many characters of each."""

FIELDS_OF_A_BOT = frozenset((*Answer.__struct_fields__, *Ready.__struct_fields__, "type"))
"""The names of all fields of what a bot writes."""

ENDED = frozenset({"crashed", "closed_output", "start_failed", "start_timeout"})
"""Faults whose reason may stand in standard error."""

SHORT_LINE = 1000
"""So many bytes any bot can read: their number is told where a longer request has had no answer."""

IGNORED = "1000 such lines a match are ignored, the next one is a `flood` and forfeits"
"""What becomes of lines that answer nothing."""

KEEPS_BACK = (
    "what it had to say came when its input ended: it reads to the end of its input before it answers, as "
    "readFileSync(0) does, or it does not flush what it writes: in Python flush=True, in C fflush(stdout), in Go "
    "Flush(), in Java flush(), in Perl $| = 1, in filters sed -u or grep --line-buffered"
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
"""What a bot that is silent or ends at once does, and what to do."""

Found = tuple[Hashable, Finding]
"""What is the same about findings that are told once, and the finding."""


def of_slip(slip: Slip, sitting: Sitting, longest_answered: int) -> Found:
    """A fault. `longest_answered` is the length of the longest line that the bot has answered in matches before."""
    mishap, ask = slip.mishap, slip.ask
    decision = None if ask is None else ask.decision
    rule = rules.THEN if slip.joined else rules.rule_of(mishap, slip.line, decision)
    place, field = None, ""
    if slip.line.strip() and not slip.is_of_before:
        place = place_of(mishap, slip.line, ask)
    if mishap.kind == "illegal_action" and ask is not None and not slip.joined:
        field, rule = _offered(slip.line, ask, rule)
    if slip.joined:
        place = place_in(slip.line, max(0, slip.line.decode("utf-8", "replace").find('"then"')))
    what = mishap.detail
    if mishap.kind == "crashed" and ask is not None:
        what = f"when the answer to `{decision}` was due, the process had ended: {mishap.detail}"
    if mishap.kind == "closed_output" and ask is not None:
        what = f"when the answer to `{decision}` was due, the process lived and its standard output was closed"
    if "exited with code 0 before `ready`" in what:
        what += f"; {ENDS_AT_ONCE}"
    elif "before `ready`" in what and not sitting.manner.trial and not sitting.check_rules.only_these:
        what += f"; it was started in {sitting.folder}, and `--dir FOLDER` starts it elsewhere"
    if mishap.kind in ("timeout", "start_timeout"):
        what, rule = _why_late(what, rule, slip, sitting, longest_answered)
    what += _about_names(slip.line)
    words = last_words(sitting) if mishap.kind in ENDED else ()
    finding = Finding(
        verdict="fail",
        kind=mishap.kind,
        what=what,
        where=_where(sitting, slip.round, ask),
        rule=rule,
        place=place,
        place_note=_place_note(field, slip),
        right=_renamed(_right(slip, ask)) if sitting.manner.renames_kinds else _right(slip, ask),
        conversation=slip.conversation,
        stderr=words,
        games=Counter([sitting.game_to_try.label]),
    )
    alike = words[-1] if words else "" if mishap.kind in ("timeout", "crashed") else _without_numbers(mishap.detail)
    if mishap.kind == "illegal_action":
        alike = f"{decision} {field} {slip.joined}"
    return (mishap.kind, rule.says, rule.number, alike), finding


def _about_names(line: bytes) -> str:
    """What to add where fields have the right names in other letters."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    names = list(fields) if isinstance(fields, dict) else []
    wrong = [name for name in names if name not in FIELDS_OF_A_BOT and name.lower() in FIELDS_OF_A_BOT]
    return f"; names are in small letters: `{wrong[0].lower()}`, not `{printable(wrong[0], 20)}`" if wrong else ""


def _why_late(
    what: str, rule: rules.Rule, slip: Slip, sitting: Sitting, longest_answered: int
) -> tuple[str, rules.Rule]:
    """The sentence and the rule for a bot that did not answer in time, where more is known of why."""
    said = what.partition(";")[0]
    if sitting.reads_blocks:
        return f"{said}; {READS_BLOCKS}", rules.BLOCKS
    if sitting.loses_lines:
        return f"{said}; {LOSES_LINES}", rules.TOGETHER
    if sitting.keeps_back:
        return f"{said}; {KEEPS_BACK}", rules.FLUSH
    if slip.is_of_before:
        return f"{said}; its answer to an earlier request came meanwhile, too late", rules.MOVE_CLOCK
    longest = max(longest_answered, slip.answered_bytes)
    if not slip.line and slip.asked_bytes > max(longest, SHORT_LINE) and longest:
        what += (
            f"; the request was {slip.asked_bytes} bytes long, and the longest that it had answered {longest}: "
            "does it read a line up to its end, however long that is?"
        )
    return what, rule


def _place_note(field: str, slip: Slip) -> str:
    if slip.joined and slip.ask is not None:
        return f"`then` is for the question that follows `{slip.ask.decision}`"
    return f"`{field}` is not as offered" if field else ""


def of_late(late: Late, sitting: Sitting) -> Found:
    """Silence in a slap window, which is no fault."""
    limit_s = sitting.check_rules.clocks.slap_s
    finding = Finding(
        verdict="warn",
        kind="late slap",
        what=f"no answer within {limit_s:g} s in a slap window, which counts as a pass: {late.hint}",
        where=_where(sitting, sitting.game.table.round, late.ask),
        rule=rules.SILENCE,
        right=_answer(late.id, late.ask.fallback),
        conversation=late.conversation,
        games=Counter([sitting.game_to_try.label]),
    )
    return ("late slap",), finding


def of_left(commands: tuple[str, ...], where: str) -> Found:
    """Processes with these commands lived on when the bot had ended."""
    shown = [f"`{printable(command, LONGEST_COMMAND)}`" for command in commands[:MOST_COMMANDS]]
    if more := len(commands) - len(shown):
        shown.append(f"{more} more")
    finding = Finding(
        verdict="warn",
        kind="left behind",
        what=f"when it had ended, what it had started still lived, and was killed: {', '.join(shown)}",
        where=where,
        rule=rules.END_OF_INPUT,
        right="end what you start, and wait for it, before the program ends: nothing of a bot outlives its matches",
    )
    return ("left behind",), finding


def of_spare(spare: Spare, sitting: Sitting) -> Found:
    """A line that answers nothing."""
    what, rule = _why_spare(spare)
    finding = Finding(
        verdict="fail",
        kind="spare line",
        what=f"{what}; {IGNORED}" if spare.after else what,
        where=_where(sitting, sitting.game.table.round, None),
        rule=rule,
        place=place_in(spare.line, 0) if spare.line.strip() else None,
        right="nothing; one line for each request, and debugging to standard error",
        conversation=spare.conversation,
        games=Counter([sitting.game_to_try.label]),
    )
    return ("spare line", what), finding


_AFTER = {
    "": ("it wrote this before it was sent anything", rules.SPEAKS_FIRST),
    "hello": ("it wrote more than one line for `hello`", rules.ONE_LINE),
    "match": ("it answered `match`", rules.ONE_LINE),
    "end": ("it answered `end`", rules.ONE_LINE),
    "match or end": ("it answered `match` or `end`", rules.ONE_LINE),
}
"""What a line is that came after a message of the referee that awaits none."""


def _why_spare(spare: Spare) -> tuple[str, rules.Rule]:
    if not spare.line.endswith(b"\n"):
        return "its last line has no newline", rules.LINE
    if spare.after in _AFTER:
        return _AFTER[spare.after]
    if not spare.line.strip():
        return "it wrote a blank line", rules.BLANK
    if spare.is_repeat:
        return "it answered the same request twice", rules.ONE_LINE
    with contextlib.suppress(BadLine):
        decode_answer(spare.line)
        return "it answered with an id that no open request has", rules.SAME_ID
    return "it wrote something that is no answer", rules.OUTPUT


def _offered(line: bytes, ask: Ask, rule: rules.Rule) -> tuple[str, rules.Rule]:
    """The field that is not as offered, and the rule for it."""
    try:
        action = decode_answer(present(line)).action
    except BadLine:
        return "", rule
    field = culprit(ask, action) or ""
    offers = [offer for offer in ask.offers if offer.kind == action.__struct_config__.tag]
    if any(isinstance(offer.choices().get(field), Pick) for offer in offers):
        return field, replace(rule, says=rules.PICK.says)
    return field, rule


def _right(slip: Slip, ask: Ask | None) -> str:
    if slip.joined:
        try:
            return _text(replace(decode_answer(slip.line), then=None, comment=UNSET))
        except BadLine:
            return ""
    if ask is not None:
        return _answer(slip.id, _as_meant(slip.line, ask) or ask.fallback)
    return _text(Ready(name="mine")) if not slip.round or not slip.ask else ""


def _as_meant(line: bytes, ask: Ask) -> Action | None:
    """An action of the kind that the line names, as it is offered; None where the line names none that is."""
    try:
        kind = json.loads(present(line))["action"]["kind"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    offer = next((offer for offer in ask.offers if offer.kind == kind), None)
    return (
        None
        if offer is None
        else ACTIONS[kind](**{name: first_value(choice) for name, choice in offer.choices().items()})
    )


def _renamed(text: str) -> str:
    """The answer with kinds of action as a later version calls them."""
    return text.replace('"kind":"', f'"kind":"{LATER}')


def _answer(id_: str, action: Action) -> str:
    return _text(Answer(id=id_, action=action))


def _text(message: Answer | Ready) -> str:
    """The message as an author would write it, without what may be left out."""
    text = encode(message).decode().rstrip("\n").replace(',"then":null', "")
    return text if isinstance(message, Answer) else '{"type":"ready","name":"mine"}'


def _where(sitting: Sitting, number: int, ask: Ask | None) -> str:
    if sitting.ready is None:
        return "before a match"
    game = sitting.game_to_try.label
    by_dice = " (golfref had played this seat up to there)" if sitting.is_played_by_dice else ""
    return game if ask is None else f"{game}, round {number}, {ask.decision}{by_dice}"


def last_words(sitting: Sitting) -> tuple[str, ...]:
    """The end of what the bot wrote to standard error."""
    lines = sitting.channel.stderr.text().splitlines()
    return tuple(printable(line.expandtabs(), LONGEST_WORDS) for line in lines[-LAST_WORDS:])


def first_words(sitting: Sitting) -> tuple[str, ...]:
    """The beginning of what the bot wrote to standard error."""
    lines = sitting.channel.stderr.text().splitlines()
    return tuple(printable(line.expandtabs(), LONGEST_WORDS) for line in lines[:FIRST_WORDS])


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "0", text)[:60]
