"""submit: a new version of an entry comes in, is checked and put in place; older ones are shown and brought back."""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct
from tabulate import tabulate

from protocol.text import printable
from referee.beneath import open_folder
from referee.commands.console import put, put_json, say
from referee.commands.interrupt import Signals
from referee.commands.options import Json, refuse
from referee.competition.history import Refused, Submission, lines, now
from referee.competition.inbox import Inbox, InboxItem
from referee.competition.restoring import restore
from referee.competition.roster import read_roster
from referee.competition.submit import Callbacks, Offer, SubmitResult, take, tidy
from referee.ending_signals import Interrupted
from referee.errors import CHECK_FAILED, DONE, HOST_FAILED, CommandError, GolfrefError
from referee.lock_file import alone_in, locked
from referee.new_file import NotWritten
from referee.play.faults import HostFault
from referee.tournament.config.entry_owners import IN_PLACE
from referee.versions.build_log import SHOWN_LINES
from referee.versions.store import FOLDER, NotStored, VersionStore
from referee.versions.store import open_folder as make_folder
from referee.versions.version import short

_PASS_INTERVAL_S = 2.0
"""The rest between two passes over the inbox."""

_AGAIN_S = 60.0
"""The rest of an owner's archive that the host has failed."""

_LOCK = "submit.lock"
"""The file in `.golfref` whose lock one process has that changes entries."""

_NICER = 5
"""How much less urgent than a run this is, where it goes on beside one."""


class SubmitOptions(Struct, frozen=True, kw_only=True):
    """What `golfref submit` is asked to do."""

    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The competition's TOML file.")]
    what: Annotated[
        str,
        typer.Argument(
            metavar="[WHAT]", help="A folder, .zip or .tar.gz; with --list an entry, with --restore a version."
        ),
    ] = ""
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What the entry is called; default: as the folder or file is.")
    ] = ""
    owner: Annotated[
        str, typer.Option(metavar="OWNER", help="Whose it is; this alone gives an entry to another owner.")
    ] = ""
    unchecked: Annotated[bool, typer.Option("--unchecked", help="Build it, but do without the check.")] = False
    replaces: Annotated[
        bool, typer.Option("--replace", help="Rename a folder that was put there by hand, and take its place.")
    ] = False
    lists: Annotated[bool, typer.Option("--list", help="Show what was handed in, and what is in place.")] = False
    restores: Annotated[
        str, typer.Option("--restore", metavar="NAME", help="Bring an older version back, or the one named after it.")
    ] = ""
    watches: Annotated[
        Path | None,
        typer.Option("--watch", metavar="FOLDER", help="Take archives from this folder, and from OWNER/ within it."),
    ] = None
    as_json: Json = False


def submit(order: SubmitOptions) -> int:
    """Take a new version of an entry: unpack, build and check it, and put it in place of the older one.

    Example: golfref submit cup.toml caddie.zip
    """
    signals = Signals()
    asked = sum((bool(order.what) and not (order.lists or order.restores), order.lists, bool(order.restores)))
    if asked + (order.watches is not None) != 1:
        raise CommandError("name a folder or an archive, or give one of --list, --restore and --watch")
    names, unchecked = {"--name": order.name, "--owner": order.owner}, {"--unchecked": order.unchecked}
    if order.lists:
        refuse("--list", {**names, **unchecked, "--replace": order.replaces})
    elif order.restores:
        refuse("--restore", {**names, **unchecked})
    elif order.watches is not None:
        refuse("--watch", {**names, "--json": order.as_json})
    try:
        with signals:
            return _do(order, signals)
    except (HostFault, NotStored, NotWritten) as error:
        error.exit_code = HOST_FAILED
        error.add_note("nothing has changed")
        raise
    except OSError as error:
        where = printable(str(error.filename or order.config.parent.resolve()), 1000)
        raise CommandError(
            f"{where}: {error.strerror or error}; see to that, and give the same command again: what is in place is "
            "whole, the older version or the newer one",
            HOST_FAILED,
        ) from None
    except Interrupted as interrupted:
        interrupted.add_note("an entry that was not accepted yet is as it was")
        raise


def _do(order: SubmitOptions, signals: Signals) -> int:
    if order.lists:
        return _list(order)
    if order.restores:
        return _restore(order)
    if order.watches is not None:
        return _watch(order, order.watches, signals)
    return _submit(order, signals)


def _submit(order: SubmitOptions, signals: Signals) -> int:
    path = Path(order.what)
    if not path.exists():
        raise CommandError(f"{printable(order.what, 1000)}: there is no such folder or archive")
    offer = Offer(
        path=path, name=order.name, owner=order.owner, is_checked=not order.unchecked, replaces=order.replaces
    )
    with _alone(order):
        taken = _take(offer, order.config, signals, say)
    if order.as_json:
        put_json(msgspec.json.encode(taken.line))
    else:
        put(*_lines_of(taken))
    return DONE if taken.line.outcome in ("accepted", "same") else CHECK_FAILED


def _take(offer: Offer, config: Path, signals: Signals, tell: Callable[[str], None]) -> SubmitResult:
    with signals.held():
        return take(offer, config, Callbacks(tell=tell, check=signals.check))


