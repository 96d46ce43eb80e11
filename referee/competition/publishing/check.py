"""Checking a bundle on a machine that never saw the run: sums, signature, the run itself, and the texts about it.

The bundle is a stranger's. Whatever it holds is told as a finding. A store is made again from its rows and records in a
folder of our own, and checked like any other; from it the texts are made again, and compared.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.competition.publishing.bundle import (
    HASHES,
    INFO,
    PART,
    README,
    RECORDS,
    RESULTS,
    ROWS,
    SITE,
    STANDINGS,
    TABLE_FILES,
    BundleInfo,
    is_store_name,
)
from referee.competition.publishing.going_on import GoingOn, compare_earlier
from referee.competition.publishing.part import PartCheck
from referee.competition.publishing.reading import MOST_NAMED, Broken, BundleFolder, opened_bundle
from referee.competition.publishing.seal import check_seal
from referee.competition.publishing.signing import PublicKeys
from referee.competition.publishing.stored import stored_rows
from referee.competition.publishing.texts import MOST_RESULTS_BYTES, TextCheck
from referee.tournament.store.disk import StoreError, WriteFailed
from referee.tournament.store.restore import Restored, restored
from referee.tournament.store.store import Store
from referee.tournament.verify.history import put_places
from referee.tournament.verify.published import BadPublished, Published, summary_in
from referee.tournament.verify.run import Checked, check_store

MOST_INFO_BYTES = 1 << 20


class Given(Struct, frozen=True, kw_only=True):
    """What whoever checks a bundle has from elsewhere."""

    signer: PublicKeys | None = None
    published: Published = Published()


def check_bundle(path: Path, given: Given) -> Checked:
    """Check the bundle in this folder, or in this archive of one.

    Raises NotPublished where there is none, WriteFailed and HostRefused where there is no room.
    """
    with TemporaryDirectory(prefix="golfref-") as temporary, opened_bundle(path, Path(temporary)) as folder:
        check = _BundleCheck(folder, given, Path(temporary))
        try:
            check.run()
        except Broken as error:
            check.findings.append(str(error))
        return check.checked()


class _BundleCheck:
    """A bundle while it is checked."""

    def __init__(self, folder: BundleFolder, given: Given, temporary: Path) -> None:
        self._folder, self._given, self._temporary = folder, given, temporary
        self.findings: list[str] = []
        self._notes: list[str] = []
        self._same: list[str] = []
        self._unchecked: list[str] = []
        self._run = Checked(findings=())
        """What came of the run itself."""

    def run(self) -> None:
        """Check one thing after another. Raises Broken where nothing more can be checked."""
        self._note(self._folder.check_sums())
        if not self.findings:
            self._same.append("all files are as the sums tell")
        seal = check_seal(self._folder, self._given.signer)
        self.findings += seal.findings
        self._notes += seal.notes
        self._same += seal.same
        self._unchecked += seal.unchecked
        if self._folder.has(PART) and not self._folder.has(INFO):
            part = PartCheck(self._folder)
            self._note(part.findings())
            self._run = part.checked()
            return
        info = _info(self._folder)
        self._note(_odd(self._folder, info))
        if info.key is None:
            self._check_going_on(info)
        else:
            self._check_run(info, info.key)

    def checked(self) -> Checked:
        """What came of it all."""
        run = self._run
        here = f"{self._temporary}/"
        return Checked(
            notes=(*run.notes, *self._notes),
            findings=tuple(dict.fromkeys(text.replace(here, "") for text in (*self.findings, *run.findings))),
            compared=(*run.compared, *self._same),
            unchecked=(*run.unchecked, *self._unchecked),
            missing=run.missing,
            planned=run.planned,
            goes_on=run.goes_on,
        )

    def _note(self, findings: Iterator[str]) -> None:
        """Take findings of one kind, of which there may be very many."""
        for count, finding in enumerate(findings):
            if count == MOST_NAMED:
                self.findings.append("and more findings of this kind")
                return
            self.findings.append(finding)

    def _check_going_on(self, info: BundleInfo) -> None:
        try:
            summary = summary_in(self._folder.read(RESULTS, MOST_RESULTS_BYTES), RESULTS)
        except BadPublished as error:
            raise Broken(str(error)) from None
        check = GoingOn(self._folder, info, summary)
        self._note(check.findings())
        earlier = compare_earlier(self._folder, self._given.published, summary)
        self._run = check.checked(earlier.findings, earlier)

    def _check_run(self, info: BundleInfo, key: str) -> None:
        place = self._temporary / "store"
        place.mkdir()
        path = place / info.made.store
        before = len(self.findings)
        with restored(path, key) as store:
            self._note(_restore(self._folder, store))
        if len(self.findings) > before:
            return
        put_places(path)
        self._run = check_store(path, self._given.published)
        if self._run.findings:
            self._notes.append("note: the texts about the run were not compared with it, since it has findings itself")
            return
        try:
            with closing(Store.open(path)) as opened:
                check = TextCheck(self._folder, opened, info, self._temporary / SITE)
                self._note(check.findings())
                self._same += check.same
                self._unchecked += check.unchecked
        except StoreError as error:
            self.findings.append(str(error))


def _info(folder: BundleFolder) -> BundleInfo:
    try:
        info = msgspec.json.decode(folder.read(INFO, MOST_INFO_BYTES), type=BundleInfo)
        if not is_store_name(info.made.store):
            raise ValueError("`store` cannot be the name of a file")
        datetime.fromisoformat(info.made.when)
        return info
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        raise Broken(f"{INFO}: expected what `golfref publish` writes ({error})") from None


def _restore(folder: BundleFolder, store: Restored) -> Iterator[str]:
    """Put all rows and records into a store; what is wrong with them, one text for each finding."""
    for one in stored_rows(folder):
        if one.body is None:
            yield f"{one.name}: {one.problem or 'its row is missing'}"
            continue
        try:
            store.add(one.kind, one.body, one.record)
        except WriteFailed:
            raise
        except StoreError as error:
            yield f"{one.name}: {error}"


def _odd(folder: BundleFolder, info: BundleInfo) -> Iterator[str]:
    """What of the files of a bundle is missing, and what does not belong there."""
    known = {INFO, README, STANDINGS, RESULTS, HASHES, ROWS, RECORDS, *TABLE_FILES}
    yield from (f"{path}: it is not there" for path in sorted(known) if not folder.has(path))
    for path in folder.sums:
        if path not in known and not (info.made.has_site and path.startswith(f"{SITE}/")):
            yield f"{printable(path, 200)}: no such file belongs into this bundle"
