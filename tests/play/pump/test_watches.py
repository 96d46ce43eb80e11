"""A referee whose user has no watch of epoll left plays on, and finds the bot that holds them.

Where nothing else is said, a filter of system calls stands for the user's account (tests/support/no_watches.py).
"""

import errno
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from arena import Arena
from needs import need_bubblewrap

from protocol.messages import Limits
from referee.play.bot import accounts
from referee.play.bot.accounts import MOST_WATCHES, Held, held
from referee.play.faults import Trouble
from referee.play.pump import poller
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.reports.blame import mishap_of
from referee.rules.record import Record

SUPPORT = str(Path(__file__).parent.parent.parent / "support")
PATIENCE_S = 30.0
ROOMY = {"memory_mb": 512, "files": 256}

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="epoll is Linux's")]


def run(program: str) -> str:
    """What a program prints that can take its own watches."""
    given = [sys.executable, "-c", f"import sys; sys.path.append({SUPPORT!r})\n{program}"]
    done = subprocess.run(given, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(record: Record, seat: int) -> str:
    return "\n".join(mishap.detail for move in record.moves if (mishap := mishap_of(move, seat)) is not None)


@pytest.mark.parametrize("preset", ["six-card", "cactus"])
def test_a_match_is_played_to_its_end_without_any_watch(arena: Arena, preset: str) -> None:
    record = arena.play(arena.bot("honest"), arena.bot("honest"), isolation="limits", preset=preset, watches="none")
    assert [seat.faults for seat in record.seats] == [{}, {}]


def test_a_line_that_does_not_fit_is_written_later_without_any_watch(arena: Arena) -> None:
    record = arena.play(arena.bot("leaves_a_byte", "0.02"), arena.bot("honest"), isolation="limits", watches="none")
    assert [seat.faults for seat in record.seats] == [{}, {}]


def test_a_bot_that_leaves_no_room_for_a_line_without_any_watch_is_late(arena: Arena) -> None:
    """It does not void the match that it would lose."""
    record = arena.play(
        arena.bot("leaves_a_byte", "600"),
        arena.bot("honest"),
        isolation="limits",
        watches="none",
        clocks={"move_s": 1.0},
    )
    assert [seat.faults for seat in record.seats] == [{"timeout": 1}, {}]


def test_a_bot_that_takes_the_watches_of_its_user_is_ended_and_told_why(arena: Arena) -> None:
    need_bubblewrap()
    record = arena.play(arena.bot("fills_the_watches", "1", "20", "0.02"), arena.bot("honest_with_epoll"), limits=ROOMY)
    assert [seat.faults for seat in record.seats] == [{"start_failed": 1}, {}]
    assert f"held more than {MOST_WATCHES} watches of epoll" in told(record, 0)


def test_a_bot_that_takes_the_watches_in_its_match_is_ended_too(arena: Arena) -> None:
    need_bubblewrap()
    words = ("fills_the_watches", "1", "20", "600", "later")
    record = arena.play(arena.bot(*words), arena.bot("thinks_long", "1"), limits=ROOMY)
    assert [seat.faults for seat in record.seats] == [{"crashed": 1}, {}]
    assert f"held more than {MOST_WATCHES} watches of epoll" in told(record, 0)


HOLDS = """
import os, select, socket
visible, hidden = select.epoll(), select.epoll()
for number in range(30):
    for epoll in (visible, hidden):
        epoll.register(os.dup(1))
pair = socket.socketpair()
socket.send_fds(pair[0], [b"."], [hidden.fileno()])
hidden.close()
print(flush=True)
input()
"""
"""Has one epoll with thirty watches, and another under way in a socket."""


def test_what_a_process_holds_is_counted() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert held([process.pid]) == Held(watches=30, in_flight=1)
        assert held([process.pid], sockets=False) == Held(watches=30, in_flight=0)
        assert held([process.pid, process.pid], most=20).watches > 20
        process.communicate(b"\n")
    assert held([process.pid]) == Held()


IN_FLIGHT = """
import os, socket
pair = socket.socketpair()
socket.send_fds(pair[0], [b"."], [0])
input()
"""


def test_a_bot_that_hides_what_it_holds_while_no_watch_is_left_is_ended(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "has_watches", lambda: False)

    async def main() -> None:
        pump = Pump()
        programs = (IN_FLIGHT, "import socket; pair = socket.socketpair(); input()")
        specs = [BotSpec(name="bot", command=(sys.executable, "-c", one), dir="/", env=mark) for one in programs]
        hides, honest = [await pump.start_bot(spec, Confinement(isolation="limits"), Limits()) for spec in specs]
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(accounts.Accounts(pump.admitted).run)
                while not isinstance(trouble := hides.hear(), Trouble):
                    await trio.sleep(0.01)
                nursery.cancel_scope.cancel()
        assert trouble.kind == "crashed"
        assert "kept 1 descriptors in sockets" in trouble.detail
        assert honest.hear() is None
        for channel in (hides, honest):
            await channel.stop(patience_s=0.0)
            pump.let_go(channel)
        pump.close()

    trio.run(main)


PIPES = """
import os, trio
from no_watches import take_watches
from referee.tournament.run.pipes import PipeEnd

async def main():
    await trio.sleep(0.01)  # trio's loop has begun
    take_watches()
    reading, writing = os.pipe()
    reader, writer = PipeEnd(reading), PipeEnd(writing)
    got = bytearray()

    async def read():
        while data := await reader.receive(65536):
            got.extend(data)

    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await trio.sleep(0.01)
            await writer.send_all(bytes(1_000_000))
            writer.close()
    reader.close()
    print(len(got))


trio.run(main)
"""


def test_a_run_and_its_worker_talk_without_any_watch() -> None:
    assert run(PIPES) == "1000000\n"


BEGINS = """
from no_watches import take_watches
from referee.play import session
from referee.play.faults import HostFault

take_watches()
session.WATCHES_S = 0.1
try:
    session.run_session([])
except HostFault as fault:
    print(fault)
"""


def test_a_referee_that_cannot_begin_for_want_of_a_watch_says_what_to_do() -> None:
    assert "sysctl fs.epoll.max_user_watches" in run(BEGINS)


class Full:
    """An epoll whose user has no watch left, until `is_full` is set to False."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self.is_full = True
        self.modify, self.unregister, self.poll = self._epoll.modify, self._epoll.unregister, self._epoll.poll
        self.fileno, self.close = self._epoll.fileno, self._epoll.close

    def register(self, fd: int, mask: int) -> None:
        if self.is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._epoll.register(fd, mask)


def test_what_was_left_out_is_added_once_there_are_watches_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poller, "TRY_AGAIN_S", 0.0)
    full = Full()
    monkeypatch.setattr(select, "epoll", lambda: full)
    polled, owner = poller.Poller(), object()
    reading, writing = os.pipe()
    try:
        polled.add(reading, owner)
        polled.watch(reading, lambda _: None)
        assert polled.poll(0.0) == []
        os.write(writing, b".")
        assert [fd for fd, _ in polled.poll(PATIENCE_S)] == [reading]
        assert polled.leaves_out
        full.is_full = False
        assert [fd for fd, _ in polled.poll(PATIENCE_S)] == [reading]
        assert not polled.leaves_out
        polled.forget(reading)
        assert polled.poll(0.0) == []
        polled.drop(owner)
        with pytest.raises(FileNotFoundError):
            full.modify(reading, select.EPOLLIN)
    finally:
        polled.close()
        os.close(reading)
        os.close(writing)
