"""A host gets ready to play: it is tried, gets the bots that it lacks, builds what must be built, and starts each once.

Nothing here knows how parcels travel: whoever calls gives a function that brings them.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from protocol import VERSION
from referee import __version__
from referee.cluster.hosts import Demands, Ready, host_folder, host_tag, on_one_line
from referee.cluster.kept import KeptBots, NotKept
from referee.cluster.trying import (
    NotFit,
    check_isolation,
    check_programs,
    check_room,
    check_shipped,
    check_tools,
    check_versions,
    start_all,
)
from referee.entries.built import last_build
from referee.entries.entry import Entry
from referee.entries.ready import Builder
from referee.entries.shelf import ShelfError
from referee.play.faults import HostFault
from referee.play.match import host_line
from referee.play.sandbox.cell import settled
from referee.play.sandbox.readable_check import Unfit
from referee.play.sandbox.system_info import cores
from referee.play.spec import MB, Confinement
from referee.tournament.run.host import host_name
from referee.tournament.store.hosts import Host

TOLD_MB = 16
"""A host that gets so much of bots says so, since that takes a while."""

Fetch = Callable[[tuple[str, ...]], Iterable[tuple[str, Iterable[bytes]]]]
"""Is given the parcels that are lacking, and brings each with its content in pieces."""


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
        check_versions(demands)
        check_isolation(demands)
        free_mb = check_room(demands, jobs)
        check_shipped(demands)
        check_tools(demands)
        kept = KeptBots(host_folder(), host_tag(), demands)
        with kept.alone(lambda seconds: _wait(talk, seconds)):
            lacking = kept.lacking()
            if (size_mb := sum(demands.parcels[parcel] for parcel in lacking) // MB) >= TOLD_MB:
                talk.tell(f"gets {size_mb} MB of bots")
            for parcel, pieces in talk.fetch(lacking):
                kept.receive(parcel, pieces)
                talk.check()
            kept.shelve()
        built = _build(kept, demands, talk)
        bots = [kept.bot(one) for one in demands.bots]
        check_programs(bots, demands)
        bots = [settled(bot, demands.isolation) for bot in bots]
        talk.check()
        confinement = Confinement(isolation=demands.isolation, limits=demands.limits)
        races = start_all(demands, bots, confinement, talk.check)
    host = Host(
        name=host_name(),
        golfref=__version__,
        protocol=VERSION,
        host=host_line(),
        tag=host_tag(),
        cores=cores(),
        jobs=jobs,
        memory_mb=free_mb,
        isolation=demands.isolation,
        built=built,
        races=races,
    )
    return Ready(host=host, bots=tuple(bots))


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """What a host cannot do is a reason to leave it out."""
    try:
        yield
    except (NotKept, ShelfError, Unfit, HostFault) as error:
        raise NotFit(on_one_line(str(error))) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        folder = "make room there, or let GOLFREF_HOST_FOLDER name another folder"
        raise NotFit(on_one_line(f"bots cannot be kept there: {where}{error.strerror or error}; {folder}")) from None


def _wait(talk: Talk, seconds: float) -> None:
    talk.check()
    time.sleep(seconds)


def _build(kept: KeptBots, demands: Demands, talk: Talk) -> tuple[str, ...]:
    """Build what the desk could not; returns the names of all bots that were built on this host."""
    entries = kept.entries()
    if not entries:
        return ()
    builder = Builder(kept.shelf, isolation=demands.isolation, builds=demands.builds, tell=talk.tell)
    failed = [one for one in entries if _failed(kept, one)]
    others = [one for one in entries if one not in failed]
    # What failed once is tried again: a compiler may have been installed since.
    for some, again in ((failed, True), (others, False)):
        for one in builder.ready(some, check=talk.check, again=again):
            said = f" ({'; '.join(one.lines[-2:])})" if one.lines else ""
            raise NotFit(on_one_line(f"bot `{one.name}`: {one.problem}{said}"))
    sent = {one.name for one in demands.bots if one.built} if demands.tag == host_tag() else set()
    return tuple(one.name for one in entries if one.build and one.name not in sent)


def _failed(kept: KeptBots, entry: Entry) -> bool:
    built = last_build(kept.shelf, entry.version) if entry.build else None
    return built is not None and built.outcome == "failed"
