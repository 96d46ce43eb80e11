"""What machines are told: lines that a slow or dead reader never holds up, and texts that harm nobody."""

import os

import msgspec

from referee.competition.happenings import End, Happening, LeftOut, Note, Progress, line_of, safe, safe_lines
from referee.competition.outflow import MOST_WAITING, Outflow

PROGRESS = Progress(played=1, planned=2, voided=0, left_s=1.5)


def told(data: bytes) -> list[Happening]:
    return [msgspec.json.decode(line, type=Happening) for line in data.splitlines()]


def read_all(fd: int) -> bytes:
    found = b""
    while data := os.read(fd, 1 << 16):
        found += data
    return found


def test_a_line_holds_nothing_that_steers_a_terminal() -> None:
    text = "evil \x1b[2J \x9b1m \u202eback\nforged: line \ud800"
    line = line_of(Note(text=safe(text)))

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.decode().strip().isprintable()
    assert line_of(Note(text=safe_lines("one\ntwo \x07"))).startswith(b'{"type":"note","text":"one\\ntwo \\\\x07"')


def test_a_reader_that_stops_reading_holds_nobody_up_and_is_told_what_it_missed() -> None:
    reading, writing = os.pipe()
    outflow = Outflow(writing)
    line = len(line_of(PROGRESS))
    for _ in range(MOST_WAITING + (1 << 16) // line + 500):
        outflow.put(PROGRESS)
    outflow.put(End(code=0, why="", store=None, played=1, planned=2))
    os.set_blocking(reading, False)
    data = b""
    while not outflow.finish(0.0):
        data += os.read(reading, 1 << 16)
    os.close(writing)
    os.set_blocking(reading, True)
    happenings = told(data + read_all(reading))
    os.close(reading)

    assert isinstance(happenings[-1], End), "the end is never left out"
    missing = sum(one.lines for one in happenings if isinstance(one, LeftOut))
    assert missing >= 400
    assert len(happenings) < MOST_WAITING + (1 << 16) // line + 2


def test_a_reader_that_is_gone_is_nobodys_problem() -> None:
    reading, writing = os.pipe()
    outflow = Outflow(writing)
    os.close(reading)
    outflow.put(PROGRESS)
    outflow.put(PROGRESS)
    os.close(writing)

    assert outflow.problem == "nobody reads it any more"
