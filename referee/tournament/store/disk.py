"""The files of a store: who may write, how SQLite opens them, and what to say when the host refuses.

Nothing here knows what a store holds.
"""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from referee import lock_file
from referee.errors import HOST_FAILED, GolfrefError

SIDE_FILES = ("-wal", "-shm", "-journal")
"""What SQLite may leave beside a store when it is killed. The first and the last belong to its content."""

_FULL = {errno.ENOSPC, errno.EDQUOT}
_PATIENCE_S = 10
"""How long SQLite waits for another process that reads or writes."""


MOST_VALUE_BYTES = 2**28
"""The longest value that is read or written. Anything may lie in the file of a stranger."""


class StoreError(GolfrefError):
    """The store cannot be used. The text says why and what to do."""


class WriteFailed(StoreError):
    """The host did not let us write something."""

    exit_code = HOST_FAILED


class Lock:
    """The right to write to a store, which one process has at a time. `locked` gives it."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[Lock]:
    """Hold the lock of a store, whether it exists yet or not. Raises StoreError when another golfref holds it.

    The lock is a file beside the store. A referee that is killed leaves it behind unlocked.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock_file.locked(_lock_of(path)))
        except BlockingIOError:
            raise StoreError(
                f"{path}: another golfref is writing this store; wait for it, or name another place with --store FILE; "
                "--dry-run prints what a changed config would change, and Ctrl-C ends the other one without a loss"
            ) from None
        except OSError as error:
            raise refusal(path, error) from None
        yield Lock()


def is_written_to(path: Path) -> bool:
    """Whether a process has the lock of a store."""
    return lock_file.is_locked(_lock_of(path))


def changed_at(path: Path) -> float:
    """When something was written to a store last, in seconds of Unix, by its files' times. Raises StoreError."""
    try:
        times = [path.stat().st_mtime]
        with contextlib.suppress(FileNotFoundError):
            log = Path(f"{path}-wal").stat()
            times += [log.st_mtime] * bool(log.st_size)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    return max(times)


class Forecast(Struct, frozen=True, kw_only=True):
    """When the process that plays a run expects to end."""

    at_s: float
    """In seconds of Unix."""
    is_most: bool
    """Whether it may end earlier."""


def note_forecast(path: Path, forecast: Forecast) -> None:
    """Write when the run probably ends into the lock that this process has: nothing of the run depends on it."""
    with contextlib.suppress(OSError), Path(_lock_of(path)).open("r+b") as lock:
        lock.write(msgspec.json.encode(forecast))
        lock.truncate()


def forecast_of(path: Path) -> Forecast | None:
    """The forecast of the process that plays a store, if one does: only then it counts. None if there is none yet."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(Path(_lock_of(path)).read_bytes(), type=Forecast)
    return None


def _lock_of(path: Path) -> str:
    return f"{os.path.realpath(path)}.lock"


def open_writing(path: Path) -> tuple[sqlite3.Connection, str]:
    """A connection that writes, and its journal mode: `wal`, or `truncate` where the file system cannot do that.

    A commit is on the disk when it returns, which costs about 0.2 ms on a solid-state disk. Raises StoreError.
    """
    try:
        mode = "WAL" if _can_log(path) else "TRUNCATE"
        connection = _connect(path, "mode=rw")
        (journal,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
        connection.execute("PRAGMA synchronous = FULL")
    except (OSError, sqlite3.Error) as error:
        raise refusal(path, error) from None
    return connection, journal


def _can_log(path: Path) -> bool:
    """Whether SQLite can keep a write-ahead log here, tried with another file: with the store it would be too late."""
    probe = Path(f"{path}.probe")
    try:
        with contextlib.closing(sqlite3.connect(probe)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE probe (x)")
        return True
    except sqlite3.Error as error:
        if is_full(error):
            raise
        return False
    finally:
        for rest in ("", *SIDE_FILES):
            with contextlib.suppress(OSError):
                os.unlink(f"{probe}{rest}")


def not_readable(path: Path, error: sqlite3.Error) -> StoreError:
    """The error of a file that SQLite cannot read as a store, with what to do."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        if file.read(2) == b'{"':
            what = "records of matches, or the matches of one bot (`export --bot`)"
            reads = f"`golfref replay {path}` and `golfref transcript {path}` read it"
            return StoreError(f"{path}: not a golfref store, but JSON: {what}; {reads}")
    return StoreError(
        f"{path}: not a golfref store, or damaged ({error}); `golfref tournament` writes stores; "
        "if this is a copy that is not whole, copy it again while no run writes to it"
    )


def open_reading(path: Path) -> sqlite3.Connection:
    """A connection that only reads, also where nothing can be written. Raises StoreError."""
    try:
        return _connect(path, "mode=ro")
    except sqlite3.OperationalError as error:
        rest = Path(f"{path}-wal")
        if rest.exists() and rest.stat().st_size:
            raise StoreError(
                f"{path}: a run that was killed left {rest.name} beside it, and that cannot be read where nothing can "
                f"be written ({error}); copy both to a place where you can write, and look there"
            ) from None
    except sqlite3.DatabaseError as error:
        raise not_readable(path, error) from None
    try:
        return _connect(path, "mode=ro&immutable=1")
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: cannot open the store: {error}") from None


def _connect(path: Path, how: str) -> sqlite3.Connection:
    """A connection that has read the file's beginning."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=_PATIENCE_S)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def is_full(error: Exception) -> bool:
    """Whether the disk, or what the user may have of it, is full."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in _FULL


def refusal(path: Path, error: Exception) -> StoreError:
    """What to say to a person who cannot begin a store, or go on with one, because of this error."""
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    if is_full(error):
        return WriteFailed(f"{path}: cannot write here: {why}; make room, or name another place with --store FILE")
    return StoreError(f"{path}: cannot write here: {why}; name another place with --store FILE")


def sync_folder(path: Path) -> None:
    """Make sure that a file's name is on the disk as well."""
    fd = os.open(path.absolute().parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
