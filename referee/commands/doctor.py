"""doctor: what this machine offers to a competition, tried out with real bots, and what to put right first."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec
from msgspec import Struct
from tabulate import tabulate

from protocol.messages import SlapTiming
from referee.commands.console import DONE, HOST_FAILED, INTERRUPTED, put, put_json, say
from referee.play.bot.process import control_groups
from referee.play.faults import HostFault
from referee.play.isolation.cgroups import Cgroups
from referee.play.isolation.levels import NoBubblewrap, bubblewrap
from referee.play.isolation.users import why_none
from referee.play.pump.pump import Pump
from referee.play.session import Interrupted, run_session
from referee.play.slaps.lock import HostLock
from referee.play.spec import Confinement, Isolation
from referee.trials.evenness import unevenness
from referee.trials.gaps import Gap, Groups, find_gaps
from referee.trials.machine import Machine, look_at_machine, versions
from referee.trials.races import WORK_US, Outcome, Scenario, race
from referee.trials.starts import Start, try_start

PHOTO_FINISH_US = 50.0
"""The default of `photo_finish_us` in the rule book. Slaps that lie closer together are drawn by lot (CAC-25)."""

USUAL = Scenario(work_us=0, rounds=8)
"""The races that are always played: identical bots, without any work of their own."""

USUAL_WINDOWS = 240
"""How many windows these races have, which takes about four matches."""

FASTER_US = (0, 100, 300)
"""By how much one of the bots is faster in the races that `--races` adds."""

UNLIKELY = 0.001
"""A seat order that chance brings about with a lower probability than this is worth a piece of advice."""

MUCH_DISTURBED = 0.1
"""A share of disturbed windows above this is worth a piece of advice."""

MUCH_STOLEN = 0.005
"""If a virtual machine's host has given more of our cores to others than this, that is worth a piece of advice."""

MUCH_UNEVEN = 1.3
"""If the same work takes more than so many times as long at times, that is worth a piece of advice."""

LATE_MS = 100.0
"""A lateness of the referee above this is worth a piece of advice."""


class Level(Struct, frozen=True, kw_only=True):
    """A level of isolation on this machine."""

    name: Isolation
    available: bool
    """Whether a bot has been started under it."""
    problem: str
    """Why the level is not available; empty if it is."""
    remedy: str
    """What the organiser can do about it; may be empty."""
    start_ms: float | None
    """Median time from the start of a Python bot to its `ready`; None where it did not get there."""


class Report(Struct, frozen=True, kw_only=True):
    """The document of `doctor --json`."""

    versions: dict[str, str]
    levels: tuple[Level, ...]
    groups: Groups
    own_users: bool
    """Whether every bot under `bwrap` has a user id of its own."""
    host: Machine
    jobs: int
    """How many matches to play at a time."""
    races: Outcome | None
    """Races between identical bots; None where no race could be played."""
    races_problem: str
    """Why no race could be played; empty if they were played."""
    lock_problem: str
    """Why this run and others of this user cannot take turns in timing slaps; empty if they can."""
    bench: tuple[Outcome, ...]
    """With `--races`: races of bots with work of their own, by isolated timing, and by broadcast timing beside it."""
    gaps: tuple[Gap, ...]
    """What strangers' bots could do here although they are in cells, the most important first."""
    unevenness: float | None
    """How many times as long the same work takes on slow cores and in slow moments; see `trials/evenness.py`."""
    advice: tuple[str, ...]
    """What else to put right, the most important first."""


def examine(*, as_json: bool, races: int | None = None) -> int:
    """Look at the machine, try it out and print the findings; the exit code is HOST_FAILED if no bot can run.

    With `races`, slaps are timed thoroughly: so many windows for each kind of race.
    """
    try:
        report = _report(races or 0)
    except Interrupted:
        say("golfref doctor: interrupted")
        return INTERRUPTED
    if as_json:
        put_json(msgspec.json.encode(report))
    else:
        put(*_lines(report))
    return DONE if any(level.available for level in report.levels) else HOST_FAILED


