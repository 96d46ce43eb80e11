"""submit: a new version of an entry comes in, is checked and put in place; older ones are shown and brought back."""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct
from tabulate import tabulate

from protocol.text import printable
from referee.beneath import open_folder
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, put, put_json, say
from referee.commands.interrupt import Signals
from referee.competition.submissions.dropping import PATIENCE_S, POLL_INTERVAL_S, Drop, DropFolder, Due
from referee.competition.submissions.history import Submission, add, lines, now
from referee.competition.submissions.lock import changing_entries
from referee.competition.submissions.refusal import Refused
from referee.competition.submissions.restoring import restore
from referee.competition.submissions.standing import standing
from referee.competition.submissions.taking import Doing, Incomplete, Offer, Taken, take, tidy
from referee.entries.owners import IN_PLACE
from referee.lock_file import alone_in
from referee.new_file import NotWritten
from referee.play.faults import HostFault
from referee.play.session import Interrupted
from referee.toml.document import BadDocument
from referee.versions.store import FOLDER, NotStored, VersionStore
from referee.versions.version import short

_AGAIN_S = 60.0
"""How long a submission waits that the host has spoiled."""

_NAMED = 5
"""So many older archives are named."""

_NICER = 5
"""How much less urgent than a run this is, where it goes on beside one."""


class SubmitOrdered(Struct, frozen=True, kw_only=True):
    """What `golfref submit` is asked to do."""

    config: Path
    what: str
    """A folder or an archive; with `lists` an entry, with `restores` a version; else empty."""
    name: str
    owner: str
    is_checked: bool
    replaces: bool
    """Whether folders that were put there by hand may give way."""
    lists: bool
    restores: str
    """The name of an entry; empty: none."""
    watches: Path | None
    as_json: bool


class BadOrder(Exception):
    """The command line asks for what cannot be done; the text says what to change."""


def submit(order: SubmitOrdered, signals: Signals) -> int:
    """Do it. Returns the exit code."""
    try:
        with signals:
            return _do(order, signals)
    except BadDocument as error:
        say(*error.lines)
        return USAGE
    except BadOrder as error:
        say(f"golfref submit: {error}")
        return USAGE
    except (HostFault, NotStored, NotWritten) as error:
        say(f"golfref submit: {error}; nothing has changed")
        return HOST_FAILED
    except OSError as error:
        where = printable(str(error.filename or order.config.parent.resolve()), 1000)
        say(
            f"golfref submit: {where}: {error.strerror or error}; see to that, and give the same command again: what is"
        )
        say("in place is whole, the older version or the newer one")
        return HOST_FAILED
    except Interrupted:
        say("golfref submit: interrupted; an entry that was not accepted yet is as it was")
        return INTERRUPTED


def _do(order: SubmitOrdered, signals: Signals) -> int:
    if order.lists:
        return _list(order)
    if order.restores:
        return _restore(order)
    if order.watches is not None:
        return _watch(order, order.watches, signals)
    return _submit(order, signals)


def _submit(order: SubmitOrdered, signals: Signals) -> int:
    path = Path(order.what)
    if not path.exists():
        raise BadOrder(f"{printable(order.what, 1000)}: there is no such folder or archive")
    offer = Offer(path=path, name=order.name, owner=order.owner, is_checked=order.is_checked, replaces=order.replaces)
    with _alone(order, f"golfref submit {path.name}"):
        taken = _take(offer, order.config, signals)
    if order.as_json:
        put_json(msgspec.json.encode(taken.line))
    else:
        put(*_lines_of(taken))
    return DONE if taken.line.outcome in ("accepted", "same") else CHECK_FAILED


def _take(offer: Offer, config: Path, signals: Signals) -> Taken:
    with signals.held():
        return take(offer, config, Doing(tell=say, check=signals.check))


