"""A match between two programs of tests/hostile, by a referee in a process of its own, and what it may not leave."""

import contextlib
import hashlib
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import forked
from msgspec import convert
from needs import OURSELVES, Organiser, need_bubblewrap
from processes import PATIENCE_S

from referee.lock_file import is_locked
from referee.play.sandbox.users import ROOTS_IDS, lock_of
from referee.rules.record import Record
from referee.tournament.verify.replay import check_record

HANGS_S = 50.0
"""A match that lasts longer than this has hung."""

HOSTILE = Path(__file__).parent.parent / "hostile"
SMALL = {"memory_mb": 64, "processes": 48, "files": 64, "tmp_mb": 8, "cpu_s": 20}
"""Limits that a hostile program reaches soon, and on any machine."""


class Arena:
    """Plays one match between two programs of tests/hostile, by a referee in a process of its own.

    Whatever happens, the match is not void and its record replays. Nothing of it is left on the host: see `close`.
    """

    def __init__(self, folder: Path, mark: dict[str, str], organiser: Organiser = OURSELVES) -> None:
        self.folder = folder / "bots"
        self._organiser = organiser
        self.word = f"golf{mark['GOLFREF_TEST'][:12]}"
        """Part of every name that a program gives to something outside its folder, where it can."""
        self._mark = mark
        self._referees: list[int] = []
        self.peak_kb = 0
        """The memory of the last referee, at most."""
        folder.chmod(0o755)
        shutil.copytree(HOSTILE, self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(Path(__file__).with_name("filler.py"), self.folder)
        for path in (self.folder, *self.folder.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
        self._before = self._contents()

    def command(self, *words: str) -> list[str]:
        """The command of a program of the folder, by its name, or of an act of `hostile.py`."""
        program = self.folder / f"{words[0]}.py"
        act = words[1:] if program.exists() else words
        return [self._organiser.python, "-B", str(program if program.exists() else self.folder / "hostile.py"), *act]

    def bot(self, *words: str, **fields: Any) -> dict[str, Any]:
        """A bot as its referee is told of it."""
        return {"name": words[0], "command": self.command(*words), "dir": str(self.folder), "env": self._mark, **fields}

    def play(
        self, *bots: dict[str, Any], isolation: str = "bwrap", env: dict[str, str] | None = None, **given: Any
    ) -> Record:
        """The record of a match of one round; `limits`, `clocks`, `strikes` and `preset` may be given."""
        outcome = self.outcome(*bots, isolation=isolation, env=env, **given)
        assert outcome["void"] == "", outcome["void"]
        record = convert(outcome["record"], Record)
        assert list(check_record(record)) == []
        return record

    def outcome(
        self,
        *bots: dict[str, Any],
        isolation: str = "bwrap",
        env: dict[str, str] | None = None,
        under: Sequence[str] = (),
        **given: Any,
    ) -> dict[str, Any]:
        """What one_match.py says of the match: `record`, or why it is `void`. Its command is put behind `under`."""
        self.needs(isolation)
        setup = {
            "preset": given.get("preset", "six-card"),
            "options": {"rounds": 1},
            "bots": bots,
            "clocks": {"start_s": 60.0, "move_s": 60.0} | given.get("clocks", {}),
            "faults": {"strikes": given.get("strikes", 1)},
            "confinement": {"isolation": isolation, "limits": SMALL | given.get("limits", {})},
        }
        program, given_to_it = self.folder / "one_match.py", json.dumps(setup).encode()
        if under or env or self._organiser != OURSELVES:
            ended = self._started(
                [*under, *self._organiser.become, self._organiser.python, "-P", str(program)], env, given_to_it
            )
        else:
            ended = forked.run(file=program, given=given_to_it, timeout_s=HANGS_S)
        self._referees.append(ended.pid)
        assert ended.code == 0, ended.err.decode()
        outcome: dict[str, Any] = json.loads(ended.out)
        self.peak_kb = outcome["peak_kb"]
        return outcome

    def _started(self, command: list[str], env: dict[str, str] | None, given: bytes) -> forked.Ended:
        """A referee that starts as others do: as another user, behind a command, or with an environment of its own."""
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | self._organiser.env | (env or {}),
        ) as referee:
            try:
                out, err = referee.communicate(given, timeout=HANGS_S)
            finally:
                referee.kill()
        return forked.Ended(referee.pid, out, err, referee.returncode)

    def needs(self, isolation: str) -> None:
        """Skips a test whose level this host does not offer, but fails it where everything is to be checked."""
        if isolation == "bwrap":
            need_bubblewrap()

    def close(self) -> None:
        """Fails if the folder has changed or anything is left of what was played; marked processes are `mark`'s."""
        assert self._contents() == self._before
        for folder in ("/tmp", "/var/tmp", "/dev/shm"):
            assert not [path.name for path in Path(folder).iterdir() if self.word in path.name]
        listed = "".join(map(_text, ("/proc/net/unix", "/proc/self/mountinfo")))
        assert self.word not in listed
        assert f"{self.folder} " not in listed
        key = str(int(hashlib.sha256(self.word.encode()).hexdigest()[:7], 16))
        assert key not in "".join(_text(f"/proc/sysvipc/{listing}") for listing in ("shm", "msg", "sem")).split()
        assert not list(self._groups()), "control groups were left behind"
        assert not list(self._strays()), "processes of a cell were left behind"

    def _contents(self) -> dict[str, tuple[int, int, bytes]]:
        files = {path: path.lstat() for path in sorted(self.folder.rglob("*"))}
        return {
            str(path): (stat.st_mtime_ns, stat.st_mode, path.read_bytes() if path.is_file() else b"")
            for path, stat in files.items()
        }

    def _groups(self) -> Iterator[str]:
        """Control groups of bots; that of a referee goes when the next one begins."""
        for _, folders, _ in os.walk("/sys/fs/cgroup"):
            for name in folders:
                words = name.split(".")
                if words[0] == "golfref" and int(words[1]) in self._referees and words[-1] == "bot":
                    yield name

    def _strays(self) -> Iterator[str]:
        """Bubblewraps that have lost their referee, and processes of bots' users whose referee has ended.

        Those that are just ending are waited for.
        """
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, KeyError):
                lines = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())
                uid, name = int(lines["Uid"].split()[0]), lines["Name"]
                is_lost = name == "bwrap" and int(lines["PPid"]) in {1, os.getpid()}
                if is_lost or (uid in ROOTS_IDS and not is_locked(lock_of(uid))):
                    fd = os.pidfd_open(int(folder.name))
                    if not select.select([fd], [], [], PATIENCE_S)[0]:
                        yield f"{folder.name} {name}"
                    os.close(fd)


def _text(path: str) -> str:
    """What the system lists there; empty where it has no such list."""
    with contextlib.suppress(OSError):
        return Path(path).read_text(errors="replace")
    return ""
