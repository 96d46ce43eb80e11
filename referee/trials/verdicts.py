"""What a host can do for one's own bots, for strangers' bots and for timed slaps, and how to mend each gap.

This module judges what was found; it looks at nothing itself. Attacks that golfref can prevent nowhere stand in
tournaments/ISOLATION.md.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from referee.play.sandbox.fixes import as_root, setting
from referee.play.spec import BotLimits
from referee.trials.machine import Machine
from referee.trials.races import Outcome
from referee.trials.starts import Level

SEATS = 4
"""For how many bots of each match the host should have enough."""

PHOTO_FINISH_US = 50.0
"""The default of `photo_finish_us` in the rule book. Slaps that lie closer together are drawn by lot (CAC-25)."""

UNEVEN = 0.01
"""If identical bots come first so unevenly only with a lower probability than this, they are raced again."""

MUCH_DISTURBED = 0.1
"""The share of disturbed windows above which other programs are in the way; above half, no slap should be timed."""

LATE_MS = 100.0
"""The lateness of the referee above which other programs are in the way."""

MUCH_STOLEN = 0.005
"""The share of the cores above which a virtual machine's host gives too much to others."""

MUCH_UNEVEN = 1.3
"""How many times as long the same work may take at times."""

NOT_SHARED = "use a machine whose cores are its own"

_Parameters = Mapping[str, tuple[tuple[int, ...], int, str]]

_FOR_OWN_BOTS: _Parameters = {
    "kernel.yama.ptrace_scope": ((0,), 1, "under `none` and `limits` bots can read each other's memory"),
}
_FOR_STRANGERS: _Parameters = {
    "vm.overcommit_memory": ((2,), 0, "memory that a bot only reserves is taken from all others"),
    "vm.oom_kill_allocating_task": ((1,), 0, "if a bot takes all memory, the kernel may kill the referee"),
    "vm.panic_on_oom": ((1, 2), 0, "if a bot takes all memory, the host stops"),
}
"""Parameters of the kernel: their bad values, a good one, and what bots could do."""

Purpose = Literal["your own bots", "strangers' bots", "timed slaps"]


class Groups(Struct, frozen=True, kw_only=True):
    """What control groups do for each bot."""

    version: int | None
    """1 or 2; None where this process cannot make any."""
    abilities: tuple[str, ...]
    """What they can do: bound `memory` and `processes`, `freeze`, `kill`, count `cpu` time, `share` it out evenly."""
    problem: str
    """Why there are no groups, or why they cannot do all; empty if they can."""
    remedy: str


class Findings(Struct, frozen=True, kw_only=True):
    """What was found on a host."""

    versions: dict[str, str]
    levels: tuple[Level, ...]
    groups: Groups
    own_users: bool
    """Whether every bot under `bwrap` has a user id of its own."""
    users_problem: str
    """Why not; empty if it has, and where there is no Linux."""
    users_remedy: str
    host: Machine
    jobs: int
    """How many matches to play at a time."""
    races: Outcome | None
    """Races between identical bots; None where no race could be played."""
    races_again: Outcome | None
    """The same races a second time, where the seats came first unevenly."""
    races_problem: str
    """Why no race could be played; empty if they were played."""
    lock_problem: str
    """Why this run and others of this user cannot take turns in timing slaps; empty if they can."""
    unevenness: float | None
    """How many times as long the same work takes on slow cores and in slow moments; see evenness.py."""


