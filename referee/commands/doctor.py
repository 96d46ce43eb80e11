"""doctor: what this host can do for one's own bots, strangers' bots and timed slaps, tried out with real bots."""

import contextlib
import math
import sys
from collections.abc import Iterator
from typing import Annotated, get_args

import msgspec
import typer
from msgspec.structs import asdict, replace
from tabulate import tabulate

from referee.commands.console import put, put_json, put_words
from referee.commands.options import Json
from referee.errors import DONE, HOST_FAILED
from referee.play.faults import HostFault
from referee.play.process.process import control_groups
from referee.play.pump.pump import Pump
from referee.play.sandbox.cgroups import Cgroups
from referee.play.sandbox.users import why_none
from referee.play.session import run_session
from referee.play.slaps.lock import HostLock
from referee.play.spec import Confinement, Isolation
from referee.trials.evenness import unevenness
from referee.trials.machine import look_at_machine, versions
from referee.trials.races import USUAL, USUAL_WINDOWS, Outcome, race
from referee.trials.starts import Level, try_start
from referee.trials.verdicts import PHOTO_FINISH_US, Findings, Groups, is_uneven, verdicts

USUAL_S = 20.0
"""How long the usual races may take on a host that is busy, so that `doctor` ends within a minute."""


def doctor(
    races: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Play so many slap windows, for as long as they take; default: some 240."
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Print what this host can do for your own bots, strangers' bots and timed slaps, and what mends each gap.

    Example: golfref doctor --races 200
    """
    found = _look(races or 0)
    if as_json:
        put_json(msgspec.json.encode(asdict(found) | {"verdicts": verdicts(found)}))
    else:
        show(found)
    return DONE if any(level.available for level in found.levels) else HOST_FAILED


# Findings


def _look(windows: int) -> Findings:
    host = look_at_machine()  # before anything is started, for the load
    groups = _groups()
    levels: list[Level] = []
    races: list[Outcome] = []
    problems: list[str] = []

    async def work(pump: Pump) -> None:
        for name in get_args(Isolation):
            levels.append(await try_start(pump, Confinement(isolation=name)))
        best = next((level.name for level in reversed(levels) if level.available), None)
        if best is None:
            problems.append("no bot starts")
            return
        usual = replace(USUAL, confinement=Confinement(isolation=best))
        try:
            while not races or (len(races) == 1 and is_uneven(races[0])):
                within_s = math.inf if windows else USUAL_S
                races.append(await race(pump, usual, windows or USUAL_WINDOWS, within_s=within_s))
        except HostFault as fault:
            problems.append(str(fault))

    run_session([work])
    users_problem, users_remedy = _why_no_users()
    return Findings(
        versions=versions(),
        levels=tuple(levels),
        groups=groups,
        own_users=sys.platform == "linux" and not users_problem,
        users_problem=users_problem,
        users_remedy=users_remedy,
        host=host,
        jobs=max(1, int(min(host.cores, host.quota_cores or host.cores))),
        races=races[0] if races else None,
        races_again=races[1] if len(races) > 1 else None,
        races_problem="; ".join(problems),
        lock_problem=_why_no_lock(),
        unevenness=unevenness(),
    )


def _groups() -> Groups:
    found = control_groups()
    if not isinstance(found, Cgroups):
        return Groups(version=None, abilities=(), problem=found.reason, remedy=found.remedy)
    problem, remedy = ("", "") if found.gap is None else (found.gap.reason, found.gap.remedy)
    return Groups(version=found.version, abilities=tuple(found.folders), problem=problem, remedy=remedy)


def _why_no_users() -> tuple[str, str]:
    """Why bots have no user ids of their own, and what to do about it."""
    try:
        missing = why_none() if sys.platform == "linux" else None
    except HostFault as fault:
        return str(fault), "end what else needs processes or open files"
    return ("", "") if missing is None else (missing.reason, missing.remedy)


def _why_no_lock() -> str:
    with contextlib.closing(HostLock()) as lock:
        return lock.problem()


# Text


def show(found: Findings) -> None:
    """Print the verdicts, each with the commands that make a `no` a `yes`; then what could be better, and details."""
    judged = verdicts(found)
    for verdict in judged:
        put_words(f"{verdict.purpose + ':':<17}{verdict.summary}")
        put(*(f"    {gap.remedy}" for gap in verdict.gaps if gap.bars and gap.remedy))
    better = [(verdict.purpose, gap) for verdict in judged for gap in verdict.gaps if not gap.bars]
    if better:
        put("", "What could be better:")
    for number, (purpose, gap) in enumerate(better, start=1):
        put_words(f"{number}. For {purpose}: {gap.problem}")
        put(*[f"    {gap.remedy}"] * bool(gap.remedy))
    put("", *_details(found))


def _details(found: Findings) -> Iterator[str]:
    yield ", ".join(f"{name} {one}" if one else f"no {name}" for name, one in found.versions.items())
    rows = [*_host_rows(found), *(_race_rows(found.races, found.races_again) if found.races else ())]
    yield tabulate(rows, tablefmt="plain", disable_numparse=True)


def _host_rows(found: Findings) -> Iterator[tuple[str, str]]:
    host, groups = found.host, found.groups
    starts = (f"`{one.name}` {one.start_ms:.0f} ms" for one in found.levels if one.start_ms is not None)
    yield "a Python bot starts in", ", ".join(starts) or "-"
    ids = f"{'user ids' if found.own_users else 'no user ids'} of their own"
    yield "user", f"{'root' if host.root else 'an ordinary user'}; under `bwrap` bots have {ids}"
    yield "control groups", f"version {groups.version}: {', '.join(groups.abilities)}" if groups.version else "none"
    quota = "" if host.quota_cores is None else f", limited to the work of {host.quota_cores:g}"
    yield "cores", f"{host.cores}{quota}; load {host.load:g}; play with jobs = {found.jobs}"
    if host.memory_mb is not None:
        yield "memory", f"{host.memory_mb} MB, swap {f'{host.swap_mb} MB' if host.swap_mb else 'off'}"
    if host.stolen:
        counted = {True: "for each process", False: "in steps of 10 ms", None: "in steps that are not known"}
        yield "stolen time", f"{host.stolen:.2%} since the start, counted {counted[host.sets_stolen_apart]}"
    if found.unevenness is not None:
        yield "speed of cores", f"the same work takes {found.unevenness:.2f} times as long at times (p95 to p5)"


def _race_rows(races: Outcome, again: Outcome | None) -> Iterator[tuple[str, str]]:
    what = f"{races.windows} windows between {races.seats} identical Python bots under `{races.level}`"
    yield "slap races", f"{what}; a slap took {races.median_us:.0f} us (median, corrected)"
    quantiles = (("p50", races.behind_p50_us), ("p90", races.behind_p90_us), ("p99", races.behind_p99_us))
    behind = ", ".join(f"{name} {us:.0f} us" for name, us in quantiles)
    yield "behind the fastest", f"{behind}; below {PHOTO_FINISH_US:.0f} us the lot decides"
    first = (" ".join(map(str, one.first_by_seat)) for one in (races, again) if one is not None)
    yield "first, by seat", "; again: ".join(first)
    late = f"{races.late} slaps too late; the referee was up to {races.lateness_ms:.1f} ms late"
    yield "disturbed", f"{races.disturbed} windows; {late}"
