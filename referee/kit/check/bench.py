"""Where a bot is checked: it starts processes of the bot, plays matches with them, and gathers what is wrong.

The steps decide what is played; whatever goes wrong in it is found here, in the same way for all of them.
"""

import shlex
from collections.abc import Hashable, Sequence

import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Limits, Ready
from referee.kit.check import rules
from referee.kit.check.check_rules import BY_THE_BOOK, CheckRules
from referee.kit.check.findings import of_late, of_left, of_slip, of_spare
from referee.kit.check.games import GameToTry
from referee.kit.check.lines import padded
from referee.kit.check.noted import Blamed, Given
from referee.kit.check.report import Finding, Outcome, Report, Times, counted
from referee.kit.check.rules import Rule
from referee.kit.check.sitting import AS_ALWAYS, POLL_INTERVAL_S, Manner, Sitting
from referee.kit.check.tape import Shown, Tape
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

FRUITLESS = 3
"""The check ends when so many matches have had no legal answer at all."""

LONG_S = 25.0
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
    """How a process ended when its input ended."""

    seconds: float
    status: str
    """How it ended, in words; empty where it had to be killed."""
    is_early: bool = False
    """Whether it had ended before its input did."""
    tasks: int = 1
    """Where it had to be killed, in no cell: how many threads it and what it had started had."""


class Trial(Struct, frozen=True, kw_only=True):
    """A match as it is played with the bot, and may be played again."""

    game: GameToTry
    manner: Manner
    seat: int = 0
    salt: str = ""


