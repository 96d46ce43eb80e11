"""A submission is taken: unpacked, read, stored, built, checked, and put in place, or refused.

Whoever calls this is the only process that changes entries.
"""

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.beneath import open_folder as open_source
from referee.bot_check.report import Verdict
from referee.competition.answers import answer, keep_answer
from referee.competition.builder import builder_for
from referee.competition.checks import CheckResult, check_bots
from referee.competition.history import (
    Outcome,
    Refused,
    Submission,
    add,
    lines,
    new_id,
    next_possible,
    now,
    told,
)
from referee.competition.letters import letter
from referee.competition.placing import check_place, put_in_place
from referee.competition.roster import Claims, Roster, owner_of, read_roster
from referee.play.faults import HostFault
from referee.play.spec import MB
from referee.toml.document import line_of
from referee.tournament.config.config import Config, ConfigError, check_ready
from referee.tournament.config.entry_folders import is_passed_over
from referee.versions.archive import FORMATS, open_archive, stem_of, unpack, without_copy_marks
from referee.versions.bot_toml import BadEntry, holds, name_problem, read_entry
from referee.versions.build_log import log_lines
from referee.versions.entry import Entry
from referee.versions.files import BadFiles, Bounds
from referee.versions.folders import copy_folder
from referee.versions.ready import NotReady
from referee.versions.store import VersionStore, open_folder
from referee.versions.version import short

_INCOMING = "incoming"
"""The folder with the files of a submission until they are stored."""

_SUBMITTED = ".submitted"
"""The file in the folder of a version that nobody has accepted yet."""
_LONGEST_FILE = 200

_OUTPUT_BYTES = 64 << 10
"""So much of the end of the output of a failed build stands in the answer: a refused version leaves the store."""


class Offer(Struct, frozen=True, kw_only=True):
    """A new version of an entry that is handed in."""

    path: Path
    """An archive, or a folder."""
    name: str = ""
    """The name of the entry; empty: that of the folder or archive."""
    owner: str = ""
    """The owner by `--owner`; empty: not given."""
    sender: str = ""
    """The owner through whose folder in the inbox it came; empty: the organiser hands it in."""
    is_checked: bool = True
    replaces: bool = False
    """Whether a folder that was put there by hand may give way."""

    @property
    def called(self) -> str:
        """The name of the entry."""
        if self.name:
            return self.name
        if self.path.is_dir():
            return without_copy_marks(self.path.resolve().name)
        return without_copy_marks(stem_of(self.path.name) or self.path.name)


class SubmitResult(Struct, frozen=True, kw_only=True):
    """The outcome of a submission."""

    line: Submission
    lines: tuple[str, ...] = ()
    """The problems in detail."""
    text: str
    """The answer for the author."""
    answer: Path
    """The file with the answer."""


class Callbacks(Struct, frozen=True, kw_only=True):
    """Functions that are called during a submission."""

    tell: Callable[[str], None]
    """Prints a line for people."""
    check: Callable[[], None]
    """Raises Interrupted if a signal came, which is only noted meanwhile."""


def take(offer: Offer, config: Path, callbacks: Callbacks) -> SubmitResult:
    """Take a submission; returns its outcome.

    Raises ConfigError, and where the host fails HostFault and OSError; then nothing has changed, or what was decided
    is done by whoever comes next. Raises Interrupted.
    """
    return _Attempt(offer, read_roster(config), callbacks).take()


def tidy(versions: VersionStore) -> None:
    """Remove what was not accepted, also by a process that was killed. Raises OSError."""
    for mark in versions.folder.glob(f"versions/*/{_SUBMITTED}"):
        versions.remove(mark.parent.name)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(versions.folder / _INCOMING)


