"""Events: what a run that goes on sends again, and lines that no slow or dead reader holds up."""

import os
import re
from contextlib import closing
from pathlib import Path
from typing import get_args

import msgspec
from exported import made_up_run
from msgspec.structs import replace

from referee.events.events import (
    Begin,
    End,
    Event,
    LeftOut,
    Match,
    Note,
    Place,
    Player,
    Progress,
    Standings,
    Void,
    line_of,
    safe,
    safe_lines,
)
from referee.events.hook_loop import HOOK_OF
from referee.events.reporter import missed_events
from referee.events.writer import MOST_WAITING, NonBlockingWriter
from referee.tournament.config.hooks import Hooks
from referee.tournament.config.planned import MatchIdentities
from referee.tournament.store.disk import locked
from referee.tournament.store.plans import plan_now
from referee.tournament.store.rows import Amended
from referee.tournament.store.store import Store

PAGE = Path(__file__).parents[2] / "tournaments/EVENTS.md"

PROGRESS = Progress(played=1, planned=2, voided=0, left_s=1.5)


def read(data: bytes) -> list[Event]:
    return [msgspec.json.decode(line, type=Event) for line in data.splitlines()]


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


def test_a_reader_that_hangs_holds_nobody_up_and_reads_how_many_lines_are_missing() -> None:
    reading, writing = os.pipe()
    writer = NonBlockingWriter(writing)
    line = len(line_of(PROGRESS))
    for _ in range(MOST_WAITING + (1 << 16) // line + 500):
        writer.put(PROGRESS)
    writer.put(End(code=0, why="", store=None, played=1, planned=2))
    os.set_blocking(reading, False)
    data = b""
    while not writer.finish(0.0):
        data += os.read(reading, 1 << 16)
    os.close(writing)
    os.set_blocking(reading, True)
    events = read(data + read_all(reading))
    os.close(reading)

    assert isinstance(events[-1], End), "the end is never left out"
    missing = sum(one.lines for one in events if isinstance(one, LeftOut))
    assert missing == writer.left_out >= 400
    assert len(events) < MOST_WAITING + (1 << 16) // line + 2


def test_a_reader_that_is_gone_is_nobodys_problem() -> None:
    reading, writing = os.pipe()
    writer = NonBlockingWriter(writing)
    os.close(reading)
    writer.put(PROGRESS)
    writer.put(PROGRESS)
    os.close(writing)

    assert writer.problem == "nobody reads it any more"


def test_what_hooks_missed_is_sent_in_the_order_in_which_it_happened(tmp_path: Path) -> None:
    path = made_up_run(tmp_path, ["six-card"], without=1)
    with locked(path) as lock, closing(Store.open(path, lock=lock)) as store:
        last, plan = store.last_id(), plan_now(store)
        for attempt, reason in enumerate(("the host was \x1b[2J busy", "again"), 1):
            store.note_void(MatchIdentities(store.meta().config).identity(plan[len(plan) - 1]), attempt, reason)
        found = [*missed_events(store, len(plan), row=last, lines=0)]

        again = [*missed_events(store, len(plan), row=last + 1, lines=1)]

    (match, _, void) = (one for one in found if isinstance(one, Match | Void))
    assert again == [replace(void, at=again[0].at)]
    assert isinstance(match, Match)
    assert (match.id, match.played, match.planned) == (last, len(plan) - 1, len(plan))
    assert isinstance(void, Void)
    assert (void.match, void.game, void.attempt, void.reason, void.id) == (
        len(plan) - 1,
        "six-card",
        2,
        "again",
        last + 2,
    )


def test_a_match_that_an_amendment_took_out_before_it_was_sent_is_sent(tmp_path: Path) -> None:
    path = made_up_run(tmp_path, ["six-card"])
    with locked(path) as lock, closing(Store.open(path, lock=lock)) as store:
        last, plan = store.last_id(), plan_now(store)
        places = [replace(place, number=None, block=None) if place.id == last else place for place in store.places()]
        store.amend(Amended(config=store.meta().config, matches=len(plan)), lambda _: places)
        found = [*missed_events(store, len(plan), row=last, lines=0)]

    (match,) = (one for one in found if isinstance(one, Match))
    assert (match.id, match.match, match.played) == (last, None, len(plan) - 1)


def test_the_page_has_every_event_with_all_of_its_fields() -> None:
    rows = {
        cells[1].strip(" `"): (cells[2].strip(" `"), set(re.findall(r"`(\w+)`", cells[4])))
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `") and "`type`" not in line and len(cells := line.split("|")) == 6
    }
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(Event)}

    assert set(rows) == set(kinds)
    for tag, kind in kinds.items():
        hook, named = rows[str(tag)]
        assert hook == HOOK_OF.get(kind, "")
        inner = {field for one in INNER.get(kind, ()) for field in one.__struct_fields__}
        fields = set(kind.__struct_fields__) - {"at"}
        assert named - {"null"} == fields | inner


INNER = {Begin: (Player,), Standings: (Place,)}


def test_every_hook_of_a_config_is_run_by_something() -> None:
    assert sorted(HOOK_OF.values()) == sorted(name for name in Hooks.__struct_fields__ if name.startswith("on_"))
