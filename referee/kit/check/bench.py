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
from referee.kit.check.conditions import BY_THE_BOOK, Conditions
from referee.kit.check.findings import of_late, of_left, of_slip, of_spare
from referee.kit.check.games import GameToTry
from referee.kit.check.noted import Given, Slip
from referee.kit.check.report import Finding, Outcome, Report, Times
from referee.kit.check.rules import Rule
from referee.kit.check.sitting import AS_ALWAYS, LOOK_S, Manner, Sitting
from referee.kit.check.tape import Shown, Tape
from referee.play.bot.channel import Channel
from referee.play.bot.ending import end_orphans
from referee.play.bot.orphans import left_by
from referee.play.bot.pool import reads_on
from referee.play.bot.process import FAREWELL_S, BotProcess
from referee.play.bot.procfs import command_of
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
"""When processes of the bot have lived so long in all, no further step begins: a bot that takes seconds for each of its
many starts would else be checked for a quarter of an hour."""

SHORT_PATIENCE_S = 0.05
"""How long a bot may take to end that has been found before not to end by itself."""

DYING_S = 0.05
"""How long what a bot has started may take to end after the bot. The warden, which kills it, looks each 0.1 s."""


class Farewell(Struct, frozen=True, kw_only=True):
    """How a process ended when its input ended."""

    seconds: float
    status: str
    """How it ended, in words; empty where it had to be killed."""
    is_early: bool = False
    """Whether it had ended before its input did."""
    tasks: int = 1
    """Where it had to be killed, in no cell: how many threads it and what it had started had."""


class Bench:
    """A bot under check."""

    def __init__(  # noqa: PLR0913 - what is asked for on the command line
        self,
        pump: Pump,
        spec: BotSpec,
        confinement: Confinement,
        *,
        games: Sequence[GameToTry],
        options: Sequence[GameToTry],
        seed: str,
        conditions: Conditions = BY_THE_BOOK,
    ) -> None:
        self.pump, self.spec, self.confinement = pump, spec, confinement
        self.games = games
        """The presets that are played."""
        self.options = options
        """What is played with other options."""
        self.seed, self.conditions = seed, conditions
        self.outcome = Outcome(number=0, title="")
        """The step that is under way."""
        self.outcomes: list[Outcome] = []
        """All steps that have begun."""
        self.times: dict[str, Times] = {}
        """By decision how long answers took."""
        self._began = 0.0
        self._started_s = 0.0
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
        self.lived_s = 0.0
        """How long its processes have lived, one after the other."""
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

    def end(self) -> None:
        """End the step."""
        for commands in self._left:
            self.find(*of_left(commands, self.outcome.title))
        self._left = []
        self.outcome.seconds = round(trio.current_time() - self._began, 3)

    @property
    def all_games(self) -> list[GameToTry]:
        """All that is played, each under its label."""
        return [*self.games, *self.options]

    async def sit(self, game: GameToTry, manner: Manner = AS_ALWAYS, *, seat: int = 0, salt: str = "") -> Sitting:
        """Play a match with a new process of the bot, which has ended when this returns."""
        channel = await self.start()
        try:
            sitting = await self.play(channel, game, manner, seat=seat, salt=salt)
        finally:
            with trio.CancelScope(shield=True):
                await self.part(channel)
        self.gather(sitting)
        return sitting

    async def start(self) -> Channel:
        """A new process of the bot."""
        self._started_s = trio.current_time()
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
            conditions=self.conditions,
            announced=self.all_games,
            seed=seed,
            seat=seat,
            manner=manner,
            matches_before=matches_before,
        )
        if known is not None and not await reads_on(channel, sitting.match_line()):
            sitting.is_declined = True
            return sitting
        async with trio.open_nursery() as nursery:
            if manner.in_pieces:
                nursery.start_soon(sitting.write_pieces)
            await self.pump.converse(sitting.steps(known), {seat: channel})
            while sitting.has_pieces and not channel.has_ended():
                await trio.sleep(LOOK_S)
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
            holds = None if status else process.holdings()
            is_cell = self.confinement.isolation == "bwrap"  # what is around it counts too
            tasks = 1 if holds is None or is_cell else holds.tasks
            farewell = Farewell(seconds=seconds, status=status, is_early=is_early, tasks=tasks)
        await channel.stop(patience_s=0.0)
        self.pump.let_go(channel)
        await end_orphans()
        self.slow_to_end += not farewell.status
        self.farewells.append(farewell)
        self.lived_s += trio.current_time() - self._started_s
        return farewell

    async def _left_by(self, process: BotProcess) -> tuple[str, ...]:
        """The commands of the processes that a bot which has ended leaves, after a moment for them to end as well."""
        end = trio.current_time() + DYING_S
        while left := left_by(process.pid):
            if trio.current_time() >= end:
                return tuple(sorted(command_of(pid) for pid in left))
            await trio.sleep(LOOK_S)
        return ()

    def report(self, *, seconds: float) -> Report:
        """All that has been found out, in a check that took so long."""
        verdicts = [outcome.verdict for outcome in self.outcomes]
        return Report(
            command=shlex.join(self.spec.command),
            folder=self.spec.dir,
            isolation=self.confinement.isolation,
            seed=self.seed,
            verdict="fail" if "fail" in verdicts else "warn" if "warn" in verdicts else "pass",
            steps=self.outcomes,
            findings=list(self.found.values()),
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
            self._blame_trial(finding, slip, sitting)
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

    def _blame_trial(self, finding: Finding, slip: Slip, sitting: Sitting) -> None:
        """Say what a bot could not bear. A finding that has come up before, without that, stays as it was told then."""
        if (about := sitting.manner.about) is None:
            return
        if not self._could_before(slip, sitting):
            finding.what += f"; in this match {sitting.manner.trial}"
            return
        finding.what += f"; this did not happen before {sitting.manner.trial}"
        if finding.kind not in ("bad_message", "illegal_action", "line_too_long"):
            finding.rule = about

    def _could_before(self, slip: Slip, sitting: Sitting) -> bool:
        """Whether the bot was right before in what it is at fault with in this match.

        After an illegal answer that is so if it has answered a question of that kind in the same game in another match:
        one about the same decision, with the same kinds of action. Other faults are not about a single question.
        """
        if (ask := slip.ask) is None or slip.mishap.kind != "illegal_action":
            return True
        kinds = {offer.kind for offer in ask.offers}
        return any(
            given.action is not None
            and given.ask.decision == ask.decision
            and {offer.kind for offer in given.ask.offers} == kinds
            for one in self.sittings
            if one is not sitting and one.game_to_try.label == sitting.game_to_try.label
            for given in one.given
        )

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
        if self.lived_s > MOST_S and not self.stopped:
            self.stopped = f"the bot had taken {self.lived_s:.0f} s in all, from its starts to its ends"
            starts = len(self.farewells)
            what = f"{self.stopped}, in {starts} starts; the rest was not tried, so it may be wrong in that"
            self.warn("much time", what, rules.START_CLOCK, right="start, answer and end sooner")