@contextlib.contextmanager
def _alone(order: SubmitOrdered, what: str) -> Iterator[VersionStore]:
    """Be the only one who changes entries, after what a killed process has left is removed."""
    if not order.config.is_file():
        raise BadOrder(f"{order.config}: there is no such config")
    versions = VersionStore(order.config.resolve().parent)
    with changing_entries(versions, what, lambda who: say(f"waiting for another golfref ({who})")):
        tidy(versions)
        yield versions


def _lines_of(taken: Taken) -> Iterator[str]:
    line = taken.line
    what = f"`{line.entry}`" + (f", version {short(line.version)}" if line.version else "")
    words = {"accepted": "accepted, and in place", "same": "in place already; nothing has changed"}
    warns = "; the check warns, see the letter" if line.verdict == "warn" else ""
    unchecked = "; it was not checked" if line.outcome == "accepted" and line.verdict is None else ""
    yield f"{what}: {words.get(line.outcome, line.outcome)}{warns}{unchecked}"
    if line.reason:
        yield f"  {printable(line.reason, 2000)}"
    yield from (f"  | {printable(one, 500)}" for one in taken.lines)
    yield from (f"  note: {note}" for note in taken.notes)
    yield f"For its author: {taken.answer}"


def _restore(order: SubmitOrdered) -> int:
    with _alone(order, f"golfref submit --restore {order.restores}"):
        try:
            line = restore(order.restores, order.what, order.config, replaces=order.replaces)
        except Refused as refused:
            raise BadOrder("\n".join([refused.reason, *(f"  | {one}" for one in refused.lines)])) from None
    if order.as_json:
        put_json(msgspec.json.encode(line))
    else:
        put(f"`{line.entry}`: version {short(line.version)} is in place again")
    return DONE


def _list(order: SubmitOrdered) -> int:
    there = standing(order.config)
    versions = VersionStore(there.config.folder)
    name = order.what
    current = {entry.name: entry for entry in there.survey.entrants.entries}
    history = [line for line in lines(versions) if not name or line.entry == name]
    if name and not history and name not in current:
        raise BadOrder(f"`{printable(name, 100)}`: nobody has handed in an entry of this name, and there is none")
    in_place = {
        line.entry: line.id
        for line in history
        if line.outcome in IN_PLACE and line.entry in current and current[line.entry].version == line.version
    }
    told_of = [(line, in_place.get(line.entry) == line.id) for line in history]
    if order.as_json:
        put_json(msgspec.json.encode([{**msgspec.to_builtins(line), "in_place": here} for line, here in told_of]))
        return DONE
    rows = [_row(line, is_here=here) for line, here in told_of]
    rows += [
        ["", entry.name, entry.owner, short(entry.version), "in place, not handed in", "in place"]
        for entry in current.values()
        if entry.name not in in_place and (not name or entry.name == name)
    ]
    headers = ["when (UTC)", "entry", "owner", "version", "outcome", ""]
    put(tabulate([[printable(cell, 100) for cell in row] for row in rows], headers, disable_numparse=True))
    return DONE


def _row(line: Submission, *, is_here: bool) -> list[str]:
    words = line.outcome if line.verdict in (None, "pass") else f"{line.outcome} ({line.verdict})"
    when = line.time.replace("T", " ").removesuffix("Z")
    return [when, line.entry, line.owner, short(line.version), words, "in place" if is_here else ""]


# The folder that is watched


def _watch(order: SubmitOrdered, path: Path, signals: Signals) -> int:
    try:
        fd = open_folder(path)
    except OSError as error:
        raise BadOrder(f"--watch {path}: {error.strerror}; name a folder that is there") from None
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, fd)
        try:
            stack.enter_context(alone_in(fd))
        except BlockingIOError:
            raise BadOrder(f"--watch {path}: another golfref watches this folder") from None
        with _alone(order, f"golfref submit --watch {path}"):
            config = standing(order.config).config
        os.nice(_NICER)
        say(f"watching {path} for {config.name}; Ctrl-C ends it")
        Watch(order, DropFolder(path, fd), signals).run()
    return DONE


