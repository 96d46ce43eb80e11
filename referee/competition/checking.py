"""The check of a competition's bots: each in every game of it, under its isolation, clocks and limits, side by side.

What a check comes to is kept by content, so that a bot which has not changed is not checked again.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from referee import wall_clock
from referee.competition.terms import Terms, conditions_of, games_of, terms_of
from referee.entries.last_checks import CHECKS, content, keep, kept_as
from referee.kit.check.bench import Bench
from referee.kit.check.noted import Given
from referee.kit.check.report import Finding, Report, Verdict
from referee.kit.check.steps import check
from referee.play.faults import HostFault, advised
from referee.play.pump.pump import Pump
from referee.play.sandbox.system_info import cores
from referee.play.session import run_session
from referee.play.spec import MB, BotSpec
from referee.tournament.config.config import Config
from referee.versions.store import VersionStore
from referee.versions.version import version_of, version_on_disk

SEED = "1"
"""The deals of a check, as `golfref check CMD` has them by default."""

ATTEMPTS = 3
"""How often a check is begun that the host spoils."""

TIMED = frozenset(
    {"timeout", "start_timeout", "late slap", "slow answer", "slow start", "large part of the bank", "left behind"}
)
"""Kinds of findings that can come from what the machine did meanwhile for the other bots."""

NOT_ALL_TRIED = "not all was tried, for lack of time"

_FORMAT = "golfref-check-1"


class Slowest(Struct, frozen=True, kw_only=True):
    """The answer of a bot that took most of its time limit."""

    ms: float
    limit_ms: float
    decision: str
    game: str


class Memory(Struct, frozen=True, kw_only=True):
    """The most memory that a bot held, and in which game."""

    peak_mb: float
    game: str


class Checked(Struct, frozen=True, kw_only=True):
    """What the check of one version of a bot came to, as it is kept."""

    format: str = _FORMAT
    version: str
    """Whole."""
    when: str
    """The time in UTC, as `2026-11-23 04:50:07`."""
    terms: Terms
    report: Report
    slowest: Slowest | None = None
    """None where it gave no answer."""
    memory: Memory | None = None
    """None where the host does not tell."""
    worst_game: str = ""
    """The game with most faults; without any, that of the slowest answer."""
    side_by_side: int = 1
    """How many bots were checked at a time."""
    words: str = ""
    """What was found, in few words."""
    verdict: Verdict


class HostSpoiled(Struct, frozen=True, kw_only=True):
    """Why a bot could not be checked, which is not its fault."""

    problem: str


class OneBot(Struct, frozen=True, kw_only=True):
    """A bot of the competition with what its check came to."""

    bot: BotSpec
    version: str
    """Whole."""
    came_to: Checked | HostSpoiled
    is_new: bool
    """Whether it was checked now, and not found among what is kept."""
    has_changed: bool = False
    """Whether its files are others now than those that were checked."""

    @property
    def name(self) -> str:
        """The bot's name."""
        return self.bot.name


Tell = Callable[[OneBot, float], None]
"""Called with each bot that has been checked, and the seconds that it took."""


def check_bots(
    config: Config,
    bots: Sequence[BotSpec],
    *,
    again: bool = False,
    tell: Tell = lambda *_: None,
) -> list[OneBot]:
    """Check these bots of a competition, and keep what comes of it; returns them in this order.

    What is kept of a version under the same terms is taken, unless it is to be done `again`. Must run in the main
    thread, with all entries stored and built. Raises Interrupted, HostFault where no bot can be checked here, and
    NotWritten where nothing can be kept.
    """
    versions = VersionStore(config.folder)
    found: dict[str, OneBot] = {}
    missing: dict[str, list[BotSpec]] = {}
    for bot in bots:
        version = version_of(bot, config.folder)
        kept = None if again else kept_check(versions, version, terms_of(config, bot))
        if kept is None:
            missing.setdefault(version, []).append(bot)
        else:
            found[bot.name] = OneBot(bot=bot, version=version, came_to=kept, is_new=False)
            tell(found[bot.name], 0.0)
    if missing:
        checks = _Checks(config, missing, tell)
        run_session([checks.run])
        found |= checks.found
    return [found[bot.name] for bot in bots]


def kept_check(versions: VersionStore, version: str, terms: Terms) -> Checked | None:
    """What is kept of the check of this version under these very terms; None where nothing is."""
    with contextlib.suppress(msgspec.MsgspecError):
        data = content(kept_as(versions, CHECKS, version, _digest(terms)))
        kept = msgspec.json.decode(data, type=Checked, dec_hook=_counter)
        if kept.format == _FORMAT and kept.version == version and _digest(kept.terms) == _digest(terms):
            return kept
    return None


def _counter(kind: Any, given: Any) -> Any:
    """The one type of a report that is not known to JSON."""
    if getattr(kind, "__origin__", kind) is not Counter:
        raise NotImplementedError
    return Counter(given)


def _digest(terms: Terms) -> bytes:
    return msgspec.json.encode(terms, order="deterministic")


def _keep(versions: VersionStore, checked: Checked) -> None:
    keep(kept_as(versions, CHECKS, checked.version, _digest(checked.terms)), msgspec.json.encode(checked))


