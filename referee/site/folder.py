"""The output folder of a site. Its `golfref-site.json` lists the files that golfref wrote.

golfref writes and removes these files and leaves every other file of the folder alone. Each file is written beside its
place and renamed, so a reader sees the old one or the new one. Nothing here knows what the files say.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee import __version__
from referee.beneath import is_inside, open_folder
from referee.errors import HOST_FAILED, GolfrefError
from referee.lock_file import alone_in
from referee.site.files import File

MANIFEST = "golfref-site.json"
"""The file that lists the files of a site."""

FORMAT = "golfref-site-2"

_BESIDE = ".golfref-new"
"""The name of a file while it is written."""

_UMASK = 0o022
"""A web server, which is another user, must be able to read what is published."""


class SiteRefused(GolfrefError):
    """This folder cannot have the site. The text says why and what to do."""


class SiteNotWritten(SiteRefused):
    """The host did not let golfref write a file."""

    exit_code = HOST_FAILED


class Manifest(Struct, frozen=True, kw_only=True):
    """The content of `golfref-site.json`."""

    format: str = FORMAT
    golfref: str = __version__
    """The version that made the site."""
    run: str
    """The name of the run."""
    commitment: str
    """The commitment of the run: SHA-256 of its key, in hexadecimal."""
    files: list[str] = []
    """The path of each file but this one."""
    made_from: dict[str, str] = {}
    """By match the hash of the data from which its files were made."""


class SiteFolder:
    """A folder that only this process writes. `site_folder` opens one.

    A build begins, puts or keeps each of its files, and finishes. If a file cannot be written, it raises SiteRefused.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.made_from = manifest.made_from
        """As in the manifest; the builder changes it."""
        self._manifest = manifest
        self._written = set(manifest.files)
        """The paths of the files that golfref wrote and has not removed."""
        self._by_folder: dict[str, list[str]] = {}
        self._wanted: set[str] = set()
        """The paths of the files of this build."""

    def begin(self) -> None:
        """Begin a build. The files of a build that did not finish do not count."""
        self._wanted = set()
        self._by_folder = {}
        for path in self._written:
            self._by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        self.note()

    def put(self, file: File) -> None:
        """Make this a file of the build. It is written unless it is there already."""
        self._wanted.add(file.path)
        self._written.add(file.path)
        self._write(file)

    def keep(self, folder: str) -> bool:
        """Make the files that the last build put into a folder files of this one. False if one of them is missing."""
        files = self._by_folder.get(folder, [])
        if not files or not all((self.path / path).is_file() for path in files):
            return False
        self._wanted.update(files)
        return True

    def finish(self) -> int:
        """Remove the files of earlier builds that this one did not put or keep. Returns the bytes of the site."""
        for path in self._written - self._wanted:
            self._remove(path)
        self._written = set(self._wanted)
        self.note()
        return sum((self.path / path).stat().st_size for path in (*self._written, MANIFEST))

    def note(self) -> None:
        """Write the manifest."""
        manifest = replace(self._manifest, files=sorted(self._written), made_from=self.made_from)
        self._write(File(path=MANIFEST, data=msgspec.json.encode(manifest) + b"\n"))

    def _write(self, file: File) -> None:
        beside, place = self.path / _BESIDE, self.path / file.path
        try:
            if place.is_file() and place.read_bytes() == file.data:
                return
            place.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(file.data)
            beside.replace(place)
        except OSError as error:
            raise _not_written(self.path, file.path, error) from None

    def _remove(self, path: str) -> None:
        try:
            (self.path / path).unlink(missing_ok=True)
        except OSError as error:
            raise _not_written(self.path, path, error) from None
        with contextlib.suppress(OSError):  # the folder is gone, or is not empty
            for above in Path(path).parents[:-1]:
                (self.path / above).rmdir()


