"""The folder of a site: who may write there, and how its files come to lie there.

A folder that is not there yet is made under another name and renamed when all is in it. In one that holds a site of the
same run, each file is written under another name and renamed, so whoever reads sees the old one or the new one. Nothing
here knows what the files say.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee import __version__
from referee.beneath import FOLDER_MODE, exists, is_inside, open_folder, opened, read, remove
from referee.lock_file import alone_in
from referee.site.files import File, hash_of
from referee.site.refusals import SiteNotWritten, SiteRefused

MANIFEST = "golfref-site.json"
"""The file that tells whose site a folder holds, and what of it."""

FORMAT = "golfref-site-1"

_UNBORN = ".golfref-new"
"""A file is written under this name, at the top of the folder, before it gets its own."""

_BESIDE = ".new"
"""What a new folder has after its name until it is whole."""

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FILE_MODE = 0o644
"""A web server, which is another user, must be able to read what is published."""


class Manifest(Struct, frozen=True, kw_only=True):
    """What `golfref-site.json` tells."""

    format: str = FORMAT
    golfref: str
    """The version that made it."""
    run: str
    """The name of the run."""
    commitment: str
    """The commitment of the run: SHA-256 of its key, in hexadecimal."""
    owned: tuple[str, ...] = ()
    """The names at the top of the folder that belong to the site; of a folder, all that lies in it."""
    files: dict[str, str] = {}
    """By path the hash of each file but this one, as of the last build that was finished.

    Earlier versions wrote longer hashes: where one stands, the file is made again, and written where it differs.
    """
    made_from: dict[str, str] = {}
    """By match the hash of what its files were made from."""


class SiteFolder:
    """An open folder that only this process writes to. `site_folder` opens one.

    A build puts or keeps all its files, and finishes. Whatever fails raises SiteRefused.
    """

    def __init__(self, path: Path, fd: int, manifest: Manifest, unborn: Path | None = None) -> None:
        """A new folder is called `unborn` until its first build is finished."""
        self.path = path
        self.before = manifest
        """What the last finished build told."""
        self.written = 0
        """How many files have been written."""
        self._fd, self._unborn = fd, unborn
        self._owned = dict.fromkeys(manifest.owned)
        self._files: dict[str, str] = {}
        """The files of this build, with their hashes."""
        self._inside: dict[str, dict[str, str]] = {}
        """By folder the files in it that the last build had."""
        self._whole: set[str] = set()
        """The folders that were seen to be whole."""
        self.begin()

    @property
    def is_there(self) -> bool:
        """Whether the folder has its name."""
        return self._unborn is None

    def begin(self) -> None:
        """Begin a build. What another one has put and not finished does not count."""
        self._files = {}
        self._inside = {}
        for path, hash_ in self.before.files.items():
            self._inside.setdefault(path.rpartition("/")[0], {})[path] = hash_

    def put(self, file: File) -> bool:
        """Make this a file of the build; returns whether it was written, which it is not where it is there already."""
        self._own(file.path.partition("/")[0])
        self._files[file.path] = hash_of(file.data)
        return self._put(file)

    def keep(self, folder: str) -> bool:
        """Keep all files of a folder as the last build left them; returns False where they are not all there."""
        files = self._inside.get(folder, {})
        if folder not in self._whole and any(self._hash(path) != hash_ for path, hash_ in files.items()):
            return False
        self._whole.add(folder)
        self._files.update(files)
        return bool(files)

    def put_anew(self, file: File) -> None:
        """Write a file of the last build anew, when nothing else is built."""
        self._put(file)
        self._note(files={**self.before.files, file.path: hash_of(file.data)}, made_from=self.before.made_from)

    def finish(self, made_from: dict[str, str], last: File) -> int:
        """Write `last`, note what the folder holds now, and remove what does not belong to this build.

        Returns how many bytes the site has.
        """
        self._check_there()
        self._own(last.path)
        self._put(last)
        files = {**self._files, last.path: hash_of(last.data)}
        self._note(files=files, made_from=made_from)
        self._remove_all_but({*files, MANIFEST})
        self._owned = dict.fromkeys(path.partition("/")[0] for path in files)
        self._note(files=files, made_from=made_from)
        if self._unborn is not None:
            _rename(self._unborn, self.path)
            self._unborn = None
        return sum(self._size(path) for path in (*files, MANIFEST))

    def _check_there(self) -> None:
        """Raise SiteRefused where the folder was moved away, so that what we write lies elsewhere."""
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(self._fd), os.stat(self._unborn or self.path)):
                return
        raise SiteRefused(f"{self.path}: the folder was moved while the site was made; run `golfref site` again")

    def _own(self, name: str) -> None:
        """Note that a name at the top is ours before it is there, so that a kill leaves nothing that nobody owns."""
        if name in self._owned:
            return
        if exists(name, self._fd):
            what = f"{name} in it is not of the site, which has something of that name: move it away"
            raise SiteRefused(f"{self.path}: {what}")
        self._owned[name] = None
        self._note(files=self.before.files, made_from=self.before.made_from)

    def _note(self, *, files: dict[str, str], made_from: dict[str, str]) -> None:
        owned = tuple(sorted(self._owned))
        self.before = replace(self.before, golfref=__version__, owned=owned, files=files, made_from=made_from)
        self._put(File(path=MANIFEST, data=msgspec.json.encode(self.before) + b"\n"))

    def _put(self, file: File) -> bool:
        folder, _, name = file.path.rpartition("/")
        try:
            with opened(folder, self._fd, makes=True) as there:
                if read(name, there, len(file.data)) == file.data:
                    return False
                try:
                    self._write(file.data)
                    os.rename(_UNBORN, name, src_dir_fd=self._fd, dst_dir_fd=there)
                except BaseException:
                    remove(_UNBORN, self._fd)
                    raise
        except OSError as error:
            raise _not_written(self.path, file.path, error, is_new=not self.is_there) from None
        self.written += 1
        return True

    def _write(self, data: bytes) -> None:
        fd = os.open(_UNBORN, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE, dir_fd=self._fd)
        with open(fd, "wb") as file:
            os.fchmod(fd, _FILE_MODE)
            file.write(data)

    def _hash(self, path: str) -> str | None:
        """The hash of a file that is there. None where there is none."""
        folder, _, name = path.rpartition("/")
        with contextlib.suppress(OSError), opened(folder, self._fd) as there:
            data = read(name, there)
            return None if data is None else hash_of(data)
        return None

    def _size(self, path: str) -> int:
        folder, _, name = path.rpartition("/")
        with contextlib.suppress(OSError), opened(folder, self._fd) as there:
            return os.stat(name, dir_fd=there, follow_symlinks=False).st_size
        return 0

    def _remove_all_but(self, wanted: AbstractSet[str]) -> None:
        """Remove everything else that is ours: single files at the top, and whatever lies in our folders."""
        folders = {str(above) for path in wanted for above in PurePosixPath(path).parents}
        for name in self._owned:
            try:
                self._sweep(name, self._fd, name, wanted, folders)
            except OSError as error:
                raise _not_written(self.path, name, error) from None

    def _sweep(self, path: str, above: int, name: str, wanted: AbstractSet[str], folders: AbstractSet[str]) -> None:
        """Remove a file or a folder, or what is in it, as far as it is not wanted."""
        if path in wanted or not exists(name, above):
            return
        if not stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=above)
        elif path not in folders:
            shutil.rmtree(name, dir_fd=above)
        else:
            with opened(name, above) as there:
                for inner in os.listdir(there):
                    self._sweep(f"{path}/{inner}", there, inner, wanted, folders)


@contextlib.contextmanager
def site_folder(path: Path, run: str, commitment: str) -> Iterator[SiteFolder]:
    """Open the folder for the site of a run, alone. A new one gets its name when its first build is finished.

    Raises SiteRefused where it holds something else, where another process writes it, and where nothing can be written.
    """
    mine = Manifest(golfref=__version__, run=printable(run, 200), commitment=commitment)
    if _is_there(path):
        with _locked(path) as fd:
            there = _found(path, fd, mine)
            remove(_UNBORN, fd)  # of a build that was killed
            yield SiteFolder(path, fd, there)
        return
    beside = path.with_name(path.name + _BESIDE)
    _make(beside)
    with _locked(beside) as fd:
        _clear(beside, fd)
        site = SiteFolder(path, fd, mine, unborn=beside)
        try:
            yield site
        finally:
            if not site.is_there:
                shutil.rmtree(beside, ignore_errors=True)


def check_folder(path: Path, commitment: str | None) -> None:
    """Raise SiteRefused where this folder cannot have the site of the run; None is a run that is still to begin."""
    if not _is_there(path):
        return
    with _locked(path) as fd:
        there = _manifest(path, fd)
        if there is not None and there.commitment != commitment:
            raise _of_another(path, there)


def commitment_of(path: Path) -> str | None:
    """The commitment of the run whose site this folder holds. None where it holds none that can be read."""
    try:
        fd = open_folder(path)
    except OSError:
        return None
    try:
        there = _manifest(path, fd)
    except SiteRefused:
        return None
    finally:
        os.close(fd)
    return None if there is None else there.commitment


def _found(path: Path, fd: int, mine: Manifest) -> Manifest:
    """What the folder holds of a site of the same run; `mine` where it is empty. Raises SiteRefused."""
    there = _manifest(path, fd)
    if there is None:
        return mine
    if there.commitment != mine.commitment:
        raise _of_another(path, there)
    return there


def _manifest(path: Path, fd: int) -> Manifest | None:
    """What the folder says of itself. None where it is empty. Raises SiteRefused where it holds something else."""
    data = read(MANIFEST, fd)
    if data is None:
        if names := sorted({*os.listdir(fd)} - {_UNBORN}):
            some = printable(", ".join(names[:3]), 200) + ", ..." * (len(names) > 3)
            what = f"this folder holds what is not a site of golfref ({some})"
            raise SiteRefused(f"{path}: {what}; name another folder, which may be new, or empty this one")
        return None
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
        if manifest.format != FORMAT:
            raise ValueError(f"it is of the format {printable(manifest.format, 40)}, and this golfref knows {FORMAT}")
        if MANIFEST in manifest.owned or not all(map(is_inside, (*manifest.owned, *manifest.files))):
            raise ValueError("it names files that cannot be those of a site")
        return manifest
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        what = f"the site in it cannot be brought up to date by its {MANIFEST} ({error})"
        raise SiteRefused(f"{path}: {what}; name another folder, or remove this one") from None


def _of_another(path: Path, there: Manifest) -> SiteRefused:
    run = f"{printable(there.run, 100)}, whose commitment is {printable(there.commitment[:12], 12)}..."
    return SiteRefused(f"{path}: this is the site of another run ({run}); name another folder, or remove this one")


def _clear(beside: Path, fd: int) -> None:
    """Take away what a build left that was killed. Raises SiteRefused where it is something else."""
    _manifest(beside, fd)
    for name in os.listdir(fd):
        if stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=fd)
        else:
            os.unlink(name, dir_fd=fd)
    os.fchmod(fd, FOLDER_MODE)


def _make(folder: Path) -> None:
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(FOLDER_MODE)
    except OSError as error:
        raise _not_written(folder, "", error) from None


def _rename(old: Path, new: Path) -> None:
    try:
        old.rename(new)
    except OSError as error:
        raise _not_written(new, "", error) from None


def _is_there(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode) or _no_folder(path)
    except FileNotFoundError:
        return path.is_symlink() and _no_folder(path)
    except OSError as error:
        raise _not_written(path, "", error) from None


def _no_folder(path: Path) -> bool:
    raise SiteRefused(f"{path}: this is no folder; name a folder for the site, which may be new")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The open folder, which nobody else writes to meanwhile. Raises SiteRefused."""
    busy = SiteRefused(f"{path}: another golfref is writing this site; wait for it, or name another folder")
    with contextlib.ExitStack() as stack:
        try:
            fd = open_folder(path)
            stack.callback(os.close, fd)
            stack.enter_context(alone_in(fd))
            if not os.path.samestat(os.fstat(fd), os.stat(path)):  # it was renamed meanwhile
                raise busy
        except BlockingIOError:
            raise busy from None
        except OSError as error:
            raise _not_written(path, "", error) from None
        yield fd


def _not_written(path: Path, name: str, error: OSError, *, is_new: bool = False) -> SiteRefused:
    """What to say where the host refuses to write a file of the site, or the folder itself."""
    what, why = f" {name}" if name else "", error.strerror or str(error)
    if error.errno in _FULL:
        left = "nothing is left of it" if is_new else "each file in it is whole, the old one or the new one"
        return SiteNotWritten(f"{path}: cannot write{what}: {why}; {left}; make room and run the same command again")
    if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EISDIR}:
        return SiteRefused(f"{path}: something that is not of the site stands at {name} ({why}); move it away")
    return SiteNotWritten(f"{path}: cannot write{what}: {why}; name another folder")