class _Checks:
    """Versions that are checked in one session: side by side, and then one at a time those that were late or slow."""

    def __init__(self, config: Config, bots: Mapping[str, Sequence[BotSpec]], tell: Tell) -> None:
        """`bots` has by version all bots that are of it, of which the first is checked."""
        self._config, self._bots, self._tell = config, bots, tell
        self._side_by_side = min(cores(), len(bots))
        self.found: dict[str, OneBot] = {}
        """By name what each bot came to."""

    async def run(self, pump: Pump) -> None:
        """Check all of them."""
        places = trio.CapacityLimiter(self._side_by_side)
        alone: list[str] = []

        async def one(version: str) -> None:
            async with places:
                began = trio.current_time()
                came_to = await self._checked(pump, version, self._side_by_side)
            if self._side_by_side > 1 and isinstance(came_to, Checked) and _is_timed(came_to):
                alone.append(version)
            else:
                self._note(version, came_to, trio.current_time() - began)

        async with trio.open_nursery() as nursery:
            for version in self._bots:
                nursery.start_soon(one, version)
        for version in alone:
            began = trio.current_time()
            came_to = await self._checked(pump, version, 1)
            self._note(version, came_to, trio.current_time() - began)

    def _note(self, version: str, came_to: Checked | HostSpoiled, seconds: float) -> None:
        """Keep what a version came to, and tell it of each bot that is of it."""
        has_changed = False
        for bot in self._bots[version]:
            changed = self._version_now(bot) != version
            one = OneBot(bot=bot, version=version, came_to=came_to, is_new=True, has_changed=changed)
            has_changed |= changed and not bot.entry
            self.found[bot.name] = one
            self._tell(one, seconds)
        if isinstance(came_to, Checked) and not has_changed:
            _keep(VersionStore(self._config.folder), came_to)

    def _version_now(self, bot: BotSpec) -> str:
        """The version of the files of a bot as they are now; of an entry, those in its own folder."""
        entry = next((one for one in self._config.entries if one.name == bot.name), None)
        if entry is None:
            return version_on_disk(bot, self._config.folder)
        return version_on_disk(replace(bot, dir=entry.folder), self._config.folder, entry.build)

    async def _checked(self, pump: Pump, version: str, side_by_side: int) -> Checked | HostSpoiled:
        problem = ""
        for _ in range(ATTEMPTS):
            checked = None
            try:
                checked = await _check_one(pump, self._config, self._bots[version][0], version, side_by_side)
            except* HostFault as faults:
                problem = advised(first_of(faults))
            if checked is not None:
                return checked
        return HostSpoiled(problem=problem)


def first_of(group: BaseExceptionGroup[HostFault]) -> HostFault:
    """The first fault of a group."""
    inner = group.exceptions[0]
    return first_of(inner) if isinstance(inner, BaseExceptionGroup) else inner


async def _check_one(pump: Pump, config: Config, bot: BotSpec, version: str, side_by_side: int) -> Checked:
    bench = Bench(
        pump,
        bot,
        config.confinement,
        games=tuple(games_of(config)),
        options=(),
        seed=SEED,
        conditions=conditions_of(config, bot),
    )
    began = trio.current_time()
    await check(bench, lambda: None)
    report = bench.report(seconds=trio.current_time() - began)
    slowest, memory = _slowest(bench), _memory(bench)
    return Checked(
        version=version,
        when=wall_clock.stamp(),
        terms=terms_of(config, bot),
        report=report,
        slowest=slowest,
        memory=memory,
        worst_game=_worst_game(bench, slowest),
        side_by_side=side_by_side,
        words="; ".join(filter(None, (in_few_words(report.findings), NOT_ALL_TRIED if report.untried else ""))),
        verdict=report.verdict,
    )


def in_few_words(findings: Sequence[Finding]) -> str:
    """What was found, the failures first: `fail: timeout (6 times), crashed; warn: late slap`."""
    parts = []
    for verdict in ("fail", "warn"):
        counts = Counter[str]()
        for finding in findings:
            if finding.verdict == verdict:
                counts[finding.kind] += finding.count
        told = [kind + (f" ({count} times)" if count > 1 else "") for kind, count in counts.items()]
        parts += [f"{verdict}: {', '.join(told)}"] if told else []
    return "; ".join(parts)


def _is_timed(checked: Checked) -> bool:
    return any(finding.kind in TIMED for finding in checked.report.findings)


def _slowest(bench: Bench) -> Slowest | None:
    clocks = bench.conditions.clocks

    def limit_ms(given: Given) -> float:
        return 1000 * (clocks.slap_s if given.ask.decision == "slap" else clocks.move_s)

    answers = [(one.game_to_try.label, given) for one in bench.sittings for given in one.given]
    if not answers:
        return None
    game, worst = max(answers, key=lambda pair: pair[1].elapsed_us / limit_ms(pair[1]))
    return Slowest(
        ms=round(worst.elapsed_us / 1000, 3), limit_ms=limit_ms(worst), decision=worst.ask.decision, game=game
    )


def _memory(bench: Bench) -> Memory | None:
    most = max(bench.sittings, key=lambda one: one.peak_bytes, default=None)
    if most is None or not most.peak_bytes:
        return None
    return Memory(peak_mb=round(most.peak_bytes / MB, 1), game=most.game_to_try.label)


def _worst_game(bench: Bench, slowest: Slowest | None) -> str:
    faults = Counter[str]()
    for finding in _worst_of(bench.found.values()):
        faults.update(finding.games)
    return faults.most_common(1)[0][0] if faults else "" if slowest is None else slowest.game


def _worst_of(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The failures, or where there are none the warnings."""
    every = [*findings]
    yield from [finding for finding in every if finding.verdict == "fail"] or every
