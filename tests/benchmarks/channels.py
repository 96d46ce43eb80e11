"""How many bits a second two bots can whisper to each other, and to a match that comes later.

    python tests/benchmarks/channels.py [--quick]

Two bots that know of each other run in real cells, made as for a match. One sends random bits through a channel and the
other one says what it heard; hostile/whisperer.py has the channels. Prints bits a second of the time that both spend on
it, and how many bits were wrong, for bots that nothing holds (which shows that the channel works), for bots in cells
that see the system's folders, and for bots in cells that see copies in memory, as strangers do. `later` is from a cell
that has ended to one that starts afterwards. Nothing is heard where chance alone would get as many bits right in one of
200 tries. What is heard is measured a second time, and counts only where it is heard again: a table has many cells.
"""

import argparse
import functools
import json
import os
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import sqrt
from pathlib import Path
from select import select
from typing import Any

import trio
from msgspec import Struct
from tabulate import tabulate

from referee.play.bot.ending import stop
from referee.play.bot.process import BotProcess
from referee.play.isolation.copies import copied
from referee.play.isolation.paths import FOLDER
from referee.play.spec import BotLimits, BotSpec, Confinement, Isolation

PYTHON = next((path for path in ("/usr/bin/python3",) if os.path.exists(path)), sys.executable)
WHISPERER = Path(__file__).parent.parent / "hostile/whisperer.py"
SURE = 2.6
"""By how many standard deviations more bits must be right than wrong."""

PATIENCE_S = 60.0
SOON_S = 0.1
PAGES_BYTES = 40 << 20
LITTLE_FILES = 64


