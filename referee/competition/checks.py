"""The check of a competition's bots: each in every game of it, under its isolation, clocks and limits.

As many bots are checked at a time as the competition plays matches. Results are cached by content, so that a bot which
has not changed is not checked again.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import trio
from msgspec import Struct, to_builtins

from referee import __version__, wall_clock
from referee.bot_check.games import CheckRules, GameToTry, some_games
from referee.bot_check.report import Finding, Report, Verdict
from referee.bot_check.run import CheckRun
from referee.bot_check.steps import check
from referee.bot_check.test_match import Answered
from referee.new_file import new_file, refusal
from referee.play.faults import HostFault, advised
from referee.play.pump.pump import Pump
from referee.play.sandbox.system_info import cores
from referee.play.session import run_session
from referee.play.spec import MB, BotSpec
from referee.tournament.config.config import Config
from referee.tournament.plan.planned_match import for_blocks
from referee.versions.store import VersionStore
from referee.versions.version import checked_version, is_version, version_of, version_on_disk

SEED = "1"
"""The deals of a check, as `golfref check CMD` has them by default."""

ATTEMPTS = 3
"""How often a check is begun that the host spoils."""

NOT_ALL_TRIED = "not all was tried, for lack of time"

_CHANGED = "its files changed while it was checked; let nobody write to them"

_CHECKS = "checks"
"""The folder beside the versions in which results are cached."""

_MOST_BYTES = 64 << 20
"""No longer file is read."""

T = TypeVar("T")


# Rules and results


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


class CheckResult(Struct, frozen=True, kw_only=True):
    """The result of the check of a version, as it is cached."""

    when: str
    """The time in UTC, as `2026-11-23 04:50:07`."""
    report: Report
    slowest: Slowest | None = None
    """None where it gave no answer."""
    memory: Memory | None = None
    """None where the host does not tell."""
    worst_game: str = ""
    """The game with most faults; without any, that of the slowest answer."""
    words: str = ""
    """What was found, in few words."""
    verdict: Verdict

    @property
    def failures(self) -> str:
        """The part of `words` with the failures: `timeout (6 times), crashed`."""
        return self.words.partition("; warn: ")[0].removeprefix("fail: ")


class LastCheck(Struct, frozen=True, kw_only=True):
    """The part of a result that a list of entries shows."""

    verdict: Verdict
    when: str
    words: str = ""


class HostSpoiled(Struct, frozen=True, kw_only=True):
    """Why a bot could not be checked, which is not its fault."""

    problem: str


class OneBot(Struct, frozen=True, kw_only=True):
    """A bot of the competition with the result of its check."""

    bot: BotSpec
    version: str
    """Whole."""
    came_to: CheckResult | HostSpoiled
    is_new: bool
    """Whether it was checked now, and the result was not in the cache."""

    @property
    def name(self) -> str:
        """The bot's name."""
        return self.bot.name


def games_of(config: Config) -> tuple[GameToTry, ...]:
    """The games of a competition, as a check plays them."""
    return tuple(
        GameToTry(label=one.name, preset=one.variant.preset, changes={}, seats=one.seats, given=for_blocks(one.variant))
        for one in config.variants
    )


def check_rules(config: Config, bot: BotSpec) -> CheckRules:
    """The rules of a competition, for a bot that may have time limits of its own.

    The largest tables are those of the competition.
    """
    games = games_of(config)
    most = max(game.seats for game in games)
    return CheckRules(
        clocks=bot.clocks or config.clocks,
        faults=config.faults,
        positions=games,
        tries=1,
        crowds=some_games([game for game in games if game.seats == most], 2),
        only_these=True,
        reuses=config.reuse != "match",
    )


# The cache


def cache_file(config: Config, bot: BotSpec, more: object = None) -> Path:
    """The file for the result of a bot: by its version, and by all else on which the result depends besides luck.

    `more` is what the result depends on besides the competition. Raises BadVersion.
    """
    games = [
        (one.name, one.variant.preset, one.seats, to_builtins(for_blocks(one.variant).own_options()))
        for one in config.variants
    ]
    clocks = bot.clocks or config.clocks
    rules = [__version__, config.isolation, config.limits, clocks, config.faults, config.reuse, games, more]
    digest = sha256(msgspec.json.encode(rules, order="deterministic")).hexdigest()[:16]
    version, folder = version_of(bot, config.folder), VersionStore(config.folder).folder
    return folder / _CHECKS / f"{checked_version(version)}-{digest}.json"