class Bench:
    """A bot under check. Its matches are played in one process as long as it plays on in that, and without a fault."""

    def __init__(  # noqa: PLR0913 - what is asked for on the command line
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
        """After `most_s` nothing more begins."""
        self.pump, self.spec, self.confinement = pump, spec, confinement
        self.games = games
        """The presets that are played."""
        self.options = options
        """What is played with other options."""
        self.seed, self.check_rules = seed, check_rules
        self.outcome = Outcome(number=0, title="")
        """The step that is under way."""
        self.outcomes: list[Outcome] = []
        """All steps that have begun."""
        self.times: dict[str, Times] = {}
        """By decision how long answers took."""
        self._most_s = most_s
        self._began = 0.0
        self._first_began: float | None = None
        self.play_on = set[str]()
        """The bot's name, once one of its processes has played a second match."""
        self._pool = Pool(self.play_on)
        self._plays_on = check_rules.reuses
        """Whether further matches are played in the process of the last one."""
        self._last: Trial | None = None
        """The last match of the process that waits."""
        self.found: dict[Hashable, Finding] = {}
        """What is wrong, in the order in which it came up."""
        self.sittings: list[Sitting] = []
        self.farewells: list[Farewell] = []
        self.shown = Shown()
        self.given: list[Given] = []
        """All answers that were right."""
        self.ready: Ready | None = None
        self.stopped = ""
        """Why no further step is tried; empty as long as they are."""
        self.is_about_ends = False
        """Whether the step that is under way is about how the bot ends, so that it is given all its time."""
        self.spent_s = 0.0
        """How long the bot has thought in all matches."""
        self.starts = 0
        """How often it has been started."""
        self.lacks_time = False
        """Whether the check has taken all of its time, so that the rest is not tried."""
        self.slow_to_end = 0
        """How often it did not end by itself."""
        self.answered_bytes = 0
        """The length of the longest line that it has answered."""
        self._left: list[tuple[str, ...]] = []
        """The commands of what lived on when the bot had ended, for each time in the step that is under way."""

    def begin(self, number: int, title: str) -> None:
        """Begin a step."""
        self.outcome = Outcome(number=number, title=title)
        self.outcomes.append(self.outcome)
        self._began = trio.current_time()
        self._first_began = self._first_began or self._began

    def end(self) -> None:
        """End the step."""
        for commands in self._left:
            self.find(*of_left(commands, self.outcome.title))
        self._left = []
        self.outcome.seconds = round(trio.current_time() - self._began, 3)

    @property
    def untried(self) -> list[int]:
        """The numbers of the steps that were not tried because the check had taken all of its time."""
        return [one.number for one in self.outcomes if self.lacks_time and one.summary == self.stopped]

    @property
    def all_games(self) -> list[GameToTry]:
        """All that is played, each under its label."""
        return [*self.games, *self.options]

    async def sit(
        self,
        game: GameToTry,
        manner: Manner = AS_ALWAYS,
        *,
        seat: int = 0,
        salt: str = "",
        is_new: bool = False,
    ) -> Sitting:
        """Play a match. With `is_new` the bot's process is a new one, and has ended when this returns."""
        trial = Trial(game=game, manner=manner, seat=seat, salt=salt)
        last, sitting = None, None
        if not is_new and (kept := await self._pool.take(self.spec.name, -1)) is not None:
            last, sitting = self._last, await self._sit_again(trial, kept)
        if sitting is None:
            last, sitting = None, await self._sit_anew(trial, is_last=is_new)
        if self.has_new_slips(sitting):
            await self.look_into_silence(sitting, trial)
            if trial.manner.about is not None or last is not None:
                await self.look_for_the_cause(sitting, trial, last)
        self.gather(sitting)
        return sitting

    async def close(self) -> None:
        """End the process that waits for a further match, if there is one."""
        with trio.CancelScope(shield=True):
            if (kept := await self._pool.take(self.spec.name, -1)) is not None:
                await self.part(self.pump.admit(self._channel_of(kept)))

    def _channel_of(self, kept: PooledBot) -> Channel:
        return Channel(self.spec, self.confinement, Limits(), kept.channel.process)

    async def _sit_anew(self, trial: Trial, *, is_last: bool) -> Sitting:
        """Play a match with a new process, which is kept for further ones unless this is its last."""
        channel = await self.start()
        try:
            sitting = await self.play(channel, trial.game, trial.manner, seat=trial.seat, salt=trial.salt)
        except BaseException:
            with trio.CancelScope(shield=True):
                await self.part(channel)
            raise
        await self._keep(channel, sitting, trial, matches=1, is_last=is_last)
        return sitting

    async def _sit_again(self, trial: Trial, kept: PooledBot) -> Sitting | None:
        """Play a match with a process that has played before; None where it has ended."""
        channel = self.pump.admit(self._channel_of(kept))
        sitting: Sitting | None = None
        try:
            sitting = await self.play(
                channel,
                trial.game,
                trial.manner,
                seat=trial.seat,
                salt=trial.salt,
                known=kept.ready,
                matches_before=kept.matches,
            )
        finally:
            if sitting is None or sitting.is_declined:
                with trio.CancelScope(shield=True):
                    await self.part(channel)
        if sitting.is_declined:
            self._plays_on = False
            return None
        await self._keep(channel, sitting, trial, matches=kept.matches + 1)
        return sitting

    async def _keep(
        self, channel: Channel, sitting: Sitting, trial: Trial, *, matches: int, is_last: bool = False
    ) -> None:
        """Keep a process for a further match, or end it."""
        ready = sitting.ready
        with trio.CancelScope(shield=True):
            if is_last or ready is None or sitting.slips or sitting.broken_off or not self._plays_on:
                await self.part(channel)
                return
            bot = PooledBot(bot=self.spec.name, channel=channel, ready=ready, matches=matches, blocks=set())
            await self._pool.keep(bot)
            self.pump.let_go(channel)
            self._plays_on = channel.paused
            self._last = trial

    async def look_for_the_cause(self, sitting: Sitting, trial: Trial, last: Trial | None) -> None:
        """Play a match with a fault again: first without what was special about it, then as it was.

        What was special is blamed only if the fault comes with it, and not without it. It is what the bot was tried
        with, or that its process had played another match before, which was `last`.
        """
        await self.close()
        plain = replace(trial, manner=trial.manner.plain())
        without = await self._sit_anew(plain, is_last=True)
        if without.slips:
            self.gather(without)
            return
        if (about := trial.manner.about) is not None and (await self._sit_anew(trial, is_last=True)).slips:
            sitting.blamed = Blamed(trial=trial.manner.trial, about=about)
        elif last is not None and await self._fails_after(plain, last):
            sitting.blamed = Blamed(trial="its process had played another match", about=rules.MORE_MATCHES)
        else:
            sitting.comes_and_goes = True

    async def look_into_silence(self, sitting: Sitting, trial: Trial) -> None:
        """Find out what a bot that said nothing would have needed. It is called when the bot writes no more."""
        sitting.note_rest()
        slip = next(iter(sitting.slips), None)
        if slip is None or slip.line or trial.manner.about is not None:
            return
        if slip.mishap.kind == "start_timeout" and sitting.keeps_back:
            in_blocks = Manner(alter=padded(Limits().line_bytes), answers=0)
            again = await self._sit_anew(replace(trial, manner=in_blocks), is_last=True)
            sitting.reads_blocks = again.ready is not None
        elif slip.mishap.kind == "timeout" and not slip.answered_bytes:
            again = await self._sit_anew(replace(trial, manner=Manner(is_apart=True, answers=1)), is_last=True)
            sitting.loses_lines = bool(again.given)

    async def _fails_after(self, trial: Trial, last: Trial) -> bool:
        """Whether the bot is at fault in a match if its process has played the `last` one before."""
        await self._sit_anew(last, is_last=False)
        if (kept := await self._pool.take(self.spec.name, -1)) is None:
            return False
        sitting = await self._sit_again(trial, kept)
        return sitting is not None and bool(sitting.slips)

    async def start(self) -> Channel:
        """A new process of the bot."""
        self.starts += 1
        channel = await self.pump.start_bot(self.spec, self.confinement, Limits())
        channel.inbox = Tape(Limits())
        return channel

    async def play(  # noqa: PLR0913 - what differs from match to match
        self,
        channel: Channel,
        game: GameToTry,
        manner: Manner = AS_ALWAYS,
        *,
        seat: int = 0,
        salt: str = "",
        known: Ready | None = None,
        matches_before: int = 0,
    ) -> Sitting:
        """Play a match with this process, which lives on."""
        seed = f"{self.seed}/{game.label}/{salt}"
        if self.spent_s > LONG_S:
            manner = replace(manner, patience_s=min(manner.patience_s, IMPATIENCE_S))
        sitting = Sitting(
            channel,
            game,
            folder=self.spec.dir,
            check_rules=self.check_rules,
            announced=self.all_games,
            seed=seed,
            seat=seat,
            manner=manner,
            matches_before=matches_before,
        )
        if known is not None:
            await self.pump.release(channel)
            sitting.is_declined = not await reads_on(channel, sitting.match_line())
            if sitting.is_declined:
                return sitting
        async with trio.open_nursery() as nursery:
            if manner.in_pieces or manner.is_apart:
                nursery.start_soon(sitting.write_pieces)
            await self.pump.converse(sitting.steps(known), {seat: channel})
            while sitting.has_pieces and not channel.has_ended():
                await trio.sleep(POLL_INTERVAL_S)
            nursery.cancel_scope.cancel()
        sitting.note_memory()
        self.spent_s += sitting.thought_s
        return sitting

    async def part(self, channel: Channel) -> Farewell:
        """End the bot's input, and see whether and when it ends; it is gone when this returns."""
        process = channel.process
        patience_s = SHORT_PATIENCE_S if self.slow_to_end > 1 and not self.is_about_ends else FAREWELL_S
        farewell = Farewell(seconds=0.0, status="not started")
        if process is not None:
            channel.release()
            is_early = process.has_exited()
            process.close_stdin()
            began = process.own_time_s()
            while not process.has_exited() and process.own_time_s() < began + patience_s:
                channel.read_rest()
                await trio.sleep(0.001)
            seconds = process.own_time_s() - began
            channel.read_rest()
            if process.has_exited() and (commands := await self._left_by(process)):
                self._left.append(commands)
            status = process.exit_status() or ""
            holds = None if status else process.resource_usage()
            is_cell = self.confinement.isolation == "bwrap"  # what is around it counts too
            tasks = 1 if holds is None or is_cell else holds.tasks
            farewell = Farewell(seconds=seconds, status=status, is_early=is_early, tasks=tasks)
        await channel.stop(patience_s=0.0)
        self.pump.let_go(channel)
        await end_orphans()
        self.slow_to_end += not farewell.status
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

    def report(self, *, seconds: float) -> Report:
        """All that has been found out, in a check that took so long."""
        verdicts = [outcome.verdict for outcome in self.outcomes]
        return Report(
            command=shlex.join(self.spec.command),
            folder=self.spec.dir,
            isolation=self.confinement.isolation,
            seed=self.seed,
            verdict="fail" if "fail" in verdicts else "warn" if "warn" in verdicts or self.untried else "pass",
            steps=self.outcomes,
            findings=list(self.found.values()),
            untried=self.untried,
            times=self.times,
            shown={
                "decisions": dict(self.shown.decisions),
                "kinds": dict(self.shown.kinds),
                "events": dict(self.shown.events),
            },
            seconds=round(seconds, 3),
        )

    # What is wrong

    def gather(self, sitting: Sitting) -> None:
        """Take what came up in a match that is over."""
        sitting.note_rest()
        self.sittings.append(sitting)
        self.shown.note(sitting.tape)
        self.given += [given for given in sitting.given if given.action is not None]
        self.ready = sitting.ready or self.ready
        cut: Hashable = None
        overdue: Hashable = None
        for slip in sitting.slips:
            alike, finding = of_slip(slip, sitting, self.answered_bytes)
            if cut is not None and slip.mishap.kind == "bad_message":
                alike = cut  # the rest of a message that was written over several lines
            elif "the line ends too early" in slip.mishap.detail:
                cut = alike
            if slip.is_of_before and overdue is not None:
                alike = overdue  # what was wrong with that answer is told already
            elif slip.mishap.kind == "timeout":
                overdue = alike
            _blame(finding, sitting)
            self.find(alike, finding)
        self.answered_bytes = max(self.answered_bytes, sitting.answered_bytes)
        for late in sitting.late:
            self.find(*of_late(late, sitting))
        for spare in sitting.spare:
            if spare.after == "match or end" and any(
                one.kind in ("spare line", "bad_message") for one in self.found.values()
            ):
                continue  # which of them it answers has come to light before, where they did not come together
            self.find(*of_spare(spare, sitting))
        self._stop_if_hopeless()

    def has_new_slips(self, sitting: Sitting) -> bool:
        """Whether the bot was at fault in this match in a way that is not known yet."""
        return any(of_slip(slip, sitting, self.answered_bytes)[0] not in self.found for slip in sitting.slips)

    def find(self, alike: Hashable, finding: Finding) -> None:
        """Add a finding, or count it where it has come up before."""
        if (known := self.found.get(alike)) is None:
            known = self.found[alike] = finding
            known.step = self.outcome.number
            self.outcome.has_news = True
        else:
            known.count += finding.count
            known.games.update(finding.games)
        self.note(alike)

    def warn(  # noqa: PLR0913 - what a finding has
        self,
        kind: str,
        what: str,
        rule: Rule,
        *,
        right: str = "",
        where: str = "",
        stderr: tuple[str, ...] = (),
        stderr_is_beginning: bool = False,
    ) -> None:
        """Add a warning that is about no single line."""
        found = Finding(
            verdict="warn",
            kind=kind,
            what=what,
            where=where or self.outcome.title,
            rule=rule,
            right=right,
            stderr=stderr,
            stderr_is_beginning=stderr_is_beginning,
        )
        self.find((kind, what), found)

    def note(self, alike: Hashable) -> None:
        """Count a known finding for the step that is under way."""
        finding, number = self.found[alike], list(self.found).index(alike) + 1
        if number not in self.outcome.findings:
            self.outcome.findings.append(number)
        if self.outcome.verdict != "fail":
            self.outcome.verdict = finding.verdict

    def _stop_if_hopeless(self) -> None:
        silent = sum(one.count for one in self.found.values() if one.kind in ("timeout", "closed_output"))
        if silent >= MOST_SILENT:
            self.stopped = f"the bot left {silent} requests unanswered"
        played = [one for one in self.sittings if one.ready is not None and one.manner.answers]
        if len(played) >= FRUITLESS and not self.given:
            self.stopped = f"the bot gave no legal answer in {len(played)} matches"
        if not self.stopped and self._first_began is not None and self._took_s() > self._most_s:
            self.lacks_time, starts = True, counted(self.starts, "start")
            self.stopped = f"the check had taken {self._took_s():.0f} s, with {starts} of the bot"

    def _took_s(self) -> float:
        return trio.current_time() - (self._first_began or 0.0)


def _blame(finding: Finding, sitting: Sitting) -> None:
    """Say what a bot could not bear, or that it was at fault only once in the same match."""
    if (blamed := sitting.blamed) is not None:
        finding.what += f"; only where {blamed.trial}: without that the same match went well"
        finding.rule = finding.rule if finding.kind in OF_ITS_LINE else blamed.about
    elif sitting.comes_and_goes:
        finding.what += "; the same match went well when it was played again"
