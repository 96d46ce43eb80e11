"""Makes the bundle of a run in a new folder, which gets its name by one rename when it is whole.

The bundle of a complete run has a copy of its store. The bundle of a run in progress has none, because a store holds
the master key: it has the standings, the hashes and the site, for the organiser to sign each evening.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from unicodedata import normalize

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.beneath import open_folder
from referee.bundle.readme import HASHES, README, RESULTS, SITE, STANDINGS, STORE, SUMS, readme
from referee.bundle.sign import check_key, sign
from referee.errors import HOST_FAILED, GolfrefError
from referee.lock_file import alone_in
from referee.reports.standings_text import standings_text
from referee.site.choosing import USUAL_MATCHES
from referee.site.pages.slugs import slugs
from referee.tournament.store.disk import StoreError, WriteFailed
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, summary_of

UNFINISHED = ".golfref-publish.new"
"""The name of a bundle until it is whole. If the command is killed, the next one removes what is left of it."""

WIDTH = 120
"""How many cells wide the tables of standings.txt are."""


class Order(Struct, frozen=True, kw_only=True):
    """The run to publish, and where."""

    run: Path
    out: Path
    key: Path | None
    """The ssh key that signs; None for no signature."""
    site_matches: int | None
    """The highest number of matches with pages; None leaves it to the site."""
    has_site: bool
    """Whether pages can be made here."""


class Callbacks(Struct, frozen=True, kw_only=True):
    """How the command takes part while a bundle is made."""

    check: Callable[[], None]
    """Called often; raises if the command was interrupted."""
    held: Callable[[], AbstractContextManager[None]]
    """In this context an interrupt is only noted."""
    log: Callable[[str], None]
    """Prints a line about the progress."""
    now: datetime


class Bundle(Struct, frozen=True, kw_only=True):
    """A bundle that was made."""

    path: Path
    run: str
    matches: int
    digest: str
    is_complete: bool
    fingerprint: str | None
    """Of the key that signed it."""


class NotPublished(GolfrefError):
    """The run cannot be published. The text says why and what to do."""


class HostRefused(NotPublished):
    """The host did not let golfref write, as on a full disk."""

    exit_code = HOST_FAILED


def make_bundle(order: Order, callbacks: Callbacks) -> Bundle:
    """Make the bundle. If it raises, nothing is left.

    Raises NotPublished, BadKey, StoreError, SiteRefused, and whatever `check` raises.
    """
    if order.key is not None:
        check_key(order.key)
    with closing(Store.open(order.run)) as store:
        _check_played(order.run, store)
        with _new_folder(order.out) as folder:
            _copy(store, folder / STORE)
            try:
                summary, is_complete = _write(folder, order, callbacks)
            except StoreError as error:  # people know the store, not its copy
                raise type(error)(str(error).replace(str(folder / STORE), str(order.run))) from None
            if not is_complete:
                (folder / STORE).unlink()
            sums = _write_sums(folder)
            fingerprint = None if order.key is None else sign(order.key, sums, callbacks.held)
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
            return Bundle(
                path=_named(folder, summary.name, callbacks.now),
                run=summary.name,
                matches=summary.matches,
                digest=summary.digest,
                is_complete=is_complete,
                fingerprint=fingerprint,
            )


def _check_played(run: Path, store: Store) -> None:
    """Raise NotPublished if there is nothing to publish."""
    if (shard := store.meta().config.shard) is not None:
        what = "put the shards together with `golfref merge` and publish the merged run"
        raise NotPublished(f"{_shown(run)}: this is only shard {shard} of a run; {what}")
    if not store.counts():
        raise NotPublished(f"{_shown(run)}: no match of the run has been played yet, so there is nothing to publish")


def _copy(store: Store, path: Path) -> None:
    try:
        store.copy_to(path)
    except WriteFailed:
        what = "there is no room for a copy of the store; free space and run the command again"
        raise HostRefused(f"{_shown(path.parent.parent)}: {what}") from None


def _write(folder: Path, order: Order, callbacks: Callbacks) -> tuple[RunSummary, bool]:
    """Write what follows from the copy of the store. Returns its summary, and whether its key may be shown."""
    with closing(Store.open(folder / STORE)) as store:
        callbacks.log("writing the tables")
        summary = summary_of(store)
        is_complete = summary.key is not None
        when = callbacks.now.isoformat(timespec="seconds")
        (folder / STANDINGS).write_text(standings_text(summary, Path(STORE), WIDTH), "utf-8")
        (folder / RESULTS).write_bytes(msgspec.json.encode(summary) + b"\n")
        (folder / HASHES).write_text("".join(f"{line}\n" for line in store.lines()))
        words = readme(summary, when=when, is_complete=is_complete, has_site=order.has_site)
        (folder / README).write_text(words, "utf-8")
    if order.has_site:
        from referee.site.building import site_builder  # noqa: PLC0415 - it needs jinja2

        callbacks.log("making the site")
        most = USUAL_MATCHES if order.site_matches is None else order.site_matches
        with site_builder(folder / STORE, folder / SITE, most, callbacks.check) as builder:
            builder.build(is_live=False)
    return summary, is_complete


def _write_sums(folder: Path) -> Path:
    """Write the SHA-256 of all files in the folder, as sha256sum reads it."""
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            lines.append(f"{file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder).as_posix()}\n")
    (folder / SUMS).write_text("".join(lines), "utf-8")
    return folder / SUMS


def _named(folder: Path, run: str, day: datetime) -> Path:
    """Give the folder its name: RUN-YYYY-MM-DD, with -2 and so on if there is such a bundle already."""
    target = folder.with_name(_name_for(run, day, os.listdir(folder.parent)))
    folder.rename(target)
    return target


def _name_for(run: str, day: datetime, there: Sequence[str]) -> str:
    letters = normalize("NFKD", run).encode("ascii", "ignore").decode().lower()
    plain = "-".join(re.findall("[a-z0-9]+", letters))
    begin = f"{plain if slugs([plain])[plain] == plain else slugs([run])[run]}-{day:%Y-%m-%d}"
    number, name = 1, begin
    while name in there:
        number += 1
        name = f"{begin}-{number}"
    return name


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A new folder in `out`, which only one golfref at a time publishes into. It is removed unless it was renamed.

    Raises NotPublished if it cannot be written.
    """
    is_ours = not out.exists()
    folder = out / UNFINISHED
    try:
        with ExitStack() as stack:
            out.mkdir(parents=True, exist_ok=True)
            if is_ours:
                stack.callback(_remove_if_empty, out)
            fd = open_folder(out)
            stack.callback(os.close, fd)
            stack.enter_context(alone_in(fd))
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(0o700)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            yield folder
    except BlockingIOError:
        what = "another golfref is publishing into this folder; wait for it, or name another folder"
        raise NotPublished(f"{_shown(out)}: {what}") from None
    except OSError as error:
        is_name_wrong = isinstance(error, FileNotFoundError | FileExistsError | NotADirectoryError)
        kind = NotPublished if is_name_wrong else HostRefused
        where = error.filename if isinstance(error.filename, str) else out
        raise kind(f"{_shown(where)}: cannot be written: {error.strerror or error}; nothing was published") from None


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _shown(path: Path | str) -> str:
    return printable(str(path), 300)
