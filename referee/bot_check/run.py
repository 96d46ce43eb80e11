"""A check of one bot: it starts processes of the bot, plays matches with them, and gathers what is wrong.

The steps decide what is played; whatever goes wrong in it is found here, in the same way for all of them.
"""

import shlex
from collections import defaultdict
from collections.abc import Hashable, Sequence

import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Limits, Ready
from referee.bot_check import rules
from referee.bot_check.findings import last_words, of_ending, of_fault, of_late_slap, of_left, of_stray_line
from referee.bot_check.games import BY_THE_BOOK, CheckRules, GameToTry
from referee.bot_check.lines import padded
from referee.bot_check.report import Finding, Report, Shown, StepResult, Times, counted
from referee.bot_check.tape import Tape, messages
from referee.bot_check.test_match import POLL_INTERVAL_S, Answered, Setup, StrayLine, TestMatch
from referee.play.process.channel import Channel
from referee.play.process.orphans import left_by
from referee.play.process.pool import Pool, PooledBot, reads_on
from referee.play.process.process import FAREWELL_S, BotProcess
from referee.play.process.shutdown import end_orphans
from referee.play.process.usage import command_of
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement

MOST_SILENT = 6
"""The check ends when the bot has left so many requests unanswered in all."""

MOST_FAULTY = 10
"""The check ends when the bot was at fault in so many matches."""

LONG_S = 10.0
"""When a bot has thought so long in all, it is slow, and each further match is broken off sooner."""

IMPATIENCE_S = 0.6
"""How long it may think in each of these."""

MOST_S = 240.0
"""After so long a check begins nothing more: a bot that takes seconds for each of many starts would else be checked for
a quarter of an hour."""

OF_ITS_LINE = frozenset({"bad_message", "illegal_action", "line_too_long"})
"""Faults that break the same rule, whatever brought them about."""

SHORT_PATIENCE_S = 0.05
"""How long a bot may take to end that has been found before not to end by itself."""

DYING_S = 0.05
"""How long what a bot has started may take to end after the bot. `watch_limits`, which kills it, looks each 0.1 s."""


class Farewell(Struct, frozen=True, kw_only=True):
    """How a process without a fault ended when its input ended."""

    when: str
    """Such as `before a match`."""
    seconds: float
    status: str
    """How it ended, in words; empty where it had to be killed."""
    is_right: bool
    """Whether it exited with code 0, or had ended before its input did."""
    tasks: int
    """Where it had to be killed, in no cell: how many threads it and what it had started had."""
    stderr: tuple[str, ...]