class Channel(Struct, frozen=True, kw_only=True):
    """A way to whisper, and how it is measured."""

    title: str
    runs: str
    """The class in whisperer.py."""
    bits: int = 1
    rounds: int = 40
    place: str = ""
    """Whose files it uses: `usr`, `bot` or `reads`."""
    stays: bool = False
    """Whether what is sent may outlive the sender."""
    slots: bool = False
    """Whether both do something at the same time."""

    def quick_rounds(self) -> int:
        """As few rounds as tell chance from hearing."""
        return max(1, min(self.rounds, 12 // self.bits))


CHANNELS = (
    Channel(title="cold pages of files in /usr", runs="Pages", bits=512, rounds=4, place="usr", stays=True),
    Channel(title="cold pages of the own folder", runs="Pages", bits=512, rounds=4, place="bot", stays=True),
    Channel(title="cold pages of `reads`", runs="Pages", bits=512, rounds=4, place="reads", stays=True),
    Channel(title="names that are not there, /usr", runs="Dentries", bits=512, rounds=4, place="usr", stays=True),
    Channel(title="names that are not there, own folder", runs="Dentries", bits=512, rounds=4, place="bot", stays=True),
    Channel(title="access times of files", runs="AccessTimes", bits=LITTLE_FILES, rounds=4, place="bot", stays=True),
    Channel(title="times of /dev/null", runs="DeviceTimes", stays=True),
    Channel(title="counters of /proc", runs="Counter", bits=2, rounds=20, stays=True),
    Channel(title="numbers of pipes", runs="Inodes", stays=True),
    Channel(title="free memory, sysinfo", runs="FreeMemory"),
    Channel(title="number of threads, sysinfo", runs="Processes"),
    Channel(title="futexes on a file in /usr", runs="Futexes", bits=8, rounds=8, place="usr"),
    Channel(title="futexes on a file of the own folder", runs="Futexes", bits=32, rounds=4, place="bot"),
    Channel(title="who maps a page, /usr", runs="PageTables", bits=8, rounds=16, place="usr"),
    Channel(title="who maps a page, own folder", runs="PageTables", bits=512, rounds=8, place="bot"),
    Channel(title="load of the cores", runs="Cores", bits=100, rounds=2, slots=True),
    Channel(title="caches and memory", runs="Caches", bits=100, rounds=2, slots=True),
    Channel(title="pages of a user's pipes", runs="PipePages", rounds=10),
    Channel(title="a user's descriptors on their way", runs="Descriptors"),
    Channel(title="a user's signals that wait", runs="Signals"),
)


class Heard(Struct, frozen=True, kw_only=True):
    """What came through."""

    bits: int
    wrong: int
    seconds: float

    @property
    def beyond_chance(self) -> bool:
        """Whether more came through than chance alone would get right."""
        return self.bits - 2 * self.wrong >= SURE * sqrt(self.bits)

    def __add__(self, other: "Heard") -> "Heard":
        return Heard(bits=self.bits + other.bits, wrong=self.wrong + other.wrong, seconds=self.seconds + other.seconds)

    def __str__(self) -> str:
        return f"{self.bits / self.seconds:,.0f} ({self.wrong / self.bits:.1%})"


class Refused(Exception):
    """The bot cannot use this channel; the text says why."""


class Place(Struct, frozen=True, kw_only=True):
    """How bots are held, and what is theirs."""

    isolation: Isolation
    folder: Path
    reads: Path
    copies: str = ""

    @property
    def spec(self) -> BotSpec:
        """Both bots: two processes of one bot in two matches share no less than bots of two folders do."""
        command = (PYTHON, "-B", "whisperer.py")
        return BotSpec(name="whisperer", command=command, dir=str(self.folder), env={}, reads=(str(self.reads),))

    def files(self, channel: Channel) -> list[str]:
        """The files, or the folder, that a channel uses, as the bots call them."""
        folder = str(self.folder) if self.isolation == "none" else FOLDER
        if channel.runs == "Dentries":
            return {"usr": ["/usr/lib"], "bot": [folder]}[channel.place]
        if channel.runs == "AccessTimes":
            return [f"{folder}/little-{number}" for number in range(LITTLE_FILES)]
        if channel.place == "usr":
            return large_files() if channel.runs == "Pages" else [library_file()]
        return {"bot": [f"{folder}/pages"], "reads": [f"{self.reads}/pages"], "": []}[channel.place]


class Partner:
    """A bot that does what it is told."""

    def __init__(self, place: Place) -> None:
        limits = BotLimits(processes=256, files=256)
        self._process = BotProcess(
            place.spec, Confinement(isolation=place.isolation, limits=limits, copies=place.copies)
        )
        self._unread = b""

    def tell(self, what: str, channel: Channel, files: list[str], **more: Any) -> None:
        order = {"do": what, "channel": channel.runs, "files": files, "note": None, **more}
        os.write(self._process.stdin, json.dumps(order).encode() + b"\n")

    def answer(self) -> dict[str, Any]:
        """What it answers; raises Refused."""
        while b"\n" not in self._unread:
            if not select([self._process.stdout], [], [], PATIENCE_S)[0]:
                raise Refused("it does not answer")
            if not (data := os.read(self._process.stdout, 65536)):
                raise Refused(f"it ended: {os.read(self._process.stderr, 65536).decode()}")
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        if "refused" in answer:
            raise Refused(answer["refused"])
        return answer

    async def stop(self) -> None:
        await stop(self._process, patience_s=0, drain=lambda: None)


async def measured(channel: Channel, place: Place, *, later: bool, rounds: int) -> str:
    """What a channel carries here, as text."""
    try:
        first = await listen(channel, place, later=later, rounds=rounds)
        if not first.beyond_chance:
            return "nothing"
        again = await listen(channel, place, later=later, rounds=rounds)
    except Refused as refused:
        return f"refused: {refused}"
    return str(first + again) if again.beyond_chance else "nothing"


async def listen(channel: Channel, place: Place, *, later: bool, rounds: int) -> Heard:
    """What comes through in so many rounds; raises Refused."""
    heard = Heard(bits=0, wrong=0, seconds=0.0)
    pair: list[Partner] = []
    try:
        for _ in range(rounds):
            if later or not pair:
                pair += [Partner(place), Partner(place)]
            heard += await play_round(channel, place, pair, later=later)
    finally:
        for partner in pair:
            await partner.stop()
    return heard


async def play_round(channel: Channel, place: Place, pair: list[Partner], *, later: bool) -> Heard:
    """One block of bits. If it is heard `later`, all bots end meanwhile, and `pair` is empty afterwards."""
    receiver, sender = pair
    files = place.files(channel)
    sent = f"{secrets.randbits(channel.bits):0{channel.bits}b}"
    common = {"bits": sent, "word": secrets.token_hex(6)}
    hears, says = {"sends": False, **common, "bits": "0" * channel.bits}, {"sends": True, **common}
    for path in (*large_files(), str(place.folder / "pages"), str(place.reads / "pages")):
        forget(path)
    for little in place.folder.glob("little-*"):
        os.utime(little, (1, 2))
    if channel.slots:
        begin = time.monotonic() + SOON_S
        sender.tell("send", channel, files, **says, begin=begin)
        receiver.tell("receive", channel, files, **hears, begin=begin)
        sender.answer()
        got = receiver.answer()
        seconds = got["s"] - SOON_S
    else:
        receiver.tell("prepare", channel, files, **hears)
        note = receiver.answer()
        if later:
            await receiver.stop()
        sender.tell("send", channel, files, **says)
        seconds = note["s"] + sender.answer()["s"]
        if later:
            await sender.stop()
            pair[:] = [Partner(place)]
            receiver = pair[0]
        receiver.tell("receive", channel, files, **hears, note=note["note"])
        got = receiver.answer()
        seconds += got["s"]
    if later:
        await pair.pop().stop()
    else:
        for partner, role in ((sender, says), (receiver, hears)):
            partner.tell("rest", channel, files, **role)
            partner.answer()
    wrong = sum(one != other for one, other in zip(sent, got["bits"], strict=True))
    return Heard(bits=channel.bits, wrong=wrong, seconds=seconds)


def forget(path: str) -> None:
    """Let the kernel forget what it has read of a file, as it has of most files when strangers come."""
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


@functools.cache
def large_files() -> list[str]:
    """The largest files in /usr that everybody may read."""
    found = []
    for folder, _, names in [*os.walk("/usr/lib"), *os.walk("/usr/share")]:
        for name in names:
            path = os.path.join(folder, name)
            with suppress(OSError):
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IROTH:
                    found.append((status.st_size, path))
    return [path for _, path in sorted(found, reverse=True)[:40]]


@functools.cache
def library_file() -> str:
    """A file of the bots' interpreter that hardly anybody maps, of more than half a megabyte."""
    asked = [PYTHON, "-c", "import pydoc_data.topics as one; print(one.__file__)"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def places() -> Iterator[list[Place]]:
    """Bots that nothing holds, bots in cells, and bots in cells that see copies."""
    # Not in memory, where no page is ever cold.
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as name:
        folder, reads = Path(name, "bot"), Path(name, "reads")
        for one in (folder, reads):
            one.mkdir()
            with open(one / "pages", "wb") as file:
                file.write(os.urandom(PAGES_BYTES))
                os.fsync(file.fileno())
        for number in range(LITTLE_FILES):
            (folder / f"little-{number}").write_text("x")
        shutil.copy(WHISPERER, folder)
        for path in (Path(name), *Path(name).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        found = [Place(isolation=level, folder=folder, reads=reads) for level in ("none", "bwrap")]
        with copied([found[1].spec]) as made:
            if made.on_disk:
                print("without copies:", made.on_disk)
            yield [
                *found,
                *([Place(isolation="bwrap", folder=folder, reads=reads, copies=made.folder)] if made.folder else []),
            ]


async def main() -> None:
    words = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--quick", action="store_true", help="one round each, which says little")
    words.add_argument("--only", default="", help="only channels whose title has this text")
    given = words.parse_args()
    rows = []
    with places() as here:
        for channel in CHANNELS:
            if given.only not in channel.title:
                continue
            few = channel.quick_rounds() if given.quick else 0
            row = [channel.title]
            for place in here:
                row.append(await measured(channel, place, later=False, rounds=few or channel.rounds))
            for place in here[1:]:
                rounds = few or min(channel.rounds, 12)
                row.append(await measured(channel, place, later=True, rounds=rounds) if channel.stays else "-")
            rows.append(row)
    heads = ["bits a second (wrong)", "none", "cell", "cell with copies", "cell, later", "cell with copies, later"]
    print(tabulate(rows, headers=heads[: len(rows[0])], tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    trio.run(main)