class Gap(Struct, frozen=True, kw_only=True):
    """Something that this host lacks."""

    problem: str
    """What is wrong, as a sentence without its full stop."""
    remedy: str
    """The command that mends it; in words where no single command does, and empty where nothing is known."""
    bars: bool = False
    """Whether the host cannot serve its purpose because of it."""


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a host serves a purpose."""

    purpose: Purpose
    able: bool
    summary: str
    """`yes`, or `no` with the reason, in words."""
    gaps: tuple[Gap, ...]
    """Those that bar first, then the most important first."""


def verdicts(found: Findings) -> tuple[Verdict, ...]:
    """The verdicts on this host, one for each purpose."""
    return (
        _verdict("your own bots", _of_own_bots(found), "yes"),
        _verdict("strangers' bots", _of_strangers(found), "yes"),
        _verdict("timed slaps", _of_slaps(found), "yes; fair: the seats come first equally often"),
    )


def is_uneven(races: Outcome) -> bool:
    """Whether the seats came first so unevenly that the races are worth a second run."""
    return races.chance_seat < UNEVEN


def _verdict(purpose: Purpose, found: Iterator[Gap], good: str) -> Verdict:
    gaps = tuple(sorted(found, key=lambda gap: not gap.bars))
    reasons = [gap.problem for gap in gaps if gap.bars]
    summary = "no, because " + "; and because ".join(reasons) if reasons else good
    return Verdict(purpose=purpose, able=not reasons, summary=summary, gaps=gaps)


# One's own bots


def _of_own_bots(found: Findings) -> Iterator[Gap]:
    limits = next(level for level in found.levels if level.name == "limits")
    if not limits.available:
        yield Gap(problem=f"no bot starts under `limits`: {limits.problem}", remedy=limits.remedy, bars=True)
    yield from _of_parameters(found.host, _FOR_OWN_BOTS)
    if not found.host.child_lists:
        problem = "under `limits` a process may escape its bot, as the kernel lists no children of processes"
        yield Gap(problem=problem, remedy="use a kernel with CONFIG_PROC_CHILDREN")


def _of_parameters(host: Machine, table: _Parameters) -> Iterator[Gap]:
    for name, (bad, good, problem) in table.items():
        if host.parameters.get(name) in bad:
            yield Gap(problem=problem, remedy=setting(name, good))


# Strangers' bots


def _of_strangers(found: Findings) -> Iterator[Gap]:
    host, groups = found.host, found.groups
    bwrap = next(level for level in found.levels if level.name == "bwrap")
    if not bwrap.available:
        yield Gap(problem=bwrap.problem, remedy=bwrap.remedy, bars=True)
    if found.users_problem and found.users_remedy != bwrap.remedy:
        yield Gap(problem=found.users_problem, remedy=found.users_remedy, bars=True)
    if "memory" not in groups.abilities:
        problem = f"for up to 0.1 s a bot can take more memory than `memory_mb`: {groups.problem}"
        yield Gap(problem=problem, remedy=groups.remedy)
    if host.swap_mb:
        problem = "a bot that takes much memory makes the host swap, which slows the other bots"
        yield Gap(problem=problem, remedy=as_root("swapoff -a"))
    if host.autogroup is False and "share" not in groups.abilities:
        problem = "a bot with many processes gets more of the cores than a bot with few"
        yield Gap(problem=problem, remedy=setting("kernel.sched_autogroup_enabled", 1))
    if host.has_core_handler:
        problem = "if a bot crashes, the kernel hands its memory to a program that runs as root"
        yield Gap(problem=problem, remedy=setting("kernel.core_pattern", "core"))
    yield from _of_parameters(host, _FOR_STRANGERS)
    yield from _of_counts(host, found.jobs * SEATS)


def _of_counts(host: Machine, bots: int) -> Iterator[Gap]:
    """What many bots at a time can use up although each keeps to its limits."""
    limits = BotLimits()
    processes = bots * limits.processes
    needs = {"kernel.pid_max": 2 * processes, "kernel.threads-max": 2 * processes}
    if not host.root:
        needs["fs.file-max"] = processes * limits.files
    can_use_up = f"{bots} bots with {limits.processes} processes of {limits.files} files each can use up"
    for name, needed in needs.items():
        if (most := host.parameters.get(name, needed)) < needed:
            yield Gap(problem=f"{can_use_up} what {name} = {most} allows the host", remedy=setting(name, 2 * needed))
    if host.user_processes is not None and host.user_processes < 2 * processes:
        remedy = as_root(f"prlimit --pid $$ --nproc={4 * processes}")
        yield Gap(problem=f"{can_use_up} the {host.user_processes} processes of your user", remedy=remedy)


# Timed slaps


def _of_slaps(found: Findings) -> Iterator[Gap]:
    if found.lock_problem:
        yield Gap(problem=f"runs cannot take turns in timing slaps: {found.lock_problem}", remedy="", bars=True)
    if found.races is None:
        yield Gap(problem=f"no slap race could be played: {found.races_problem}", remedy="", bars=True)
    else:
        yield from _of_races(found.races, found.races_again)
        yield from _of_noise(found.races, found.host)
    yield from _of_cores(found.host, found.unevenness or 1.0)


def _of_races(races: Outcome, again: Outcome | None) -> Iterator[Gap]:
    if again is not None and is_uneven(again):
        by_seat = " and ".join("-".join(map(str, one.first_by_seat)) for one in (races, again))
        problem = f"it is unfair: among identical bots some seats come first more often, twice over ({by_seat} by seat)"
        yield Gap(problem=problem, remedy=NOT_SHARED, bars=True)
    if races.behind_p50_us > PHOTO_FINISH_US:
        apart = f"identical bots lie {races.behind_p50_us:.0f} us apart (median)"
        problem = f"times are noisy: {apart}, and the lot decides only below {PHOTO_FINISH_US:.0f} us"
        yield Gap(problem=problem, remedy="stop other programs, or use a machine of its own", bars=True)


def _of_noise(races: Outcome, host: Machine) -> Iterator[Gap]:
    disturbed = races.disturbed / races.windows
    if disturbed > MUCH_DISTURBED or races.lateness_ms > LATE_MS or host.load > 0.5 * host.cores:
        seen = f"{disturbed:.0%} of the windows were disturbed, the referee was up to {races.lateness_ms:.0f} ms late"
        problem = f"other programs use the cores: {seen}, and the load is {host.load:g} on {host.cores} cores"
        yield Gap(problem=problem, remedy="stop them (`top` lists them)", bars=disturbed > 0.5)
    if not host.wait_times:
        problem = "other programs falsify slap times, as the kernel does not count how long a bot waits for a core"
        yield Gap(problem=problem, remedy="use Linux with CONFIG_SCHED_INFO")


def _of_cores(host: Machine, unevenness: float) -> Iterator[Gap]:
    if host.stolen is not None and host.stolen > MUCH_STOLEN:
        unseen = ", mostly unseen in slap windows" if host.sets_stolen_apart is False else ""
        problem = f"the host of this virtual machine has given {host.stolen:.1%} of the cores to others{unseen}"
        yield Gap(problem=problem, remedy=NOT_SHARED)
    if host.quota_cores is not None and host.quota_cores < host.cores:
        problem = f"a control group stops bots that need more than {host.quota_cores:g} cores together"
        yield Gap(problem=problem, remedy="raise its limit (cpu.max; CPUQuota of systemd; --cpus of docker)")
    if unevenness > MUCH_UNEVEN:
        problem = f"the same work takes {unevenness:.1f} times as long at times, so bots can compute less then"
        to_all = as_root("tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
        saves_power = host.governor not in {None, "performance"}
        yield Gap(problem=problem, remedy=f"echo performance | {to_all}" if saves_power else NOT_SHARED)