def _report(windows: int) -> Report:
    machine = look_at_machine()  # before anything is started, for the load
    groups = _groups()
    starts: list[Start] = []
    races: list[Outcome] = []
    bench: list[Outcome] = []
    problems: list[str] = []
    try:
        bubblewrap()
        missing = None
    except NoBubblewrap as reason:
        missing = reason

    async def work(pump: Pump) -> None:
        for name in get_args(Isolation):
            if name != "bwrap" or missing is None:
                starts.append(await try_start(pump, Confinement(isolation=name)))
        best = next((start.level for start in reversed(starts) if start.start_ms is not None), None)
        if best is not None:
            try:
                usual = msgspec.structs.replace(USUAL, confinement=Confinement(isolation=best))
                races.append(await race(pump, usual, USUAL_WINDOWS))
                if windows:
                    bench.extend(await _bench(pump, Confinement(isolation=best), windows))
            except HostFault as fault:
                problems.append(str(fault))

    run_session([work])
    jobs = max(1, int(min(machine.cores, machine.quota_cores or machine.cores)))
    found = Report(
        versions=versions(),
        levels=tuple(_levels(starts, missing)),
        groups=groups,
        own_users=missing is None and why_none() is None,
        host=machine,
        jobs=jobs,
        races=races[0] if races else None,
        races_problem="; ".join(problems),
        lock_problem=_lock_problem(),
        bench=tuple(bench),
        gaps=tuple(find_gaps(machine, groups, why_none() if missing is None else None, jobs=jobs)),
        unevenness=unevenness(),
        advice=(),
    )
    return msgspec.structs.replace(found, advice=tuple(_advice(found)))


async def _bench(pump: Pump, confinement: Confinement, windows: int) -> list[Outcome]:
    scenarios = [
        Scenario(faster_us=faster_us, slap_timing=timing, confinement=confinement)
        for timing in get_args(SlapTiming)
        for faster_us in FASTER_US
    ]
    return [await race(pump, scenario, windows) for scenario in scenarios]


def _levels(starts: list[Start], missing: NoBubblewrap | None) -> Iterator[Level]:
    for start in starts:
        tried = start.start_ms is not None
        yield Level(name=start.level, available=tried, problem=start.problem, remedy="", start_ms=start.start_ms)
    if missing is not None:
        yield Level(name="bwrap", available=False, problem=missing.reason, remedy=missing.remedy, start_ms=None)


def _groups() -> Groups:
    found = control_groups()
    if not isinstance(found, Cgroups):
        return Groups(version=None, abilities=(), problem=found.reason, remedy=found.remedy)
    problem, remedy = ("", "") if found.gap is None else (found.gap.reason, found.gap.remedy)
    return Groups(version=found.version, abilities=tuple(found.folders), problem=problem, remedy=remedy)


def _lock_problem() -> str:
    with contextlib.closing(HostLock()) as lock:
        return lock.problem()


# Advice


def _advice(report: Report) -> Iterator[str]:
    yield from _on_isolation(report)
    yield from _on_timing(report)
    yield from _on_host(report.host)
    yield from _on_cores(report)


def _on_isolation(report: Report) -> Iterator[str]:
    for level in report.levels:
        if not level.available:
            remedy = f" To get it: {level.remedy}." if level.remedy else ""
            trust = " Without it, referee only bots that you trust." if level.name == "bwrap" else ""
            yield f"`{level.name}` is not available: {level.problem}.{remedy}{trust}"


