"""A recorded match played again to a build of a bot: where does it first do something else than the record tells?

The bot is sent exactly what was sent then, through the same pump and under the same clocks as in a match, and each of
its answers is held against the recorded one. After the first difference the input no longer fits what the bot believes,
since it supposes that the recorded answers were given. This module must not know where a record comes from.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Literal

import msgspec
import trio
from msgspec import Struct

from protocol.actions import Action
from protocol.bad_lines import BadLine
from protocol.codec import answer_in, decode_ready
from protocol.events import Round
from protocol.messages import Answer, Limits, Match, Ready, Request
from protocol.offers import admits
from protocol.text import printable
from referee.play.faults import Trouble, hosts_fault
from referee.play.process.channel import Channel
from referee.play.process.process import FAREWELL_S
from referee.play.process.shutdown import end_orphans
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import FATAL, illegal, start_mishap
from referee.play.talk.exchange import READY, Delivery, Exchange, Reply
from referee.reports.bot_match import BotMatch, Entry, Faulted, Joined, Late, Sent, Took, Wrote
from referee.rules.record import Mishap, NoRecord

STDERR_BYTES = 16 << 20
"""How much of the build's standard error is kept."""

LONGEST_LINE = 1000
"""How many characters of a line of standard error are shown."""

Kind = Literal["same", "other", "late", "fault"]


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a line that awaited an answer."""

    action: Action | None = None
    """The answer; None for one to `hello`, and where none was understood."""
    then: Action | None = None
    knows_then: bool = True
    """Whether `then` is known: a record does not keep all lines of a long match."""
    mishap: Mishap | None = None
    is_late: bool = False
    """Whether nothing came in time in a slap window, which is no fault."""
    took_us: float | None = None
    ready: Ready | None = None
    """What was said in answer to `hello`."""


class Step(Struct, frozen=True, kw_only=True):
    """A line that awaited an answer, and what the record tells of it."""

    number: int
    """Counts the requests from 1; 0 is `hello`."""
    sent: Sent
    request: Request | None
    """None for `hello`."""
    round: int
    recorded: Outcome | None
    """None where the record does not tell it: the process was greeted before an earlier match."""


class Finding(Struct, frozen=True, kw_only=True):
    """What the build did at a step."""

    step: Step
    kind: Kind
    now: Outcome
    why: str = ""
    """What is different from the record, in words."""
    stderr: str = ""
    """What it had written to standard error up to then, safe to show."""
    stderr_bytes: int = 0

    @property
    def is_as_recorded(self) -> bool:
        """Whether the record tells the same fault, or the same lateness, of this step."""
        then = self.step.recorded
        if then is None or self.kind == "other":
            return False
        if self.now.mishap is not None:
            return then.mishap is not None and then.mishap.kind == self.now.mishap.kind
        return then.is_late == self.now.is_late


class Rerun(Struct, frozen=True, kw_only=True):
    """What came out."""

    requests: int
    """How many requests the record has for this bot."""
    answered: int
    """How many of them were sent to the build."""
    findings: tuple[Finding, ...]
    """Where it did something else, crashed, was late or at fault, in order."""


async def rerun(  # noqa: PLR0913 - how the build is started, and how far it is followed
    pump: Pump,
    match: BotMatch,
    bot: BotSpec,
    confinement: Confinement,
    *,
    patience: float = 1.0,
    goes_on: bool = False,
    tell: Callable[[Finding], None] = lambda _: None,
) -> Rerun:
    """Start the build and send it the match; `tell` hears of each finding as soon as its standard error is known.

    The limits of answers are multiplied by `patience`. Unless it `goes_on`, the first finding ends it, apart from a
    legal match's faults that are as recorded. Raises HostFault, and NoRecord where the record's lines are not
    understood.
    """
    steps = list(steps_of(match))
    with hosts_fault():
        channel = await pump.start_bot(bot, confinement, Limits(stderr_bytes=STDERR_BYTES))
    course = _Course(match, steps, channel, patience=patience, goes_on=goes_on, tell=tell)
    try:
        with hosts_fault():
            await pump.converse(course.play(), {0: channel})
    finally:
        with trio.CancelScope(shield=True):
            await channel.stop(patience_s=FAREWELL_S)
            pump.let_go(channel)
            await end_orphans()
    course.tell_last()
    return Rerun(
        requests=sum(step.request is not None for step in steps),
        answered=course.answered,
        findings=tuple(course.findings),
    )


def steps_of(match: BotMatch) -> Iterator[Step]:
    """The lines that awaited an answer. Raises NoRecord for one that is no message of this version."""
    if match.matches_before:
        greeting = Sent(text=match.hello, awaits=READY, limit_s=match.clocks.start_s)
        yield Step(number=0, sent=greeting, request=None, round=0, recorded=None)
    number = round_ = 0
    for place, entry in enumerate(match.wire):
        if not isinstance(entry, Sent) or entry.awaits is None:
            continue
        came = [*_until_next(match.wire[place + 1 :])]
        if entry.awaits == READY:
            yield Step(number=0, sent=entry, request=None, round=0, recorded=_greeted(came))
            continue
        request = _request_in(entry)
        number += 1
        round_ = next((event.round for event in reversed(request.events) if isinstance(event, Round)), round_)
        recorded = _recorded(came, entry.awaits)
        yield Step(number=number, sent=entry, request=request, round=round_, recorded=recorded)


def options_of(match: BotMatch) -> dict[str, Any]:
    """The options of the game as the bot was told them; none where its match never began."""
    for entry in match.wire:
        if isinstance(entry, Sent) and entry.text.startswith('{"type":"match"'):
            return msgspec.json.decode(entry.text.partition("\n")[0], type=Match).options
    return {}


class _Course:
    """The conversation with the build."""

    def __init__(  # noqa: PLR0913 - as `rerun`
        self,
        match: BotMatch,
        steps: Sequence[Step],
        channel: Channel,
        *,
        patience: float,
        goes_on: bool,
        tell: Callable[[Finding], None],
    ) -> None:
        self.answered = 0
        self.findings: list[Finding] = []
        self._match, self._channel = match, channel
        self._steps = {id(step.sent): step for step in steps}
        self._patience, self._goes_on, self._tell = patience, goes_on, tell
        self._greeting = steps[0] if match.matches_before else None
        options = options_of(match)
        self._has_slaps = bool(options.get("slaps"))
        self._timed = options.get("slap_order") == "reaction"
        self._waiting: Finding | None = None
        """A finding of which the whole standard error is known only when the process has ended."""

    def play(self) -> Generator[Exchange, Sequence[Reply], None]:
        """Send everything, unless something ends it."""
        if self._greeting is not None and not (yield from self._ask(self._greeting)):
            return
        for entry in self._match.wire:
            if not isinstance(entry, Sent):
                continue
            step = self._steps.get(id(entry))
            if step is None:
                yield Exchange(deliveries=(Delivery(seat=0, data=entry.text.encode()),))
            elif not (yield from self._ask(step)):
                return

    def tell_last(self) -> None:
        """Tell the finding at which the process ended, with all that it has written."""
        if self._waiting is not None:
            self._note(self._waiting)

    def _ask(self, step: Step) -> Generator[Exchange, Sequence[Reply], bool]:
        """Send the line of a step and judge what comes; whether to go on."""
        limit_s = step.sent.limit_s * self._patience
        is_slap = step.request is not None and step.request.decision == "slap"
        delivery = Delivery(seat=0, data=step.sent.text.encode(), awaits=step.sent.awaits, limit_s=limit_s)
        at_once = self._match.clocks.slap_timing == "broadcast"
        timed = is_slap and self._timed
        (reply,) = yield Exchange(deliveries=(delivery,), timed=timed, at_once=timed and at_once)
        self.answered += step.request is not None
        finding = compared(step, _outcome(step, reply, limit_s), has_slaps=self._has_slaps)
        if finding.kind == "same" and finding.now.mishap is None:
            return True
        ended = finding.now.mishap is not None and finding.now.mishap.kind in FATAL
        if ended:
            self._waiting = finding
        else:
            self._note(finding)
        return not ended and (self._goes_on or finding.kind == "same")

    def _note(self, finding: Finding) -> None:
        self._channel.drain_stderr()
        stderr = self._channel.stderr
        lines = (printable(line.expandtabs(), LONGEST_LINE) for line in stderr.text().splitlines())
        finding = msgspec.structs.replace(finding, stderr="\n".join(lines), stderr_bytes=stderr.total)
        self.findings.append(finding)
        self._tell(finding)


def compared(step: Step, now: Outcome, *, has_slaps: bool) -> Finding:
    """What the build did at a step, beside what the record tells of it. `has_slaps`: whether the game has windows."""
    then = step.recorded
    if now.mishap is not None:
        same = then is not None and then.mishap is not None and then.mishap.kind == now.mishap.kind
        kind: Kind = "late" if now.mishap.kind in ("timeout", "start_timeout") else "fault"
        if same and kind == "fault" and now.mishap.kind not in FATAL:
            kind = "same"
        return Finding(step=step, kind=kind, now=now)
    if now.is_late:
        return Finding(step=step, kind="late" if then is None or not then.is_late else "same", now=now)
    why = "" if then is None else _difference(then, now, has_slaps=has_slaps)
    return Finding(step=step, kind="other" if why else "same", now=now, why=why)


def _difference(then: Outcome, now: Outcome, *, has_slaps: bool) -> str:
    """How an answer differs from what the record tells; empty where it does not."""
    if then.mishap is not None:
        return f"the record has a fault here: {then.mishap.kind}"
    if then.is_late:
        return "no answer came in time in the record"
    if then.ready is not None and now.ready is not None:
        counts = ("slaps", "table") if has_slaps else ("table",)
        wants = [name for name in counts if getattr(then.ready, name) != getattr(now.ready, name)]
        return f"`ready` says otherwise what it wants to be sent: {', '.join(wants)}" if wants else ""
    if then.action != now.action:
        return "another action"
    return "another `then`" if then.knows_then and then.then != now.then else ""


def _outcome(step: Step, reply: Reply, limit_s: float) -> Outcome:
    """What came of a line now."""
    took_us = reply.elapsed_us if reply.corrected_us is None else reply.corrected_us
    heard, request = reply.heard, step.request
    if request is None:
        if isinstance(heard, Ready):
            return Outcome(ready=heard, took_us=took_us)
        return Outcome(mishap=start_mishap(reply, limit_s), took_us=took_us)
    if isinstance(heard, Trouble):
        return Outcome(mishap=Mishap(kind=heard.kind, detail=heard.detail, line=heard.line), took_us=took_us)
    if not isinstance(heard, Answer):
        if request.decision == "slap":
            return Outcome(is_late=True, took_us=took_us)
        detail = f"no answer to `{request.decision}` within {limit_s:.3g} s; {reply.hint}"
        return Outcome(mishap=Mishap(kind="timeout", detail=detail), took_us=took_us)
    wrong = None if admits(request.legal, heard.action) else illegal(request.decision, request.legal, heard.action)
    return Outcome(action=heard.action, then=heard.then, mishap=wrong, took_us=took_us)


def _until_next(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries before the next line that was sent."""
    for entry in entries:
        if isinstance(entry, Sent):
            return
        yield entry


