"""A host gets ready to play: it is tried, gets the bots that it lacks, builds what must be built, and starts each once.

Nothing here knows how parcels travel: whoever calls gives a function that brings them.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from protocol import VERSION
from referee import __version__
from referee.cluster.hosts import Demands, Ready, host_folder, host_name, host_tag
from referee.cluster.kept import KeptBots, NotKept
from referee.cluster.trying import (
    NotFit,
    check_isolation,
    check_programs,
    check_room,
    check_shipped,
    check_tools,
    check_versions,
    on_one_line,
    start_all,
)
from referee.entries.built import last_build
from referee.entries.entry import Entry
from referee.entries.ready import Builder
from referee.entries.shelf import ShelfError
from referee.play.faults import HostFault
from referee.play.isolation.copies import Copied, copied
from referee.play.isolation.host import cores
from referee.play.isolation.memory import remove_leftovers
from referee.play.isolation.shown import Unfit
from referee.play.match import host_line
from referee.play.spec import MB, BotSpec, Confinement
from referee.tournament.store.events import reads_disk
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


@contextlib.contextmanager
def prepared(demands: Demands, jobs: int, talk: Talk) -> Iterator[Ready]:
    """Make this host ready to play so many matches at a time, for the duration of the block.

    Raises NotFit, and what `talk.check` raises. Must be called in the main thread.
    """
    with contextlib.ExitStack() as stack:
        with _refusing():
            check_versions(demands)
            check_isolation(demands)
            free_mb = check_room(demands, jobs)
            check_shipped(demands)
            check_tools(demands)
            remove_leftovers()
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
            copies = _copies(stack, [bot for bot in bots if bot.name in demands.strangers])
            confinement = Confinement(
                isolation=demands.isolation, limits=demands.limits, copies=copies.folder if copies else ""
            )
            talk.check()
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
        on_disk = copies.on_disk if copies else ()
        notes = tuple(reads_disk(bot, what) for bot, what in on_disk)
        yield Ready(host=host, bots=tuple(bots), copies=confinement.copies, notes=notes)


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


def _copies(stack: contextlib.ExitStack, strangers: Sequence[BotSpec]) -> Copied | None:
    """Copies in memory of what strangers' bots see here, which last as long as the host is ready."""
    return stack.enter_context(copied(strangers)) if strangers else None