def _on_timing(report: Report) -> Iterator[str]:
    if report.lock_problem:
        yield f"Runs cannot take turns in timing slaps, so all slaps are marked as disturbed: {report.lock_problem}."
    if report.races is None:
        if report.races_problem:
            yield f"Slap races cannot be timed: {report.races_problem}."
        return
    races = report.races
    if races.chance_seat < UNLIKELY:
        chance = f"p = {races.chance_seat:g}"
        yield f"Between identical bots some seats were announced first too often ({chance}): run it again."
    if races.disturbed > MUCH_DISTURBED * races.windows or races.behind_p50_us > PHOTO_FINISH_US:
        yield "Times are noisy. Stop other programs, use a machine of its own, switch off power saving, and try again."
    if races.lateness_ms > LATE_MS:
        yield f"The referee itself was kept waiting for {races.lateness_ms:g} ms: something else needs the cores."
    if not report.host.wait_times:
        yield "The system does not tell how long a bot waited for a core, so other work here falsifies slap times."


def _on_cores(report: Report) -> Iterator[str]:
    if report.unevenness is not None and report.unevenness > MUCH_UNEVEN:
        yield (
            f"The same work takes {report.unevenness:.1f} times as long on some core or at times: the cores save "
            "power, or another guest of this virtual machine's host shares their hardware. The bots of a slap window "
            "compute on one core, but what a bot can think in its time varies: switch off power saving, or use a "
            "machine that nobody shares."
        )


def _on_host(machine: Machine) -> Iterator[str]:
    if machine.load > 0.5 * machine.cores:
        yield f"The machine is busy (load {machine.load:g} on {machine.cores} cores): stop what else runs."
    if machine.stolen is not None and machine.stolen > MUCH_STOLEN:
        unseen = (
            ""
            if machine.sets_stolen_apart is not False
            else ", and this kernel tells of it in steps of 10 ms only, which leaves most of it unseen in slap windows"
        )
        yield (
            f"The host of this virtual machine has given {machine.stolen:.1%} of the cores to others{unseen}: use one "
            "whose cores are its own."
        )
    if machine.quota_cores is not None and machine.quota_cores < machine.cores:
        yield (
            f"A control group limits computing to {machine.quota_cores:g} cores: `jobs` should not be higher, and bots "
            "are stopped now and then when they need more."
        )
    if machine.ptrace_scope == 0:
        yield "Under `none` and `limits` bots can look into each other: sysctl -w kernel.yama.ptrace_scope=1."
    if not machine.child_lists:
        yield "The system lists no children of processes: under `limits` a process that escapes its bot is not found."


# Text


def _lines(report: Report) -> Iterator[str]:
    named = [f"{name} {one}" if one else f"no {name}" for name, one in report.versions.items()]
    yield from (", ".join(named[:6]), ", ".join(named[6:]))
    rows = [
        (level.name, "yes" if level.available else "no", "-" if level.start_ms is None else f"{level.start_ms:.0f} ms")
        for level in report.levels
    ]
    yield from ("", "Isolation", "")
    yield tabulate(rows, headers=["level", "available", "a Python bot starts in"], disable_numparse=True)
    yield ""
    yield from _table(_host_rows(report))
    yield from ("", _races_title(report), "")
    if report.races is not None:
        yield from _table(_race_rows(report.races))
    if report.bench:
        yield from ("", *_bench_lines(report.bench))
    yield from _gap_lines(report)
    yield from ("", "What to put right:" if report.advice else "Nothing else needs to be put right.")
    yield from (f"{number}. {text}" for number, text in enumerate(report.advice, start=1))


def _gap_lines(report: Report) -> Iterator[str]:
    if report.gaps:
        yield from ("", "What strangers' bots could do here, and what to do about it:")
        yield from (f"{number}. {gap.attack} {gap.remedy}" for number, gap in enumerate(report.gaps, start=1))
    elif any(level.name == "bwrap" and level.available for level in report.levels):
        yield from ("", "Strangers' bots: nothing is missing here that golfref needs to keep them in.")