def cached(path: Path, kind: type[T]) -> T | None:
    """The result in such a file; None where there is none that can be read."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        if path.stat().st_size <= _MOST_BYTES:
            return msgspec.json.decode(path.read_bytes(), type=kind, dec_hook=_counter)
    return None


def _counter(kind: Any, given: Any) -> Any:
    """The one type of a report that is not known to JSON."""
    if getattr(kind, "__origin__", kind) is not Counter:
        raise NotImplementedError
    return Counter(given)


def keep(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all, and the folder in which it lies. Raises NotWritten."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(f"{path.parent}: the folder cannot be made", error) from None
    with new_file(path, replaces=True) as file:
        file.write(data)


def last_check(versions: VersionStore, version: str) -> LastCheck | None:
    """The result of the last check of this version, by whatever rules; None where none is cached."""
    if not is_version(version):
        return None
    files = (versions.folder / _CHECKS).glob(f"{version}-*.json")
    found = [one for path in files if (one := cached(path, LastCheck)) is not None]
    return max(found, key=lambda one: one.when, default=None)


# The checks


Tell = Callable[[OneBot, float], None]
"""Called with each bot that has been checked, and the seconds that it took."""


def check_bots(
    config: Config,
    bots: Sequence[BotSpec],
    *,
    again: bool = False,
    tell: Tell = lambda *_: None,
) -> list[OneBot]:
    """Check these bots of a competition, unless the result is cached and `again` is not given; returns them in order.

    Must run in the main thread, with all entries stored and built. Raises Interrupted, HostFault where no bot can be
    checked here, and NotWritten where no result can be cached.
    """
    found: dict[str, OneBot] = {}
    missing: dict[Path, list[BotSpec]] = {}
    for bot in bots:
        file = cache_file(config, bot)
        result = None if again else cached(file, CheckResult)
        if result is None:
            missing.setdefault(file, []).append(bot)
        else:
            found[bot.name] = OneBot(bot=bot, version=version_of(bot, config.folder), came_to=result, is_new=False)
            tell(found[bot.name], 0.0)

    async def run(pump: Pump) -> None:
        places = trio.CapacityLimiter(min(cores(), config.jobs))

        async def one(file: Path, alike: Sequence[BotSpec]) -> None:
            version = version_of(alike[0], config.folder)
            async with places:
                began = trio.current_time()
                came_to = await _checked(pump, config, alike[0], version)
            if isinstance(came_to, CheckResult):
                keep(file, msgspec.json.encode(came_to))
            for bot in alike:
                found[bot.name] = OneBot(bot=bot, version=version, came_to=came_to, is_new=True)
                tell(found[bot.name], trio.current_time() - began)

        async with trio.open_nursery() as nursery:
            for file, alike in missing.items():
                nursery.start_soon(one, file, alike)

    if missing:
        run_session([run])
    return [found[bot.name] for bot in bots]


async def _checked(pump: Pump, config: Config, bot: BotSpec, version: str) -> CheckResult | HostSpoiled:
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            result = await _check_one(pump, config, bot)
        except* HostFault as faults:
            problem = advised(first_of(faults))
        else:
            # An entry is checked as it is stored, where nobody changes it.
            is_same = bot.entry or version_on_disk(bot, config.folder) == version
            return result if is_same else HostSpoiled(problem=_CHANGED)
    return HostSpoiled(problem=problem)


def first_of(group: BaseExceptionGroup[HostFault]) -> HostFault:
    """The first fault of a group."""
    inner = group.exceptions[0]
    return first_of(inner) if isinstance(inner, BaseExceptionGroup) else inner


async def _check_one(pump: Pump, config: Config, bot: BotSpec) -> CheckResult:
    run = CheckRun(
        pump,
        bot,
        config.confinement,
        games=games_of(config),
        options=(),
        seed=SEED,
        check_rules=check_rules(config, bot),
    )
    began = trio.current_time()
    await check(run, lambda: None)
    report = run.report(seconds=trio.current_time() - began)
    slowest, memory = _slowest(run), _memory(run)
    return CheckResult(
        when=wall_clock.stamp(),
        report=report,
        slowest=slowest,
        memory=memory,
        worst_game=_worst_game(run, slowest),
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


def _slowest(run: CheckRun) -> Slowest | None:
    clocks = run.check_rules.clocks

    def limit_ms(answered: Answered) -> float:
        return 1000 * (clocks.slap_s if answered.ask.decision == "slap" else clocks.move_s)

    answers = [(one.setup.game.label, answered) for one in run.matches for answered in one.answered]
    if not answers:
        return None
    game, worst = max(answers, key=lambda pair: pair[1].elapsed_us / limit_ms(pair[1]))
    return Slowest(
        ms=round(worst.elapsed_us / 1000, 3), limit_ms=limit_ms(worst), decision=worst.ask.decision, game=game
    )


def _memory(run: CheckRun) -> Memory | None:
    most = max(run.matches, key=lambda one: one.peak_bytes, default=None)
    if most is None or not most.peak_bytes:
        return None
    return Memory(peak_mb=round(most.peak_bytes / MB, 1), game=most.setup.game.label)


def _worst_game(run: CheckRun, slowest: Slowest | None) -> str:
    faults = Counter[str]()
    for finding in _worst_of(run.found.values()):
        faults.update(finding.games)
    return faults.most_common(1)[0][0] if faults else "" if slowest is None else slowest.game


def _worst_of(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The failures, or where there are none the warnings."""
    every = [*findings]
    yield from [finding for finding in every if finding.verdict == "fail"] or every
