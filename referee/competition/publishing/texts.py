"""The texts, tables and pages of a bundle against those that its run gives: they are made again, and compared.

Another golfref may word a text otherwise. So what differs is a finding only where this golfref, to the last line of its
code, published the bundle; else it is told what could not be compared.
"""

import importlib.util
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from protocol.text import printable
from referee.competition.publishing.bundle import HASHES, INFO, RESULTS, SITE, BundleInfo, info_of
from referee.competition.publishing.contents import Content, contents
from referee.competition.publishing.reading import BundleFolder
from referee.site.folder import site_folder
from referee.site.shipped import code_hash
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store
from referee.tournament.verify.published import BadPublished, Published, compare_published, summary_in

MOST_RESULTS_BYTES = 1 << 29
NAMED = 3
"""How many files are named that could not be compared."""


class TextCheck:
    """The texts of a bundle while they are checked."""

    def __init__(self, folder: BundleFolder, store: Store, info: BundleInfo, place: Path) -> None:
        """`store` was made from the bundle and holds; in `place` its site can be made."""
        self._folder, self._store, self._info, self._place = folder, store, info, place
        self._is_ours = info.made.code == code_hash()
        self._differ: list[str] = []
        """The files that another golfref made otherwise than this one does."""
        self.same: list[str] = []
        self.unchecked: list[str] = []

    def findings(self) -> Iterator[str]:
        """All that is wrong, one text for each finding. Raises StoreError."""
        info = self._info
        own = info_of(self._store, info.made)
        wrong = [name for name in own.__struct_fields__ if getattr(own, name) != getattr(info, name)]
        if wrong:
            yield from (f"{INFO}: `{name}` is not that of the run" for name in wrong)
            return
        count = 0
        for finding in self._all():
            count += 1
            yield finding
        if self._differ:
            others = f" and {len(self._differ) - NAMED} more" if len(self._differ) > NAMED else ""
            whose = f"which golfref {printable(info.made.golfref, 40)} made otherwise than this one does"
            self.unchecked.append(f"{', '.join(self._differ[:NAMED])}{others}, {whose}")
        elif not count:
            pages = "tables, texts and pages" if self._has_site else "tables and texts"
            self.same.append(f"{pages} are those of this run")

    @property
    def _has_site(self) -> bool:
        return self._info.made.has_site

    def _all(self) -> Iterator[str]:
        for path, content in contents(self._store, self._info).items():
            try:
                yield from self._text(path, content)
            except StoreError:
                raise
            except Exception as error:  # a run may hold anything, and must not end the check with a traceback
                yield f"{path}: it cannot be made again ({type(error).__name__}: {error})"
        if self._has_site:
            yield from self._site()

    def _text(self, path: str, content: Content) -> Iterator[str]:
        """Compare a text with the one that this run gives."""
        if path not in self._folder.sums:
            return  # it is a finding already that it was changed or is not there
        digest = sha256()
        for piece in content():
            digest.update(piece)
        if digest.hexdigest() == self._folder.sums[path]:
            return
        found = [*self._results()] if path == RESULTS else []
        if self._is_ours or path == HASHES:
            yield from found or [f"{path}: {_first_difference(self._folder, path, content)}"]
        elif path == RESULTS:
            yield from found
        else:
            self._differ.append(path)

    def _results(self) -> Iterator[str]:
        """Which figures of the results differ."""
        try:
            summary = summary_in(self._folder.read(RESULTS, MOST_RESULTS_BYTES), RESULTS)
        except BadPublished as error:
            yield str(error)
            return
        found = compare_published(self._store, Published(summary=summary))
        yield from (f"{RESULTS}: {finding}" for finding in found.findings)

    def _site(self) -> Iterator[str]:
        if importlib.util.find_spec("jinja2") is None:
            self.unchecked.append("the pages of its site, which need the extra `site` of golfref")
            return
        own = _site_of(self._store.path, self._place, self._info)
        there = {name: hash_ for name, hash_ in self._folder.sums.items() if name.startswith(f"{SITE}/")}
        for name in sorted(own.keys() | there.keys()):
            if own.get(name) == there.get(name) or (name not in there and self._folder.has(name)):
                continue
            if not self._is_ours:
                self._differ.append(name)
            elif name in there:
                yield f"{printable(name, 200)}: it is not the page or picture of this run"
            else:
                yield f"{name}: it is not there"


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
