"""What a stranger's bot learns in one match it cannot read in a later one: it sees copies in memory, not the disk."""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import msgspec
import pytest
from arena import HOSTILE
from commands import GOLFREF, golfref
from needs import lacking, need_bubblewrap

from referee.rules.record import Record

pytestmark = pytest.mark.full

PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin") or sys.executable
"""The system's own, which is quicker to copy than that of a virtual environment."""

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600 }}
[tournament]
name = "strangers"
isolation = "bwrap"
deals = {deals}
jobs = 1
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[bots]]
name = "carries"
owner = "a"
dir = "carries"
command = [{command}]
{more}
[[bots]]
name = "other"
owner = "b"
dir = "other"
command = ["{python}", "honest.py"]
"""

MB = 1 << 20


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """A folder with the folders of two bots, which every user can read."""
    need_bubblewrap()
    for name in ("carries", "other"):
        shutil.copytree(HOSTILE, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(HOSTILE.parent / "support" / "filler.py", tmp_path / name)
    for path in (tmp_path, *tmp_path.rglob("*"), tmp_path.parent, tmp_path.parent.parent):
        if os.access(path, os.W_OK):
            path.chmod(0o755 if path.is_dir() else 0o644)
    return tmp_path


def write(entries: Path, *command: str, more: str = "", deals: int = 2) -> None:
    """Write the config of a tournament between two owners."""
    quoted = ", ".join(f'"{word}"' for word in (PYTHON, *command))
    (entries / "day.toml").write_text(CONFIG.format(command=quoted, python=PYTHON, more=more, deals=deals))


def play(entries: Path, *command: str, more: str = "", deals: int = 2) -> str:
    """Play a tournament between two owners; returns what the referee said."""
    write(entries, *command, more=more, deals=deals)
    return golfref("tournament", "day.toml", cwd=entries)[1]


def told(entries: Path) -> dict[str, list[str]]:
    """What the bot `carries` reported in all matches, by its first word."""
    found: dict[str, list[str]] = {"noted": [], "read": [], "carries": []}
    with closing(connect(entries / "day.golfref")) as store:
        rows = store.execute("SELECT record FROM matches").fetchall()
    for (data,) in rows:
        record = msgspec.json.decode(zlib.decompress(data), type=Record)
        seat = next(seat for seat in record.seats if seat.name == "carries")
        for line in seat.stderr.splitlines():
            name, _, rest = line.partition(": ")
            found[name].append(rest)
    return found


def evict(path: Path) -> None:
    """Have the system forget what a file holds, until it is read again; skips where it does not, or the disk is memory.

    Nothing in a cell may do this.
    """
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        places = range(path.stat().st_size - 16 * 4096, path.stat().st_size - 4096, 4096)
        cold, warm = ([timed(file.fileno(), place) for place in places] for _ in range(2))
        if statistics.median(cold) < 20e-6 or statistics.median(cold) < 4 * statistics.median(warm):
            lacking(f"{path} is on a file system that lies in memory, or is as quick")


def timed(fd: int, place: int) -> float:
    begun = time.perf_counter()
    os.pread(fd, 1, place)
    return time.perf_counter() - begun


def most_alike(found: dict[str, list[str]]) -> float:
    """The largest share of bits in which a word that was read agrees with one that was noted."""
    pairs = [(read, noted) for read in found["read"] for noted in found["noted"]]
    shares = (sum(map(str.__eq__, *pair)) / len(pair[0]) for pair in pairs)
    return max(shares, default=0.0)


def large_files() -> Iterator[Path]:
    """Large files of the system that no program reads that plays here."""
    for folder in ("/usr/share", "/usr/lib", "/usr/bin"):
        for path in Path(folder).rglob("*"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size > 4 * MB and "python" not in str(path):
                yield path


def test_nothing_is_carried_by_pages_of_the_folder(entries: Path) -> None:
    """The file lies where it does not count for the version of a bot, and so is not read before play."""
    blob = entries / "carries" / ".git" / "blob"
    blob.parent.mkdir()
    blob.write_bytes(os.urandom(16 * MB + 1))
    evict(blob)
    said = play(entries, "carries_cards.py", ".git/b*")
    found = told(entries)
    assert len(found["read"]) + len(found["noted"]) >= 4, said
    assert most_alike(found) < 0.8
    assert "2 of 2 bots see nothing of the disk" in said


def test_nothing_is_carried_by_pages_of_the_system(entries: Path) -> None:
    files: list[str] = []
    size = 0
    for path in large_files():
        if size < 24 * MB:
            evict(path)
            files.append(str(path))
            size += path.stat().st_size
    if size < 24 * MB:
        lacking("the system has no large files")
    play(entries, "carries_cards.py", *files, deals=1)
    found = told(entries)
    assert found["carries"] == ["nothing: too few pages"] * 2


def test_reads_shows_all_of_the_system_and_the_organiser_is_told(entries: Path) -> None:
    said = play(entries, "honest.py", more='reads = ["/usr"]')
    assert "1 of 2 bots see nothing of the disk" in said
    assert "WARNING: bot `carries` reads from the disk all of /usr, as its `reads` says" in said
    assert "bot `carries` reads from the disk all of /usr" in golfref("standings", "day.golfref", cwd=entries)[0]
    golfref("verify", "day.golfref", cwd=entries)


def test_a_folder_that_changes_during_the_run_is_told_and_does_not_matter(entries: Path) -> None:
    write(entries, "honest.py")
    with subprocess.Popen([*GOLFREF, "tournament", "day.toml"], cwd=entries, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        assert any("bots see" in said for said in run.stderr)
        (entries / "other" / "honest.py").write_text("raise SystemExit")
        said = run.stderr.read()
    assert "bot `other` changed while matches were played" in said
    assert "its results are those of the former, of which the run has copies" in said
    with closing(connect(entries / "day.golfref")) as store:
        results = store.execute("SELECT result FROM matches").fetchall()
    assert len(results) == 4
    assert not any(any(json.loads(result)["faults"]) for (result,) in results)
    golfref("verify", "day.golfref", cwd=entries)


def in_memory(pid: int) -> list[str]:
    """What a referee has in memory."""
    return [path.name for path in Path("/dev/shm").glob(f"golfref-memory-{pid}-*")]


@pytest.mark.parametrize(
    ("line", "number"), [("bots see", signal.SIGINT), ("commitment", signal.SIGTERM), ("commitment", signal.SIGKILL)]
)
def test_nothing_stays_in_memory_however_a_run_ends(entries: Path, line: str, number: signal.Signals) -> None:
    """What a killed referee leaves there is removed by the next."""
    write(entries, "honest.py", deals=200)
    with subprocess.Popen([*GOLFREF, "tournament", "day.toml"], cwd=entries, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        assert any(line in said for said in run.stderr)
        assert in_memory(run.pid)
        run.send_signal(number)
        run.stderr.read()
    if number == signal.SIGKILL:
        golfref("tournament", "day.toml", "--dry-run", cwd=entries)
    assert in_memory(run.pid) == []