class _Attempt:
    """One submission on its way."""

    def __init__(self, offer: Offer, roster: Roster, callbacks: Callbacks) -> None:
        self._offer, self._roster, self._callbacks = offer, roster, callbacks
        self._config = roster.config
        self._versions = VersionStore(roster.config.folder)
        self._incoming = self._versions.folder / _INCOMING
        self._history = lines(self._versions)
        moment = now()
        self._line = Submission(
            id=new_id(self._history, moment),
            time=told(moment),
            entry=printable(offer.called, _LONGEST_FILE),
            owner=offer.owner or offer.sender,
            sender=offer.sender,
            outcome="refused",
            file=printable(offer.path.name, _LONGEST_FILE),
        )
        self._letter: str | None = None
        self._has_modes = True

    def take(self) -> SubmitResult:
        """All of it."""
        open_folder(self._versions.folder)
        self._incoming.mkdir(mode=0o700, exist_ok=True)
        try:
            detail = self._decided()
            text = answer(self._line, detail, self._letter)
            return SubmitResult(
                line=self._line,
                lines=detail,
                text=text,
                answer=keep_answer(self._versions, self._line, text),
            )
        finally:
            tidy(self._versions)

    def _decided(self) -> tuple[str, ...]:
        """Do it; returns what is wrong in detail."""
        try:
            self._go()
        except Refused as refused:
            self._note(refused.outcome, refused.reason, refused.verdict)
            add(self._versions, self._line)
            return refused.lines
        return ()

    def _note(self, outcome: Outcome, reason: str = "", verdict: Verdict | None = None) -> None:
        self._line = replace(self._line, outcome=outcome, reason=reason, verdict=verdict)

    def _go(self) -> None:
        """From what came in to what is in place. Raises Refused."""
        if self._offer.sender:
            self._check_pace()
        name = self._named()
        folder = self._opened()
        entry = self._read(folder, name)
        self._line = replace(self._line, entry=name, owner=entry.owner, version=entry.version)
        before, place = self._roster.entry(name), self._roster.place(name)
        is_same = before is not None and (before.version, before.owner) == (entry.version, entry.owner)
        if is_same and (place.is_symlink() or not self._offer.replaces):
            self._note("same")
            add(self._versions, self._line)
            return
        check_place(place, replaces=self._offer.replaces)
        if full := self._roster.full_for(entry, self._config.submissions.per_owner):
            raise Refused(full)
        if problem := self._roster.owner_problem(entry):
            raise Refused(problem)
        config, mark = self._roster.with_entry(entry), self._versions.folder_of(entry.version) / _SUBMITTED
        if self._versions.entry_of(entry.version) is None:  # else somebody else has the same files
            self._versions.add(entry)
            mark.touch()
        verdict = self._judged(entry, config)
        mark.unlink(missing_ok=True)
        self._note("accepted", verdict=verdict)
        put_in_place(self._versions, place, self._line, before)

    def _check_pace(self) -> None:
        """Raise Refused if the owner of the folder through which it came has handed in too often."""
        sender, per_day = self._offer.sender, self._config.submissions.per_day
        moment = next_possible(self._history, sender, per_day, now())
        if moment is not None:
            raise Refused(
                f"{printable(sender, 100)} has handed in {per_day} times within 24 hours, "
                f"which is the most; the next time is possible from {told(moment)} on",
                outcome="limited",
            )

    def _opened(self) -> Path:
        """The folder with the files of the entry. Raises Refused."""
        offer = self._offer
        if offer.path.is_dir():
            return self._copied()
        if stem_of(offer.path.name) is None:
            raise Refused(f"golfref does not unpack archives of this kind; send {FORMATS}")
        into = self._incoming / "files"
        allowed = self._config.submissions
        bounds = Bounds(total_bytes=allowed.size_mb * MB, members=allowed.files, table="[submissions]")
        try:
            file = open_archive(offer.path)
        except PermissionError:
            raise Refused("the archive cannot be read; make it readable (chmod a+r), and hand it in again") from None
        try:
            with file:
                unpacked = unpack(file, into, bounds)
        except BadFiles as error:
            raise Refused(f"the archive cannot be taken: {error}") from None
        self._has_modes = unpacked.has_modes
        found = os.listdir(into)
        top = into / found[0] if len(found) == 1 else into
        return top if top.is_dir() and not top.is_symlink() else into

    def _copied(self) -> Path:
        """A copy of the folder that is handed in, which its author cannot change any more. Raises Refused."""
        offer, builds, into = self._offer, self._config.builds, self._incoming / "files"
        if holds(str(offer.path), self._config.folder):
            raise Refused("this folder holds the config; give the bot a folder of its own")
        fd = open_source(offer.path)
        try:
            copy_folder(fd, into, builds.entry_bounds)
        except BadFiles as problem:
            raise Refused("it cannot be read as an entry", lines=[line_of(problem.below(offer.called))]) from None
        finally:
            os.close(fd)
        return into

    def _named(self) -> str:
        """What the entry is called. Raises Refused."""
        name = self._offer.called
        if problem := name_problem(name):
            raise Refused(problem)
        if is_passed_over(name) or "/" in name:
            raise Refused(f"`{printable(name, 100)}` is no name for an entry: take one without `/`, a dot before it, "
                          "and `.new` or `.old` after it")  # fmt: skip
        if other := self._roster.taken_by(name):
            raise Refused(f"the name `{name}` is taken: there is {other}; take another name")
        return name

    def _read(self, folder: Path, name: str) -> Entry:
        """The entry, with its owner. Raises Refused."""
        table = self._roster.table_for(name)
        allowance = table.allowance(self._config.folder, self._config.builds)
        try:
            entry = read_entry(str(folder), allowance, name=name, shown=name)
        except BadEntry as error:
            raise Refused("it cannot be read as an entry", lines=[*error.lines, *self._hint()]) from None
        current = self._roster.owner(name, self._history)
        claims = Claims(
            by_config=table.owners.get(name, ""),
            by_organiser=self._offer.owner,
            sender=self._offer.sender,
            said=entry.owner,
            is_new=current is None,
            current=current or "",
        )
        return replace(entry, owner=owner_of(name, claims))

    def _hint(self) -> list[str]:
        if self._has_modes:
            return []
        return ["this zip does not say which files can be executed; a .tar.gz does, and so does a zip made by `zip`"]

    def _judged(self, entry: Entry, config: Config) -> Verdict | None:
        """Build and check it; returns what the check came to. `config` has it among the others. Raises Refused,
        HostFault, Interrupted.
        """
        unready = self._built(entry)
        if unready is not None:
            output = log_lines((self._versions.build_log(entry.version) or b"")[-_OUTPUT_BYTES:])
            raise Refused(unready.problem, lines=[*(output or unready.lines), *self._hint()], verdict="fail")
        try:
            check_ready(config, [entry.name])
        except ConfigError as error:
            raise Refused("the competition cannot be played with it", lines=error.lines) from None
        if not self._offer.is_checked:
            return None
        self._callbacks.tell(f"checking `{entry.name}`, version {short(entry.version)}")
        spec = self._versions.bot_of(entry)
        alone = replace(self._config, bots=(spec,), entries=(entry,), tables={entry.name: 0})
        (one,) = check_bots(alone, [spec])
        self._callbacks.check()
        if not isinstance(one.came_to, CheckResult):
            raise HostFault(f"`{entry.name}` could not be checked, and not by its fault: {one.came_to.problem}")
        self._letter = letter(alone, one)
        if one.came_to.verdict == "fail":
            raise Refused(f"the check failed: {printable(one.came_to.failures, 500)}", verdict="fail")
        return one.came_to.verdict

    def _built(self, entry: Entry) -> NotReady | None:
        """Why the entry is not ready; None where it is."""
        builder = builder_for(self._config, self._callbacks.tell)
        return next(iter(builder.ready([entry], check=self._callbacks.check)), None)