class Watch:
    """Takes what is dropped, one after the other."""

    def __init__(
        self,
        order: SubmitOrdered,
        folder: DropFolder,
        signals: Signals,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives a time in seconds that only grows."""
        self._order, self._folder, self._signals, self._clock = order, folder, signals, clock

    def run(self) -> None:
        """Go on until Interrupted is raised."""
        while True:
            if not self.turn():
                time.sleep(POLL_INTERVAL_S / 2)

    def turn(self) -> bool:
        """Take one submission of the owner who has waited longest; returns whether there was one."""
        for owner in self._folder.owners():
            due = self._folder.look(owner, self._clock())
            if due is not None:
                self._take(due)
                self._folder.had_turn(owner)
                return True
        return False

    def _take(self, due: Due) -> None:
        drop = due.drop
        shown = printable(f"{drop.owner}/{drop.name}" if drop.owner else drop.name, 200)
        say(f"{now():%Y-%m-%d %H:%M:%S}Z {shown}")
        try:
            with _alone(self._order, f"golfref submit --watch, with {shown}") as versions:
                taken = _take(self._offer(drop), self._order.config, self._signals)
                if due.older:
                    add(versions, _superseded(due, taken.line))
        except Incomplete:
            say("  damaged, or still on its way; it is looked at again")
            self._folder.hold(drop, self._clock() + PATIENCE_S)
            return
        except (FileNotFoundError, NotADirectoryError):  # it is gone
            self._folder.hold(drop, self._clock() + POLL_INTERVAL_S)
            return
        except (HostFault, NotStored, NotWritten, OSError, BadDocument) as error:
            words = "; ".join(error.lines) if isinstance(error, BadDocument) else str(error)
            say(f"  cannot be taken now, and is tried again in {_AGAIN_S:g} s: {printable(words, 1000)}")
            self._folder.hold(drop, self._clock() + _AGAIN_S)
            return
        text = taken.text
        if due.older:
            text += f"\n{_older_in_words(due)}.\n"
            say(f"  {_older_in_words(due)}")
        say(*(f"  {line}" for line in _lines_of(taken)))
        self._answer(due, text, taken.line.id)

    def _offer(self, drop: Drop) -> Offer:
        return Offer(
            path=self._folder.path / drop.owner / drop.name,
            sender=drop.owner,
            is_checked=self._order.is_checked,
            replaces=self._order.replaces,
            may_grow=not self._folder.has_settled(drop, self._clock()),
            opens=None if drop.is_folder else partial(self._folder.open, drop),
            enters=partial(self._folder.enter, drop) if drop.is_folder else None,
        )

    def _answer(self, due: Due, text: str, number: str) -> None:
        """Put the answer beside it, and it away with the older ones, unless it has changed meanwhile."""
        try:
            self._folder.answer(due.drop, text)
        except OSError as error:
            say(f"  {printable(str(error), 500)}: the answer is kept in {FOLDER} alone")
        try:
            if self._folder.is_unchanged(due.drop):
                self._folder.put_away([due.drop, *due.older], number)
        except OSError as error:
            say(f"  {printable(str(error), 500)}: this stays where it is, and is not taken again unless it changes")
            self._folder.hold(due.drop, math.inf)


def _older_in_words(due: Due) -> str:
    count = len(due.older)
    names = ", ".join(printable(one.name, 100) for one in due.older[:_NAMED])
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return f"not looked at, because {printable(due.drop.name, 100)} is newer: {names}{more}"


def _superseded(due: Due, newer: Submission) -> Submission:
    """The line about those that gave way to a newer one."""
    return Submission(
        id=f"{newer.id}-older",
        time=newer.time,
        entry=newer.entry,
        owner=newer.owner,
        outcome="superseded",
        reason=_older_in_words(due),
        file=printable(due.older[-1].name, 200),
    )