@contextlib.contextmanager
def site_folder(path: Path, run: str, commitment: str) -> Iterator[SiteFolder]:
    """Open the folder for the site of a run; a new one is made.

    Raises SiteRefused if it holds something else, if another process writes it, or if it cannot be written.
    """
    umask = os.umask(_UMASK)
    try:
        _make(path)
        with _alone(path):
            manifest = _manifest_for(path, commitment) or Manifest(run=printable(run, 200), commitment=commitment)
            site = SiteFolder(path, replace(manifest, golfref=__version__))
            try:
                yield site
            finally:
                (path / _BESIDE).unlink(missing_ok=True)
                if (path / MANIFEST).exists():
                    with contextlib.suppress(SiteRefused):  # whatever ended the build is the error
                        site.note()
    finally:
        os.umask(umask)


def check_folder(path: Path, commitment: str | None) -> None:
    """Raise SiteRefused if this folder cannot have the site of the run; with None, of any run that has a site there."""
    if path.exists() or path.is_symlink():
        with _alone(path):
            _manifest_for(path, commitment)


def commitment_of(path: Path) -> str | None:
    """The commitment of the run whose site this folder holds. None if it holds none that can be read."""
    try:
        manifest = _manifest_for(path, None)
    except (OSError, SiteRefused):
        return None
    return None if manifest is None else manifest.commitment


def _make(path: Path) -> None:
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise _not_written(path, "", error) from None


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """In this context no other golfref writes the folder. Raises SiteRefused."""
    with contextlib.ExitStack() as stack:
        try:
            fd = open_folder(path)
            stack.callback(os.close, fd)
            stack.enter_context(alone_in(fd))
        except BlockingIOError:
            what = "another golfref is writing this site; wait for it, or name another folder"
            raise SiteRefused(f"{path}: {what}") from None
        except OSError as error:
            raise _not_written(path, "", error) from None
        yield


def _read(path: Path) -> bytes | None:
    try:
        return (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        return None


def _manifest_for(path: Path, commitment: str | None) -> Manifest | None:
    """The manifest of the folder. None if the folder is empty.

    Raises SiteRefused if it holds something else, or the site of a run with another commitment.
    """
    data = _read(path)
    if data is None:
        if names := sorted({*os.listdir(path)} - {_BESIDE}):
            some = printable(", ".join(names[:3]), 200) + ", ..." * (len(names) > 3)
            what = f"this folder holds what is not a site of golfref ({some})"
            raise SiteRefused(f"{path}: {what}; name another folder, which may be new, or empty this one")
        return None
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
        if manifest.format != FORMAT:
            raise ValueError(f"it is of the format {printable(manifest.format, 40)}, and this golfref reads {FORMAT}")
        if not all(map(is_inside, manifest.files)):
            raise ValueError("it names files outside the folder")
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        what = f"golfref cannot bring this site up to date by its {MANIFEST}: {error}"
        raise SiteRefused(f"{path}: {what}; name another folder, or remove this one") from None
    if commitment not in (None, manifest.commitment):
        run = f"{printable(manifest.run, 100)}, whose commitment is {printable(manifest.commitment[:12], 12)}..."
        raise SiteRefused(f"{path}: this is the site of another run ({run}); name another folder, or remove this one")
    return manifest


def _not_written(path: Path, name: str, error: OSError) -> SiteRefused:
    """The error for a file of the site, or the folder itself, that the host refuses to write."""
    what, why = f" {name}" if name else "", error.strerror or str(error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        words = "each file in it is whole, the old one or the new one; make room and run the same command again"
        return SiteNotWritten(f"{path}: cannot write{what}: {why}; {words}")
    if error.errno in {errno.ENOTDIR, errno.EISDIR, errno.EEXIST} and name:
        return SiteRefused(f"{path}: golfref did not write what stands at {name} ({why}); move it away")
    if error.errno in {errno.ENOTDIR, errno.EEXIST}:
        return SiteRefused(f"{path}: this is no folder; name a folder for the site, which may be new")
    return SiteNotWritten(f"{path}: cannot write{what}: {why}; name another folder")
