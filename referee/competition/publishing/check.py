"""Checking a bundle on a machine that never saw the run: sums, signature, the run itself, and the texts about it.

The bundle is a stranger's. Whatever it holds is told as a finding. A store is made again from its rows and records in a
folder of our own, and checked like any other; from it the texts are made again, and compared.
"""

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee import __version__
from referee.competition.publishing.bundle import (
    HASHES,
    INFO,
    PART,
    RECORDS,
    RESULTS,
    ROWS,
    SITE,
    BundleInfo,
    info_of,
    is_store_name,
)
from referee.competition.publishing.contents import Content, contents
from referee.competition.publishing.going_on import GoingOn, compare_earlier
from referee.competition.publishing.part import PartCheck
from referee.competition.publishing.reading import MOST_NAMED, Broken, BundleFolder, opened_bundle
from referee.competition.publishing.seal import check_seal
from referee.competition.publishing.signing import PublicKeys
from referee.competition.publishing.stored import stored_rows
from referee.site.folder import site_folder
from referee.tournament.store.disk import StoreError, WriteFailed
from referee.tournament.store.restore import Restored, restored
from referee.tournament.store.store import Store
from referee.tournament.verify.published import BadPublished, Published, compare_published, summary_in
from referee.tournament.verify.run import Checked, check_store

MOST_INFO_BYTES = 1 << 20
MOST_RESULTS_BYTES = 1 << 29


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
        with restored(path) as store:
            store.add("run", {"key": "master_key", "value": msgspec.json.encode(key).decode()})
            self._note(_restore(self._folder, store))
        if len(self.findings) > before:
            return
        self._run = check_store(path, self._given.published)
        if self._run.findings:
            self._notes.append("note: the texts about the run were not compared with it, since it has findings itself")
            return
        try:
            with closing(Store.open(path)) as opened:
                self._check_texts(opened, info)
        except StoreError as error:
            self.findings.append(str(error))

    def _check_texts(self, store: Store, info: BundleInfo) -> None:
        own = info_of(store, info.made, held_back=0)
        if own != info:
            for name in own.__struct_fields__:
                if getattr(own, name) != getattr(info, name):
                    self.findings.append(f"{INFO}: `{name}` is not that of the run")
            return
        made = contents(store, info)
        if info.made.golfref == __version__:
            for path, content in made.items():
                self._check_text(store, path, content)
            self._check_site(store.path, info)
        else:
            self._check_text(store, HASHES, made[HASHES])
            self._check_results(store)
            other = printable(info.made.golfref, 40)
            self._unchecked.append(f"the tables, texts and pages about the run, which golfref {other} made")
        known = {*made, ROWS, RECORDS}
        odd = (path for path in self._folder.sums if path not in known and not path.startswith(f"{SITE}/"))
        self._note(f"{printable(path, 200)}: no such file belongs into a bundle" for path in odd)
        if not self.findings and info.made.golfref == __version__:
            self._same.append("the tables, texts and pages are those of this run")

    def _check_text(self, store: Store, path: str, content: Content) -> None:
        """Compare a text with the one that this run gives."""
        if not self._folder.has(path):
            self.findings.append(f"{path}: it is not there")
            return
        if path not in self._folder.sums:
            return  # it is a finding already that it was changed
        digest = sha256()
        for piece in content():
            digest.update(piece)
        if digest.hexdigest() == self._folder.sums[path]:
            return
        if path == RESULTS:
            self._check_results(store)
        if not any(finding.startswith(f"{path}: ") for finding in self.findings):
            self.findings.append(f"{path}: {_first_difference(self._folder, path, content)}")

    def _check_results(self, store: Store) -> None:
        try:
            summary = summary_in(self._folder.read(RESULTS, MOST_RESULTS_BYTES), RESULTS)
        except BadPublished as error:
            self.findings.append(str(error))
            return
        found = compare_published(store, Published(summary=summary))
        self._note(f"{RESULTS}: {finding}" for finding in found.findings)

    def _check_site(self, path: Path, info: BundleInfo) -> None:
        there = {name for name in self._folder.sums if name.startswith(f"{SITE}/")}
        if not info.made.has_site:
            self._note(f"{name}: the bundle was made without a site" for name in there)
            return
        if importlib.util.find_spec("jinja2") is None:
            self._unchecked.append("the pages of its site, which need the extra `site` of golfref")
            return
        own = _site_of(path, self._temporary / SITE, info)
        for name in sorted(own.keys() - there):
            if not self._folder.has(name):
                self.findings.append(f"{name}: it is not there")
        odd = (name for name in sorted(there) if own.get(name) != self._folder.sums[name])
        self._note(f"{name}: it is not the page or picture of this run" for name in odd)


def _info(folder: BundleFolder) -> BundleInfo:
    try:
        info = msgspec.json.decode(folder.read(INFO, MOST_INFO_BYTES), type=BundleInfo)
        if not is_store_name(info.made.store):
            raise ValueError("`store` cannot be the name of a file")
        return info
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        raise Broken(f"{INFO}: expected what `golfref publish` writes ({error})") from None


def _restore(folder: BundleFolder, store: Restored) -> Iterator[str]:
    """Put all rows and records into a store; what is wrong with them, one text for each finding."""
    for one in stored_rows(folder):
        if one.row is None:
            yield f"{one.name}: {one.problem or 'its row is missing'}"
            continue
        try:
            store.add(one.kind, one.row, one.record)
        except WriteFailed:
            raise
        except StoreError as error:
            yield f"{one.name}: {error}"


def _first_difference(folder: BundleFolder, path: str, content: Content) -> str:
    """Where a text differs first from the one that is expected."""
    with folder.open(path) as file:
        for number, expected in enumerate(_lines(content), 1):
            found = file.readline(len(expected) + 1)
            if found != expected:
                begin = max(0, _same_bytes(found, expected) - 20)
                shown = [
                    printable(line[begin:].decode(errors="replace").rstrip("\n"), 60) for line in (found, expected)
                ]
                at = f" has from byte {begin + 1} on" if begin else " is"
                return f"line {number}{at} `{shown[0]}`; from this run follows `{shown[1]}`"
    return "it goes on where it should end"


def _same_bytes(one: bytes, other: bytes) -> int:
    """How many bytes of two lines are the same before they differ."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)


def _lines(content: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    rest = b""
    for piece in content():
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def _site_of(store: Path, place: Path, info: BundleInfo) -> dict[str, str]:
    """By path from the bundle the SHA-256 of each file that the site of this run has."""
    from referee.site.building import Matches, SiteBuilder  # noqa: PLC0415 - it needs jinja2

    with site_folder(place, info.run, info.commitment) as folder:
        SiteBuilder(store, folder, Matches(most=info.made.site_matches), lambda: None).build(is_live=False)
    files = (path for path in place.rglob("*") if path.is_file())
    return {f"{SITE}/{path.relative_to(place).as_posix()}": sha256(path.read_bytes()).hexdigest() for path in files}