def _greeted(came: Sequence[Entry]) -> Outcome:
    """What the record tells of the answer to `hello`."""
    if (mishap := _fault_in(came)) is not None:
        return Outcome(mishap=mishap)
    for entry in came:
        if isinstance(entry, Wrote) and not entry.ignored:
            try:
                return Outcome(ready=decode_ready(entry.text.encode()))
            except BadLine:
                break
    return Outcome()


def _recorded(came: Sequence[Entry], id_: str) -> Outcome:
    """What the record tells of the answer to a request with this id."""
    if any(isinstance(entry, Late) for entry in came):
        return Outcome(is_late=True)
    took = next((entry for entry in came if isinstance(entry, Took)), None)
    took_us = None if took is None else took.us
    # A fault after `then` was played is that of the next answer, which came along with this one.
    if (mishap := _fault_in(came)) is not None and (took is None or took.action is None):
        return Outcome(mishap=mishap, took_us=took_us)
    for entry in came:
        if isinstance(entry, Wrote) and (answer := answer_in(entry.text)) is not None and answer.id == id_:
            return Outcome(action=answer.action, then=answer.then, took_us=took_us)
    joined = next((entry.action for entry in came if isinstance(entry, Joined)), None)
    action = None if took is None else took.action
    return Outcome(action=action, then=joined, knows_then=joined is not None, took_us=took_us)


def _fault_in(came: Sequence[Entry]) -> Mishap | None:
    fault = next((entry for entry in came if isinstance(entry, Faulted)), None)
    return None if fault is None else Mishap(kind=fault.kind, detail=fault.detail, line=fault.line)


def _request_in(sent: Sent) -> Request:
    line = sent.text.removesuffix("\n").rpartition("\n")[2]
    try:
        return msgspec.json.decode(line, type=Request)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        raise NoRecord(f"a request in it is none of this version: {error}") from None