@contextlib.contextmanager
def _alone(order: SubmitOptions) -> Iterator[None]:
    """Be the only one who changes entries, after what a killed process has left is removed."""
    if not order.config.is_file():
        raise CommandError(f"{order.config}: there is no such config")
    versions = VersionStore(order.config.resolve().parent)
    make_folder(versions.folder)
    with locked(versions.folder / _LOCK, lambda: say("waiting for another golfref, which changes entries")):
        tidy(versions)
        yield


def _lines_of(taken: SubmitResult) -> Iterator[str]:
    line = taken.line
    what = f"`{line.entry}`" + (f", version {short(line.version)}" if line.version else "")
    words = {"accepted": "accepted, and in place", "same": "in place already; nothing has changed"}
    warns = "; the check warns, see the letter" if line.verdict == "warn" else ""
    unchecked = "; it was not checked" if line.outcome == "accepted" and line.verdict is None else ""
    yield f"{what}: {words.get(line.outcome, line.outcome)}{warns}{unchecked}"
    if line.reason:
        yield f"  {printable(line.reason, 2000)}"
    if left_out := len(taken.lines[:-SHOWN_LINES]):
        yield f"  | ... {left_out} more lines are in the answer"
    yield from (f"  | {printable(one, 500)}" for one in taken.lines[-SHOWN_LINES:])
    yield f"For its author: {taken.answer}"


def _restore(order: SubmitOptions) -> int:
    with _alone(order):
        try:
            line = restore(order.restores, order.what, order.config, replaces=order.replaces)
        except Refused as refused:
            raise CommandError("\n".join([refused.reason, *(f"  | {one}" for one in refused.lines)])) from None
    if order.as_json:
        put_json(msgspec.json.encode(line))
    else:
        put(f"`{line.entry}`: version {short(line.version)} is in place again")
    return DONE


def _list(order: SubmitOptions) -> int:
    roster = read_roster(order.config)
    versions = VersionStore(roster.config.folder)
    name = order.what
    current = {entry.name: entry for entry in roster.survey.entrants.entries}
    history = [line for line in lines(versions) if not name or line.entry == name]
    if name and not history and name not in current:
        raise CommandError(f"`{printable(name, 100)}`: no entry of this name was handed in, and there is none")
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


# The inbox


def _watch(order: SubmitOptions, path: Path, signals: Signals) -> int:
    with contextlib.ExitStack() as stack:
        try:
            fd = open_folder(path)
            stack.callback(os.close, fd)
            stack.enter_context(alone_in(fd))
            inbox = Inbox(path, fd)
        except BlockingIOError:
            raise CommandError(f"--watch {path}: another golfref watches this folder") from None
        except OSError as error:
            raise CommandError(f"--watch {path}: {error.strerror}; name a folder in which you can write") from None
        with _alone(order):
            config = read_roster(order.config).config
        os.nice(_NICER)
        say(f"watching {path} for {config.name}; Ctrl-C ends it")
        watch = Watch(order, inbox, signals)
        while True:
            watch.run_pass()
            time.sleep(_PASS_INTERVAL_S)


class Watch:
    """Takes archives from the inbox in passes, of each owner one at a time. No failure of the host ends it.

    What it remembers only spares work and lines: it may be forgotten at any moment.
    """

    def __init__(
        self, order: SubmitOptions, inbox: Inbox, signals: Signals, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` returns a time in seconds that only grows."""
        self._order, self._inbox, self._signals, self._clock = order, inbox, signals, clock
        self._rests_until: dict[str, float] = {}
        """By owner the time before which the archive that the host has failed is not taken again."""
        self._problems: dict[str, str] = {}
        """By owner the last problem with his folder, which is printed once."""

    def run_pass(self) -> None:
        """Take the oldest archive of each owner."""
        for owner in self._inbox.owners():
            if self._clock() < self._rests_until.get(owner, -math.inf):
                continue
            item = self._next_item(owner)
            if item is not None and not self._take(item):
                self._rests_until[owner] = self._clock() + _AGAIN_S

    def _next_item(self, owner: str) -> InboxItem | None:
        problem = ""
        try:
            return self._inbox.next_item(owner)
        except OSError as error:
            problem = f"{error.filename or owner}: {error.strerror}"
            if problem != self._problems.get(owner):
                what = f"{self._inbox.path}/{owner}: golfref cannot move archives out of it ({problem})"
                say(f"{printable(what, 1000)}; see who may write there")
            return None
        finally:
            self._problems[owner] = problem

    def _take(self, item: InboxItem) -> bool:
        """Take an archive and answer it; returns False if the host failed. Then it is to be taken again."""
        say(f"{now():%Y-%m-%d %H:%M:%S}Z {item.shown}")
        offer = Offer(
            path=item.path, sender=item.owner, is_checked=not self._order.unchecked, replaces=self._order.replaces
        )
        try:
            with _alone(self._order):
                taken = _take(offer, self._order.config, self._signals, lambda line: say(f"  {line}"))
            say(*(f"  {line}" for line in _lines_of(taken)))
            try:
                self._inbox.answer(item.owner, taken.line.entry, taken.text)
            except OSError as error:
                say(f"  {printable(str(error), 500)}: the answer is kept in {FOLDER} alone")
            self._inbox.put_away(item, taken.line.id)
        except (GolfrefError, OSError) as error:
            words = "; ".join(str(error).splitlines())
            say(f"  cannot be taken now, and is tried again in {_AGAIN_S:g} s: {printable(words, 1000)}")
            return False
        return True