def _table(rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield tabulate(list(rows), tablefmt="plain", disable_numparse=True)


def _host_rows(report: Report) -> Iterator[tuple[str, str]]:
    machine, groups = report.host, report.groups
    yield (
        "user",
        (
            "root: under `bwrap` every bot gets a user id of its own"
            if machine.root
            else "an ordinary user: under `bwrap` every bot gets a subordinate user id of its own"
            if report.own_users
            else "an ordinary user: under `bwrap` every bot runs as this user, so golfref plays bots of one owner only"
        ),
    )
    bounded = " and ".join(one for one in ("memory", "processes") if one in groups.abilities) or "nothing"
    yield "control groups", f"version {groups.version}: bound {bounded} of each bot" if groups.version else "none"
    quota = "" if machine.quota_cores is None else f", limited to the work of {machine.quota_cores:g}"
    yield "cores", f"{machine.cores}{quota}; load {machine.load:g}; advice: jobs = {report.jobs}"
    if machine.memory_mb is not None:
        yield "memory", f"{machine.memory_mb} MB, swap {machine.swap_mb or 'off'}{' MB' * bool(machine.swap_mb)}"
    shares = {True: "the same for every bot", False: "more for a bot with more processes", None: "not known"}
    yield "shares of cores", shares["share" in groups.abilities or machine.autogroup]
    if machine.stolen is not None:
        seen = {True: "for each process", False: "in steps of 10 ms", None: "how exactly is not known"}
        told = f"{machine.stolen:.2%} since the start; told: {seen[machine.sets_stolen_apart]}"
        yield "stolen time", told if machine.stolen else "none since the start"
    if report.unevenness is not None:
        yield "speed of cores", f"the same work takes {report.unevenness:.2f} times as long at times (p95 to p5)"
    yield "ptrace", "no Yama" if machine.ptrace_scope is None else f"Yama's scope {machine.ptrace_scope}"


def _races_title(report: Report) -> str:
    if report.races is None:
        return f"Slap races: none could be played{'; ' * bool(report.races_problem)}{report.races_problem}"
    races = report.races
    return f"Slap races: {races.windows} windows between {races.seats} identical Python bots under `{races.level}`"


def _race_rows(races: Outcome) -> Iterator[tuple[str, str]]:
    yield "a slap took", f"{races.median_us:.0f} us (median, corrected)"
    quantiles = (("p50", races.behind_p50_us), ("p90", races.behind_p90_us), ("p99", races.behind_p99_us))
    behind = ", ".join(f"{name} {us:.0f} us" for name, us in quantiles)
    yield "behind the fastest", f"{behind}; below {PHOTO_FINISH_US:.0f} us the lot decides"
    yield "first, by seat", f"{' '.join(map(str, races.first_by_seat))} (chi-square p = {races.chance_seat:.3g})"
    yield "one at a time", "the windows of this user's runs; another user's runs time theirs beside them"
    yield "disturbed", f"{races.disturbed} windows; {races.late} slaps too late"
    yield "referee's lateness", f"{races.lateness_ms:.1f} ms at worst"


def _bench_lines(bench: Sequence[Outcome]) -> Iterator[str]:
    """The lines on the races of `--races`.

    They tell what a slap took beyond the bot's own work, how often the faster bot was announced first, and how likely
    it is by chance that identical bots were announced first so unevenly.
    """
    yield f"{bench[0].windows} windows of each kind; a bot computes for {WORK_US} us, and one of them for less:"
    yield ""
    rows = [
        (
            one.slap_timing,
            one.faster_us or "identical",
            *(f"{us:.0f}" for us in (one.excess_p50_us, one.excess_p90_us, one.excess_p99_us)),
            f"{one.announced:.1%}" if one.faster_us else "",
            "" if one.faster_us else f"{one.chance_seat:.3f}",
            "" if one.faster_us else f"{one.chance_place:.3f}",
            f"{one.disturbed / one.windows:.1%}",
        )
        for one in bench
    ]
    heads = [
        "timing",
        "faster by us",
        "excess us p50",
        "p90",
        "p99",
        "is first",
        "p by seat",
        "p by asking",
        "disturbed",
    ]
    yield tabulate(rows, headers=heads, disable_numparse=True)
