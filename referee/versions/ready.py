"""Makes entries ready to play: puts each version into the store, and builds it there once if it has a build.

One golfref at a time builds a version. Its folder in the store is whole at any moment, however a build ends: `built`
appears by a rename, and `build.json` beside it has the result.
"""

import contextlib
import os
import shlex
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path

import trio
from msgspec import Struct

from protocol.text import printable
from referee import __version__, wall_clock
from referee.lock_file import try_lock, unlock
from referee.play.faults import HostFault
from referee.play.sandbox.levels import bubblewrap
from referee.play.sandbox.problems import find_problem
from referee.play.sandbox.system_info import cores
from referee.play.session import guarded, heeding_signals
from referee.play.spec import Isolation, is_noexec
from referee.versions.build import BuildFailed, Job, Made, build
from referee.versions.build_log import BuildLog, last_lines
from referee.versions.entry import Builds, Entry
from referee.versions.store import (
    BUILD_LOG,
    BUILD_RESULT,
    BUILT,
    SOURCE,
    BuildResult,
    NotStored,
    StoreNotWritable,
    VersionStore,
    conditions,
    digest_of,
    remove,
    write_whole,
)

_NEW, _OLD, _LOCK = ".built", ".old", ".lock"
_AGAIN_S = 0.1
"""How often it is looked whether another golfref has built a version."""

_LONGEST_COMMAND = 60
_LONGEST_PROBLEM = 1000


class NotReady(Struct, frozen=True, kw_only=True):
    """Why an entry cannot play. All texts can be shown as they are."""

    name: str
    version: str
    """Empty where the entry cannot be read."""
    problem: str
    """A sentence without a full stop."""
    lines: tuple[str, ...] = ()
    """What is wrong with its files, or the last lines of what its build said."""

    def told(self) -> list[str]:
        """All of it as lines for people."""
        return [f"entry `{self.name}`: {self.problem}", *(f"    | {line}" for line in self.lines)]


def _nothing() -> None:
    """Check nothing."""


