"""Checks a bundle on a machine that never saw the run: sums, signature, the run in its store, and the standings.

The bundle is a stranger's: no link in it is followed, nothing is written, and whatever it holds is a finding at most.
"""

import os
import re
from collections.abc import Iterator
from contextlib import closing
from hashlib import file_digest
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from protocol.text import printable
from referee.beneath import is_inside
from referee.bundle.readme import ALWAYS_THERE, HASHES, RESULTS, SIGNATURE, SITE, STORE, SUMS
from referee.bundle.sign import BadSignature, NoProgram, check_signer, fingerprint_of
from referee.errors import GolfrefError
from referee.tournament.store.disk import SIDE_FILES, StoreError
from referee.tournament.store.store import Store
from referee.tournament.verify.published import (
    NOTHING,
    BadPublished,
    Published,
    compare_published,
    read_published,
)
from referee.tournament.verify.run import VerifyReport, check_store

MOST_SHOWN = 20
"""The highest number of findings about files that are printed."""

_SUM = re.compile(r"([0-9a-f]{64}) [ *](.+)")

_WHOSE = (
    "note: signed by the {}. Anybody can make a key: only a comparison with the one that the organiser has published "
    "elsewhere shows whose it is (--signer FILE.pub)"
)
_NOBODY = (
    "note: nobody has signed it. Whoever can change its files can make all of it anew, with its sums: only --digest "
    "and --results show whether it is the run that was published"
)
_NO_STORE = "the run, whose store only the bundle of the complete run has"


class NoBundle(GolfrefError):
    """There is no bundle that can be checked. The text says what was expected."""


def verify_bundle(folder: Path, keys: tuple[str, ...] | None, published: Published) -> VerifyReport:
    """Check a bundle: with `keys`, that one of them signed it; and compare its run with what was published earlier.

    Raises NoBundle.
    """
    if not _is_file(folder / SUMS):
        raise NoBundle(f"{folder}: expected the folder of a bundle, as `golfref publish` makes it, with {SUMS}")
    if any(map(_is_file, (folder / "bundle.json", folder / "part.json"))):
        raise NoBundle(f"{folder}: a bundle of an earlier golfref; golfref 0.8.0 checks it")
    has_store = _is_file(folder / STORE)
    if published != NOTHING and not has_store:
        raise NoBundle(f"{folder}: --digest and --results need the store of the run, which this bundle does not have")
    files = _check_files(folder)
    run = _check_run(folder, published) if has_store else VerifyReport(findings=(), unchecked=(_NO_STORE,))
    parts = (run, files, _check_signature(folder, keys))
    return replace(
        run,
        notes=tuple(text for part in parts for text in part.notes),
        findings=tuple(text for part in parts for text in part.findings),
        compared=tuple(text for part in parts for text in part.compared),
        unchecked=tuple(text for part in parts for text in part.unchecked),
    )


def _check_run(folder: Path, published: Published) -> VerifyReport:
    """Check the run as any other, and the standings and hashes beside its store."""
    if not _is_at_rest(folder / STORE):
        return VerifyReport(findings=(f"{STORE}: it is no store that SQLite can read without writing beside it",))
    run = check_store(folder / STORE, published)
    if not all(map(_is_file, (folder / RESULTS, folder / HASHES))):
        return run  # which is a finding about the files
    try:
        beside = read_published(str(folder / HASHES), folder / RESULTS)
        with closing(Store.open(folder / STORE)) as store:
            found = compare_published(store, beside).findings
    except (BadPublished, StoreError) as error:
        found = (str(error),)
    return replace(
        run,
        findings=tuple(dict.fromkeys((*run.findings, *(f"{RESULTS} or {HASHES}: {text}" for text in found)))),
        compared=(*run.compared, f"{RESULTS} and {HASHES} are those of the run"),
    )


def _is_at_rest(store: Path) -> bool:
    """Whether a store is one plain file without a write-ahead log, for which SQLite would write files beside it."""
    try:
        with store.open("rb") as file:
            versions = file.read(20)[18:]
    except OSError:
        return False
    return versions == b"\1\1" and not any(os.path.lexists(f"{store}{end}") for end in SIDE_FILES)


def _check_signature(folder: Path, keys: tuple[str, ...] | None) -> VerifyReport:
    sums = folder / SUMS
    if not _is_file(folder / SIGNATURE):
        nobody = f"nobody has signed it: there is no {SIGNATURE}"
        return VerifyReport(findings=(), notes=(_NOBODY,)) if keys is None else VerifyReport(findings=(nobody,))
    try:
        if keys is None:
            return VerifyReport(findings=(), notes=(_WHOSE.format(fingerprint_of(sums)),))
        return VerifyReport(findings=(), compared=(f"it was signed by the {check_signer(sums, keys)}, as expected",))
    except BadSignature as error:
        return VerifyReport(findings=(str(error),))
    except NoProgram as error:
        return VerifyReport(findings=(), unchecked=(f"its signature, since {error}",))


def _check_files(folder: Path) -> VerifyReport:
    """Compare all files with the sums."""
    found = list(islice(_file_findings(folder), MOST_SHOWN + 1))
    found[MOST_SHOWN:] = ["and more files that are not as the sums say"] * (len(found) > MOST_SHOWN)
    return VerifyReport(findings=tuple(found), compared=("all files are as the sums say",))


def _file_findings(folder: Path) -> Iterator[str]:
    """How the files of the folder differ from its sums, and from the files of a bundle."""
    try:
        sums = dict(_sums_in(folder / SUMS))
        there = dict(_files_in(folder))
        for name in sorted({*ALWAYS_THERE, *sums, *there} - {SUMS, SIGNATURE}):
            shown = printable(name, 200)
            if name not in there:
                yield f"{shown}: it is not there"
            elif not there[name]:
                yield f"{shown}: it is neither a file nor a folder"
            elif name not in (*ALWAYS_THERE, STORE) and not name.startswith(f"{SITE}/"):
                yield f"{shown}: no such file belongs into a bundle"
            elif name not in sums:
                yield f"{shown}: it is there, but {SUMS} does not name it"
            elif _hash_of(folder / name) != sums[name]:
                yield f"{shown}: it was changed: its SHA-256 is not the one in {SUMS}"
    except _BadSums as error:
        yield str(error)
    except OSError as error:
        yield f"{printable(str(error.filename or folder), 200)}: it cannot be read ({error.strerror})"


class _BadSums(Exception):
    """The file of the sums is none. The text is a finding."""


def _sums_in(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            found = _SUM.fullmatch(line.rstrip("\n"))
            if found is None or not is_inside(found[2]):
                raise _BadSums(f"{SUMS}:{number}: expected a SHA-256, two blanks and the path of a file in the bundle")
            yield found[2], found[1]


def _files_in(folder: Path) -> Iterator[tuple[str, bool]]:
    """The paths of everything in the folder that is no folder, and whether it is a file. No link is followed."""
    waiting = [""]
    while waiting:
        above = waiting.pop()
        with os.scandir(folder / above) as entries:
            for entry in entries:
                name = above + entry.name
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")
                else:
                    yield name, entry.is_file(follow_symlinks=False)


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _is_file(path: Path) -> bool:
    """Whether this is a file, and no link to one."""
    return path.is_file() and not path.is_symlink()
