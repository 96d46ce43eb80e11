"""A host gets ready: it is tried, gets the bots that it lacks, builds what must be built, and starts each bot once.

It needs the files of the desk's golfref and the same Python, since that runs the shipped bots; memory for its matches;
the run's level of isolation, which is tried with a bot as `doctor` does; each bot, which is started once; and where the
run times slaps, races between identical bots that can be played and that favour no seat. A host that lacks something is
left out with a sentence. Whoever calls gives functions that talk to the desk.
"""

import contextlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol import VERSION
from referee import __version__
from referee.cluster.archives import host_tag, module_hashes
from referee.cluster.bot_cache import BotCache, NotKept, host_folder
from referee.cluster.messages import Demands, Ready, SentBot, on_one_line
from referee.play.faults import HostFault
from referee.play.greeting import Greeted, greet
from referee.play.match import host_line
from referee.play.pump.pump import Pump
from referee.play.sandbox.cell import settled
from referee.play.sandbox.levels import check_cells
from referee.play.sandbox.problems import find_problem
from referee.play.sandbox.readable_check import Unfit
from referee.play.sandbox.system_info import cores, number
from referee.play.session import run_session
from referee.play.spec import MB, BadBot, BotSpec, Confinement, builtin_bot
from referee.tournament.run.this_host import host_name
from referee.tournament.store.origins import Host, RacesTest
from referee.trials.races import USUAL, USUAL_WINDOWS, Outcome, chance_of, race
from referee.trials.starts import try_start
from referee.versions.entry import Entry
from referee.versions.ready import Builder
from referee.versions.store import NotStored
from referee.versions.version import short, version_of

UNFAIR = 1e-6
"""A host on which identical bots are announced first so unevenly by seat as chance does with this probability is left
out: one of a million good hosts is."""

LEAST_BOT_MB = 32
"""What a bot takes at least: an interpreter. So much for each seat of its other matches must be free on a host."""

TOLD_MB = 16
"""A host that gets so much of bots says so, since that takes a while."""

Fetch = Callable[[tuple[str, ...]], Iterable[tuple[str, Iterable[bytes]]]]
"""Is given the archives that are lacking, and brings each with its content in pieces."""


class NotFit(Exception):
    """This host cannot play. The text says why, and what can be done, on one line."""


class Talk(Struct, frozen=True, kw_only=True):
    """How a host that gets ready talks to the desk."""

    fetch: Fetch
    tell: Callable[[str], None]
    """Takes what a person may want to read meanwhile, a line at a time."""
    check: Callable[[], None]
    """Raises whatever is to end it when the desk has gone."""