class CheckRun:
    """A bot under check. Its matches are played in one process as long as it plays on in that, and without a fault."""

    def __init__(  # noqa: PLR0913 - what the command line has options for
        self,
        pump: Pump,
        spec: BotSpec,
        confinement: Confinement,
        *,
        games: Sequence[GameToTry],
        options: Sequence[GameToTry],
        seed: str,
        check_rules: CheckRules = BY_THE_BOOK,
        most_s: float = MOST_S,
    ) -> None:
        """Plays the presets `games`, and `options` with other options. After `most_s` nothing more begins."""
        self.pump, self.spec, self.confinement = pump, spec, confinement
        self.games, self.options = games, options
        self.seed, self.check_rules = seed, check_rules
        self.step = StepResult(number=0, title="")
        """The step that is under way."""
        self.steps: list[StepResult] = []
        """All steps that have begun."""
        self.times: dict[str, Times] = {}
        """By decision how long answers took."""
        self.found: dict[Hashable, Finding] = {}
        """What is wrong, in the order in which it came up."""
        self.matches: list[TestMatch] = []
        self.farewells: list[Farewell] = []
        self.shown = Shown()
        self.answered: list[Answered] = []
        """All answers that were right."""
        self.ready: Ready | None = None
        self.stopped = ""
        """Why no further step is tried; empty as long as they are."""
        self.lacks_time = False
        """Whether the check has taken all of its time, so that the rest is not tried."""
        self.starts = 0
        """How often the bot has been started."""
        self.memory: defaultdict[int, list[int]] = defaultdict(list)
        """For each process what it held in bytes, from time to time."""
        self._most_s = most_s
        self._began = 0.0
        self._first_began: float | None = None
        self._spent_s = 0.0
        """How long the bot has thought in all matches."""
        self._pool = Pool()
        self.plays_on = check_rules.reuses
        """Whether further matches are played in the process of the last one."""
        self._last: Setup | None = None
        """The last match of the process that waits."""
        self._left: list[tuple[str, ...]] = []
        """The commands of what lived on when the bot had ended, for each time in the step that is under way."""

    def begin(self, number: int, title: str) -> None:
        """Begin a step."""
        self.step = StepResult(number=number, title=title)
        self.steps.append(self.step)
        self._began = trio.current_time()
        self._first_began = self._first_began or self._began

    def end(self) -> None:
        """End the step."""
        for commands in self._left:
            self.find(*of_left(commands, self.step.title))
        self._left = []
        self.step.seconds = round(trio.current_time() - self._began, 3)

    @property
    def untried(self) -> list[int]:
        """The numbers of the steps that were not tried because the check had taken all of its time."""
        return [one.number for one in self.steps if self.lacks_time and one.summary == self.stopped]

    @property
    def all_games(self) -> list[GameToTry]:
        """All that is played, each under its label."""
        return [*self.games, *self.options]

    # Matches

    async def play(self, setup: Setup, *, is_new: bool = False) -> TestMatch:
        """Play a match. With `is_new` the bot's process is a new one, and has ended when this returns."""
        last = self._last
        match = None if is_new else await self._play_on(setup)
        if match is None:
            last, match = None, await self._play_anew(setup, is_last=is_new)
        if self._has_new_faults(match):
            await self.look_into_silence(match)
            if setup.about is not None or last is not None:
                await self._look_for_the_cause(match, last)
        self.gather(match)
        return match

    async def close(self) -> None:
        """End the process that waits for a further match, if there is one."""
        with trio.CancelScope(shield=True):
            if (kept := await self._pool.take(self.spec.name, -1)) is not None:
                await self.part(self._admitted(kept), "after a match")

    async def start(self) -> Channel:
        """A new process of the bot."""
        self.starts += 1
        channel = await self.pump.start_bot(self.spec, self.confinement, Limits())
        channel.inbox = Tape(Limits())
        return channel

    async def _play_anew(self, setup: Setup, *, is_last: bool) -> TestMatch:
        """Play a match with a new process, which is kept for further ones unless this is its last."""
        channel = await self.start()
        try:
            match = await self.converse(channel, setup)
        except BaseException:
            with trio.CancelScope(shield=True):
                await self.part(channel)
            raise
        await self._keep(match, is_last=is_last)
        return match

    async def _play_on(self, setup: Setup) -> TestMatch | None:
        """Play a match with the process that has played before; None where there is none, or where it has ended."""
        if (kept := await self._pool.take(self.spec.name, -1)) is None:
            return None
        channel = self._admitted(kept)
        match = None
        try:
            match = await self.converse(channel, setup, kept)
        finally:
            if match is None or match.is_declined:
                with trio.CancelScope(shield=True):
                    farewell = await self.part(channel)
        if match.is_declined:
            self.plays_on = False
            if not farewell.is_right:
                ends = f"it {farewell.status}; that costs nothing"
                what = ends if farewell.status else "it neither read the next `match` nor ended"
                self.find(*of_ending(f"after `end` {what}", rules.MORE_MATCHES, farewell.stderr, self.step.title))
            return None
        await self._keep(match)
        return match

    def _admitted(self, kept: PooledBot) -> Channel:
        return self.pump.admit(Channel(self.spec, self.confinement, Limits(), kept.channel.process))

    async def _keep(self, match: TestMatch, *, is_last: bool = False) -> None:
        """Keep the process of a match for a further one, or end it."""
        channel, process = match.channel, match.channel.process
        with trio.CancelScope(shield=True):
            if match.faults or match.ready is None:
                await self.part(channel)
            elif is_last or match.broken_off or not self.plays_on:
                await self.part(channel, match.how_far)
            else:
                matches = match.matches_before + 1
                await self._pool.keep(
                    PooledBot(bot=self.spec.name, channel=channel, ready=match.ready, matches=matches, blocks=set())
                )
                self.pump.let_go(channel)
                self.plays_on, self._last = channel.paused, match.setup
                if process is not None and not channel.paused and not process.has_succeeded():
                    what = f"after `end` it {process.exit_status()}; that costs nothing"
                    self.find(*of_ending(what, rules.MORE_MATCHES, last_words(channel), self.step.title))

    async def converse(self, channel: Channel, setup: Setup, kept: PooledBot | None = None) -> TestMatch:
        """Play a match with this process, which lives on, and may have been `kept` after others.

        If such a process does not read `match`, as it may, the match `is_declined`: nothing was played.
        """
        if self._spent_s > LONG_S:
            setup = replace(setup, patience_s=min(setup.patience_s, IMPATIENCE_S))
        match = TestMatch(
            channel,
            setup,
            folder=self.spec.dir,
            check_rules=self.check_rules,
            announced=self.all_games,
            seed=f"{self.seed}/{setup.game.label}/{setup.salt}",
            matches_before=0 if kept is None else kept.matches,
        )
        if kept is not None:
            await self.pump.release(channel)
            match.is_declined = not await reads_on(channel, match.match_line())
            if match.is_declined:
                return match
        async with trio.open_nursery() as nursery:
            if setup.in_pieces or setup.is_apart:
                nursery.start_soon(match.write_pieces)
            await self.pump.converse(match.steps(None if kept is None else kept.ready), {setup.seat: channel})
            while match.has_pieces and not channel.has_ended():
                await trio.sleep(POLL_INTERVAL_S)
            nursery.cancel_scope.cancel()
        match.note_memory()
        if channel.process is not None:
            self.memory[channel.process.pid] += match.memory
        self._spent_s += match.thought_s
        return match

    async def part(self, channel: Channel, when: str = "") -> Farewell:
        """End the bot's input, and see whether and when it ends; it is gone when this returns.

        It is noted for the report if `when` says how far a match without a fault was.
        """
        process = channel.process
        status, is_right, seconds, tasks = "not started", True, 0.0, 1
        if process is not None:
            channel.release()
            is_early = process.has_exited()
            process.close_stdin()
            began = process.own_time_s()
            slow_ends = sum(not one.status for one in self.farewells)
            patience_s = SHORT_PATIENCE_S if slow_ends > 1 or not when else FAREWELL_S
            while not process.has_exited() and process.own_time_s() < began + patience_s:
                channel.read_rest()
                await trio.sleep(POLL_INTERVAL_S)
            seconds = process.own_time_s() - began
            channel.read_rest()
            if process.has_exited() and (commands := await self._left_by(process)):
                self._left.append(commands)
            status = process.exit_status() or ""
            is_right = process.has_succeeded() or (is_early and bool(when))
            holds = None if status else process.resource_usage()
            if holds is not None and self.confinement.isolation != "bwrap":  # what is around it counts too
                tasks = holds.tasks
        await channel.stop(patience_s=0.0)
        self.pump.let_go(channel)
        await end_orphans()
        stderr = last_words(channel)
        farewell = Farewell(when=when, seconds=seconds, status=status, is_right=is_right, tasks=tasks, stderr=stderr)
        if when:
            self.farewells.append(farewell)
        return farewell

    async def _left_by(self, process: BotProcess) -> tuple[str, ...]:
        """The commands of the processes that a bot which has ended leaves, after a moment for them to end as well."""
        end = trio.current_time() + DYING_S
        while left := left_by(process.pid):
            if trio.current_time() >= end:
                return tuple(sorted(command_of(pid) for pid in left))
            await trio.sleep(POLL_INTERVAL_S)
        return ()

    # Causes

    async def _look_for_the_cause(self, match: TestMatch, last: Setup | None) -> None:
        """Play a match with a fault again: first without what was special about it, then as it was.

        What was special is blamed only if the fault comes with it, and not without it. It is what the bot was tried
        with, or that its process had played another match before, which was `last`.
        """
        await self.close()
        setup = match.setup
        without = await self._play_anew(setup.plain(), is_last=True)
        if without.faults:
            self.gather(without)
            return
        if setup.about is not None and (await self._play_anew(setup, is_last=True)).faults:
            match.cause = (setup.trial, setup.about)
        elif last is not None and await self._fails_after(setup.plain(), last):
            match.cause = ("its process had played another match", rules.MORE_MATCHES)
        else:
            match.comes_and_goes = True

    async def _fails_after(self, setup: Setup, last: Setup) -> bool:
        """Whether the bot is at fault in a match if its process has played the `last` one before."""
        await self._play_anew(last, is_last=False)
        match = await self._play_on(setup)
        return match is not None and bool(match.faults)

    async def look_into_silence(self, match: TestMatch) -> None:
        """Find out why a bot wrote nothing. It is called when the bot writes no more."""
        match.note_rest()
        fault = next(iter(match.faults), None)
        if fault is None or fault.line or match.setup.about is not None:
            return
        if fault.mishap.kind == "start_timeout" and match.silence:
            in_blocks = replace(match.setup, alter=padded(Limits().line_bytes), answers=0)
            if (await self._play_anew(in_blocks, is_last=True)).ready is not None:
                match.silence = "reads_blocks"
        elif fault.mishap.kind == "timeout" and not fault.answers_before:
            apart = replace(match.setup, is_apart=True, answers=1)
            if (await self._play_anew(apart, is_last=True)).answered:
                match.silence = "loses_lines"

    # Findings

    def gather(self, match: TestMatch) -> None:
        """Take what came up in a match that is over."""
        match.note_rest()
        self.matches.append(match)
        self._note_shown(match)
        self.answered += [one for one in match.answered if one.action is not None]
        self.ready = match.ready or self.ready
        cut: Hashable = None
        overdue: Hashable = None
        for fault in match.faults:
            alike, finding = of_fault(fault, match)
            if cut is not None and fault.bad is not None:
                alike = cut  # the rest of a message that was written over several lines
            elif fault.bad is not None and fault.bad.code == "cut":
                cut = alike
            if fault.is_of_before and overdue is not None:
                alike = overdue  # what was wrong with that answer is known already
            elif fault.mishap.kind == "timeout":
                overdue = alike
            _blame(finding, match)
            self.find(alike, finding)
        for late in match.late_slaps:
            self.find(*of_late_slap(late, match))
        for stray in match.stray_lines:
            alike, finding = of_stray_line(stray, match)
            self.find(self._same(stray, finding) or alike, finding)
            if not stray.after:
                break  # its further lines come too early because of this one
        self._stop_if_hopeless()

    def _note_shown(self, match: TestMatch) -> None:
        for message in messages(match.tape.entries):
            self.shown.events.update(event["event"] for event in message.get("events", ()))
            if message["type"] == "request":
                self.shown.decisions[message["decision"]] += 1
                self.shown.kinds.update(offer["kind"] for offer in message["legal"])

    def _same(self, stray: StrayLine, finding: Finding) -> Hashable:
        """What this line has in common with a known finding; None where it is another mistake.

        Where `match` and `end` came together, it is not known which of them the line answers.
        """
        kinds = ("bad_message", "spare line") if stray.after == "match or end" else ("bad_message",)
        return next((key for key, one in self.found.items() if one.kind in kinds and one.rule == finding.rule), None)

    def _has_new_faults(self, match: TestMatch) -> bool:
        """Whether the bot was at fault in this match in a way that is not known yet."""
        return any(of_fault(fault, match)[0] not in self.found for fault in match.faults)

    def find(self, alike: Hashable, finding: Finding) -> None:
        """Add a finding, or count it where it has come up before."""
        if (known := self.found.get(alike)) is None:
            known = self.found[alike] = finding
            known.step = self.step.number
            self.step.has_news = True
        else:
            known.count += finding.count
            known.games.update(finding.games)
        self.note(alike)

    def warn(self, finding: Finding) -> None:
        """Add a warning that is about no single line, and came up in this step."""
        finding.where = finding.where or self.step.title
        self.find((finding.kind, finding.what), finding)

    def note(self, alike: Hashable) -> None:
        """Count a known finding for the step that is under way."""
        finding, number = self.found[alike], list(self.found).index(alike) + 1
        if number not in self.step.findings:
            self.step.findings.append(number)
        if self.step.verdict != "fail":
            self.step.verdict = finding.verdict

    def stop_if_faulty(self, why: str) -> None:
        """Try no further step if something is wrong with the bot already."""
        numbers = [f"[{number}]" for number, one in enumerate(self.found.values(), 1) if one.verdict == "fail"]
        if numbers and not self.stopped:
            self.stopped = f"{why}: put {', '.join(numbers)} right first"

    def _stop_if_hopeless(self) -> None:
        silent = sum(one.count for one in self.found.values() if one.kind in ("timeout", "closed_output"))
        if silent >= MOST_SILENT:
            self.stopped = f"the bot left {silent} requests unanswered"
        if sum(bool(one.faults or one.stray_lines) for one in self.matches) >= MOST_FAULTY:
            self.stop_if_faulty(f"the bot was at fault in {MOST_FAULTY} matches")
        took_s = trio.current_time() - (self._first_began or trio.current_time())
        if not self.stopped and took_s > self._most_s:
            self.lacks_time = True
            self.stopped = f"the check had taken {took_s:.0f} s, with {counted(self.starts, 'start')} of the bot"

    def report(self, *, seconds: float) -> Report:
        """All that has been found out, in a check that took so long."""
        verdicts = [step.verdict for step in self.steps]
        return Report(
            command=shlex.join(self.spec.command),
            folder=self.spec.dir,
            isolation=self.confinement.isolation,
            seed=self.seed,
            verdict="fail" if "fail" in verdicts else "warn" if "warn" in verdicts or self.untried else "pass",
            steps=self.steps,
            findings=list(self.found.values()),
            untried=self.untried,
            times=self.times,
            shown=self.shown,
            seconds=round(seconds, 3),
        )


def _blame(finding: Finding, match: TestMatch) -> None:
    """Add what a bot could not bear, or that it was at fault only once in the same match."""
    if match.cause is not None:
        trial, about = match.cause
        finding.what += f"; only where {trial}: without that the same match went well"
        finding.rule = finding.rule if finding.kind in OF_ITS_LINE else about
    elif match.comes_and_goes:
        finding.what += "; the same match went well when it was played again"