class Builder:
    """Makes the entries of one competition ready."""

    def __init__(
        self, versions: VersionStore, *, isolation: Isolation, builds: Builds, tell: Callable[[str], None]
    ) -> None:
        """`tell` takes what a person may want to read meanwhile, a line at a time."""
        self._versions = versions
        self._isolation = isolation
        self._builds = builds
        self._tell = tell
        self._not_ready: dict[str, NotReady] = {}

    def ready(
        self, entries: Sequence[Entry], *, check: Callable[[], None] = _nothing, again: bool = False
    ) -> tuple[NotReady, ...]:
        """Put what is missing into the store, and build it; returns who is not ready.

        As many are built at a time as there are cores. A build that succeeded is kept for good, and one that failed
        until [builds] or the isolation says something else; `again` builds all of these entries again. Must be called
        in the main thread, within `Signals.held` where signals are handled, whose `check` is called. Raises Interrupted
        and HostFault; what has been built by then is kept.
        """
        self._not_ready = {}
        added = []
        for entry in entries:
            check()
            if self._add(entry):
                added.append(entry)
        waiting = {e.version: e for e in added if e.build and (again or not self._is_settled(e))}
        if waiting:
            self._build_all([*waiting.values()], check, again=again)
        for entry in added:
            if entry.name not in self._not_ready:
                self._look_at(entry)
        return tuple(self._not_ready[entry.name] for entry in entries if entry.name in self._not_ready)

    def _add(self, entry: Entry) -> bool:
        """Put the files of an entry into the store; returns whether they are there."""
        try:
            if changed := self._versions.add(entry):
                what = f"the stored files of `{entry.name}` ({', '.join(changed)})"
                self._tell(f"note: somebody changed {what}, which golfref has stored again")
        except StoreNotWritable as error:
            raise HostFault(str(error)) from None
        except NotStored as error:
            self._note(entry, str(error))
            return False
        return True

    def _is_settled(self, entry: Entry) -> bool:
        """Whether nothing would come of it to build this version now."""
        kept = self._versions.last_build(entry.version)
        if kept is None:
            return False
        if kept.outcome == "built":
            return kept.in_cell == self._in_cell
        return kept.under == conditions(self._isolation, self._builds)

    @property
    def _in_cell(self) -> bool:
        return self._isolation == "bwrap"

    def _build_all(self, entries: Sequence[Entry], check: Callable[[], None], *, again: bool) -> None:
        """Build these entries side by side. Raises HostFault and Interrupted."""
        if self._in_cell:
            bubblewrap()
        else:
            here = f"note: builds run under `{self._isolation}` here"
            self._tell(f"{here}, which keeps them neither from the network nor from your files")

        async def work() -> None:
            check()
            free = trio.CapacityLimiter(cores())
            async with trio.open_nursery() as nursery:
                for entry in entries:
                    nursery.start_soon(self._build_in_turn, entry, free, again)

        guarded(partial(heeding_signals, work))

    async def _build_in_turn(self, entry: Entry, free: trio.CapacityLimiter, again: bool) -> None:
        async with free:
            try:
                await self._build(entry, again=again)
            except OSError as error:
                where = printable(str(error.filename or self._versions.folder), _LONGEST_PROBLEM)
                text = f"the build of `{entry.name}` cannot be kept: {where}: {error.strerror or error}"
                raise HostFault(f"{text}; make room there, or see who may write") from None

    async def _build(self, entry: Entry, *, again: bool) -> None:
        """Build an entry, unless another golfref has done so meanwhile and `again` is not given."""
        place = self._versions.folder_of(entry.version)
        async with _alone(place, lambda: self._tell(f"another golfref builds `{entry.name}`; waiting for it")):
            if not again and self._is_settled(entry):
                return
            before = self._versions.last_build(entry.version)
            for name in (_NEW, _OLD):  # what a process that was killed has left
                await trio.to_thread.run_sync(remove, place / name)
            self._tell(f"building `{entry.name}`: {_shown(entry.build)}")
            log, begun = BuildLog(), time.monotonic()
            source, into = place / SOURCE, place / _NEW
            job = Job(entry=entry, source=source, into=into, isolation=self._isolation, builds=self._builds)
            try:
                made, failed = await build(job, log), None
            except BuildFailed as error:
                made, failed = None, error
            seconds = time.monotonic() - begun
            problem = "" if failed is None else self._with_hints(str(failed), entry, log)
            digest = "" if made is None else await trio.to_thread.run_sync(digest_of, into)
            kept = self._kept(made, problem, seconds=seconds, digest=digest)
            has_other = before is not None and before.outcome == "built" and before.in_cell == self._in_cell
            if failed is not None and has_other:
                problem = f"{_failed(entry, kept)}; what was built earlier stays"
                self._note(entry, problem, last_lines(log.kept()))
                return
            await trio.to_thread.run_sync(self._put, place, log, kept)
            if made is not None:
                size = f"{kept.files} files, {kept.size_bytes / 1e6:.1f} MB"
                self._tell(f"built `{entry.name}` in {seconds:.1f} s: {size}")

    def _kept(self, made: Made | None, problem: str, *, seconds: float, digest: str) -> BuildResult:
        return BuildResult(
            outcome="failed" if made is None else "built",
            problem=printable(problem, _LONGEST_PROBLEM) if problem else "",
            in_cell=self._in_cell,
            under=conditions(self._isolation, self._builds),
            golfref=__version__,
            when=wall_clock.now().isoformat(timespec="seconds"),
            seconds=round(seconds, 3),
            cpu_s=None if made is None or made.cpu_s is None else round(made.cpu_s, 3),
            size_bytes=0 if made is None else made.unpacked.size_bytes,
            files=0 if made is None else made.unpacked.files,
            digest=digest,
        )

    def _put(self, place: Path, log: BuildLog, kept: BuildResult) -> None:
        """Put what came of a build in its place. Until the last step the version counts as one that was not built."""
        built = place / BUILT
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place / BUILD_RESULT)
        if os.path.lexists(built):
            os.rename(built, place / _OLD)
        if kept.outcome == "built":
            os.rename(place / _NEW, built)
        write_whole(place / BUILD_LOG, log.kept())
        self._versions.keep_build(place.name, kept)
        remove(place / _OLD)

    def _look_at(self, entry: Entry) -> None:
        """Note what keeps an entry in the store from being started."""
        if entry.build:
            kept = self._versions.last_build(entry.version)
            if kept is None or kept.outcome == "failed":
                lines = last_lines(self._versions.build_log(entry.version) or b"")
                self._note(entry, "it has not been built" if kept is None else _failed(entry, kept), lines)
                return
        files = str(self._versions.start_folder(entry))
        if problem := find_problem(self._versions.bot_of(entry), self._isolation):
            told = problem.replace(f" in {files}", "").replace(files, "its folder")
            program = Path(files, entry.command[0])
            if program.is_file() and is_noexec(program):
                raise HostFault(f"entry `{entry.name}`: {told}")
            self._note(entry, f"{told}{_remedy(entry, problem)}")

    def _note(self, entry: Entry, problem: str, lines: tuple[str, ...] = ()) -> None:
        self._not_ready[entry.name] = NotReady(
            name=entry.name,
            version=entry.version,
            problem=printable(problem, _LONGEST_PROBLEM),
            lines=lines,
        )

    def _with_hints(self, problem: str, entry: Entry, log: BuildLog) -> str:
        """The problem, with the key of [builds] that may have to do with it."""
        said = "\n".join(last_lines(log.kept()))
        if any(sign in said for sign in _NO_ROOM):
            return f"{problem}; it may have found no more room: [builds] disk_mb = {self._builds.disk_mb}"
        if self._in_cell and any(sign in said for sign in _NO_NETWORK):
            if not entry.wants_network:
                return f"{problem}; builds have no network unless bot.toml asks for it: network = true"
            if not self._builds.network:
                return f"{problem}; builds have no network unless the config allows it: [builds] network = true"
        return problem


_NO_ROOM = ("No space left on device", "ENOSPC", "File too large")
_NO_NETWORK = (
    "Temporary failure in name resolution", "Could not resolve host", "EAI_AGAIN", "Network is unreachable",
    "Address family not supported", "dial tcp", "getaddrinfo", "Couldn't resolve host",
)  # fmt: skip


def _remedy(entry: Entry, problem: str) -> str:
    """What to do about a program that is not there, of which the build may be the reason."""
    if not problem.startswith("there is no file") and not problem.endswith("is not on the PATH"):
        return ""
    if not entry.build:
        return '; if that has to be built, bot.toml must say how, such as build = ["make"]'
    return f"; its build ({_shown(entry.build)}) ended well, so either it does not make that, or `command` is wrong"


def _failed(entry: Entry, kept: BuildResult) -> str:
    return f"its build ({_shown(entry.build)}) failed after {kept.seconds:.1f} s: {kept.problem}"


def _shown(command: Sequence[str]) -> str:
    return printable(shlex.join(command), _LONGEST_COMMAND)


@contextlib.asynccontextmanager
async def _alone(place: Path, waits: Callable[[], None]) -> AsyncIterator[None]:
    """Be the only one who builds in this place. `waits` is called once where another does so now."""
    lock = place / _LOCK
    if (fd := try_lock(lock)) is None:
        waits()
        while (fd := try_lock(lock)) is None:
            await trio.sleep(_AGAIN_S)
    try:
        yield
    finally:
        unlock(lock, fd)