def prepare(demands: Demands, jobs: int, talk: Talk) -> Ready:
    """Make this host ready to play so many matches at a time.

    Raises NotFit, and what `talk.check` raises. Must be called in the main thread.
    """
    with _refusing():
        check_installation(demands)
        check_isolation(demands)
        free_mb = check_room(demands, jobs)
        check_shipped(demands)
        check_tools(demands)
        cache = BotCache(host_folder(), host_tag(), demands)
        with cache.alone(lambda seconds: _wait(talk, seconds)):
            lacking = cache.lacking()
            if (size_mb := sum(demands.archives[archive] for archive in lacking) // MB) >= TOLD_MB:
                talk.tell(f"gets {size_mb} MB of bots")
            for archive, pieces in talk.fetch(lacking):
                cache.receive(archive, pieces)
                talk.check()
            cache.store_entries()
        built = _build(cache, demands, talk)
        bots = [cache.bot(one) for one in demands.bots]
        check_programs(bots, demands)
        bots = [settled(bot, demands.confinement.isolation) for bot in bots]
        talk.check()
        races = start_all(demands, bots, talk.check)
    host = Host(
        name=host_name(),
        golfref=__version__,
        protocol=VERSION,
        host=host_line(),
        tag=host_tag(),
        cores=cores(),
        jobs=jobs,
        memory_mb=free_mb,
        isolation=demands.confinement.isolation,
        built=built,
        races=races,
    )
    return Ready(host=host, bots=tuple(bots))


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """What a host cannot do is a reason to leave it out."""
    try:
        yield
    except (NotKept, NotStored, Unfit, HostFault) as error:
        raise NotFit(on_one_line(str(error))) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        folder = "make room there, or let GOLFREF_HOST_FOLDER name another folder"
        raise NotFit(on_one_line(f"bots cannot be kept there: {where}{error.strerror or error}; {folder}")) from None


def _wait(talk: Talk, seconds: float) -> None:
    talk.check()
    time.sleep(seconds)


def _build(cache: BotCache, demands: Demands, talk: Talk) -> tuple[str, ...]:
    """Build what the desk could not; returns the names of all bots that were built on this host."""
    entries = cache.entries()
    if not entries:
        return ()
    builder = Builder(cache.versions, isolation=demands.confinement.isolation, builds=demands.builds, tell=talk.tell)
    failed = [one for one in entries if _failed(cache, one)]
    others = [one for one in entries if one not in failed]
    # What failed once is tried again: a compiler may have been installed since.
    for some, again in ((failed, True), (others, False)):
        for one in builder.ready(some, check=talk.check, again=again):
            said = f" ({'; '.join(one.lines[-2:])})" if one.lines else ""
            raise NotFit(on_one_line(f"bot `{one.name}`: {one.problem}{said}"))
    sent = {one.name for one in demands.bots if one.built} if demands.tag == host_tag() else set()
    return tuple(one.name for one in entries if one.build and one.name not in sent)


def _failed(cache: BotCache, entry: Entry) -> bool:
    built = cache.versions.last_build(entry.version) if entry.build else None
    return built is not None and built.outcome == "failed"


def check_installation(demands: Demands) -> None:
    """Raises NotFit where the files of golfref, or Python's first two numbers, differ from the desk's.

    The desk has compared the versions before; files of the same version may have been changed.
    """
    here = module_hashes()
    if changed := sorted(name for name in {*here, *demands.modules} if here.get(name) != demands.modules.get(name)):
        raise NotFit(
            f"its golfref {__version__} is not the desk's: {', '.join(changed[:3])} differ; install the same there"
        )
    if sys.version_info[:2] != demands.python:
        wanted = ".".join(map(str, demands.python))
        raise NotFit(
            f"it has Python {platform.python_version()}, and the desk {wanted}; install golfref there with that"
        )


def check_room(demands: Demands, jobs: int) -> int | None:
    """How many MB of memory are free; raises NotFit where that is too little. None where the system does not tell.

    One match must fit whose bots take all that they may, and beside it the least that bots take of the other matches:
    those that are played, and the next one of each job, whose bots are started meanwhile.
    """
    free_mb = free_memory_mb()
    bot_mb = demands.confinement.limits.memory_mb
    whole_mb = demands.seats * bot_mb
    needed_mb = whole_mb + (2 * jobs - 1) * demands.seats * LEAST_BOT_MB
    if free_mb is not None and free_mb < needed_mb:
        matches = "1 match" if jobs == 1 else f"{jobs} matches"
        raise NotFit(
            f"it has {free_mb} MB of free memory, and {matches} at a time may take {needed_mb} MB: {demands.seats} "
            f"bots with [limits] memory_mb = {bot_mb}, and {LEAST_BOT_MB} MB for each of the others"
        )
    return free_mb


def free_memory_mb() -> int | None:
    """How much memory is free here, or can be freed, within the bound of a control group. None where nobody tells."""
    found: list[int] = []
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(next(int(line.split()[1]) >> 10 for line in lines if line.startswith("MemAvailable:")))
    most, used = (number(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if most is not None and used is not None:
        found.append(max(0, most - used) // MB)
    return min(found, default=None)


def check_isolation(demands: Demands) -> None:
    """Raises NotFit where the run needs cells, or user ids for bots, that this host does not offer."""
    if demands.confinement.isolation == "bwrap":
        try:
            check_cells(of_strangers=demands.needs_users)
        except HostFault as fault:
            raise NotFit(f"it cannot play under `bwrap`: {fault}") from None


def check_shipped(demands: Demands) -> None:
    """Raises NotFit where a shipped bot is another one here than at the desk."""
    for one in demands.bots:
        if one.spec.builtin is None:
            continue
        try:
            here = version_of(_own(one), "")
        except BadBot as error:
            raise NotFit(f"bot `{one.name}`: {error}") from None
        if here != one.version:
            raise NotFit(
                f"bot `{one.name}`, the shipped bot `{one.spec.builtin}`, differs between hosts: its version is "
                f"{short(here)} there, and {short(one.version)} at the desk; install the desk's golfref there"
            )


def _own(one: SentBot) -> BotSpec:
    found = builtin_bot(one.spec.builtin or "")
    return replace(one.spec, command=found.command, dir=found.dir, reads=found.reads)


def check_programs(bots: Sequence[BotSpec], demands: Demands) -> None:
    """Raises NotFit where a bot's program, or what it may read, is not on this host."""
    for bot in bots:
        if bot.builtin is None and (missing := [place for place in bot.reads if not os.path.exists(place)]):
            raise NotFit(f"bot `{bot.name}` reads {missing[0]}, which is not there")
        if problem := find_problem(bot, demands.confinement.isolation):
            raise NotFit(f"bot `{bot.name}`: {on_one_line(problem.replace(bot.dir, 'its folder'))}")


def check_tools(demands: Demands) -> None:
    """The same for programs that are looked for on the PATH, before anything has been sent here."""
    for one in demands.bots:
        program, path = one.spec.command[0], one.spec.env.get("PATH")
        if one.spec.builtin is None and "/" not in program and shutil.which(program, path=path) is None:
            raise NotFit(f"bot `{one.name}`: `{program}` is not on the PATH there")


def start_all(demands: Demands, bots: Sequence[BotSpec], check: Callable[[], None]) -> RacesTest | None:
    """Try the level of isolation, start every bot once, and race where the run times slaps; returns what that came to.

    Raises NotFit, and what `check` raises.
    """
    races: list[Outcome] = []
    isolation, session = demands.confinement.isolation, demands.session

    async def work(pump: Pump) -> None:
        check()
        level = Confinement(isolation=isolation)
        if (tried := await try_start(pump, level)).problem:
            raise NotFit(f"it cannot start a bot under `{isolation}`: {on_one_line(tried.problem)}")
        start_s = session.clocks.start_s
        for one in await greet(pump, bots, games=session.games, confinement=session.confinement, start_s=start_s):
            _check_greeted(one)
        if demands.times_slaps:
            races.append(await race(pump, replace(USUAL, confinement=level), USUAL_WINDOWS))

    try:
        run_session([work])
    except HostFault as fault:
        raise NotFit(on_one_line(str(fault))) from None
    return _judged(races[0]) if races else None


def _check_greeted(one: Greeted) -> None:
    if one.mishap is not None:
        said = one.stderr.strip().splitlines()[-1:]
        raise NotFit(
            f"bot `{one.bot.name}` does not start there: {on_one_line('; '.join([one.mishap.detail, *said]))}"
            f"{_what_travels(one.bot)}"
        )


def _what_travels(bot: BotSpec) -> str:
    if bot.builtin is not None or bot.entry:
        return ""
    return " (of a bot that is no entry its own folder travels, and files that its command names; no more)"


def _judged(races: Outcome) -> RacesTest:
    if chance_of(races.first_by_seat) < UNFAIR:
        by_seat = " ".join(map(str, races.first_by_seat))
        raise NotFit(
            f"between identical bots some seats are announced first too often: {by_seat} of {races.windows} windows by "
            "seat; see there what `golfref doctor --races 1000` says"
        )
    return RacesTest(
        windows=races.windows,
        disturbed=races.disturbed,
        late=races.late,
        median_us=round(races.median_us, 1),
        behind_p50_us=round(races.behind_p50_us, 1),
        behind_p90_us=round(races.behind_p90_us, 1),
        chance_seat=races.chance_seat,
        lateness_ms=round(races.lateness_ms, 3),
    )
