"""A run is followed while its writer goes on: nothing is missed, and the writer notices nothing."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from in_store import go_on
from msgspec.structs import replace
from on_screen import on_screen, shown, until
from recorded_matches import BY_PRESET
from textual.pilot import Pilot

from referee.commands.tournament.prepare import open_store, prepare
from referee.terminal.screen.draw import ASCII
from referee.terminal.watch import follow
from referee.terminal.watch.follow import MatchPage, RunPage
from referee.terminal.watch.run import RunReader
from referee.tournament.config.config import load
from referee.tournament.config.planned import MatchIdentities
from referee.tournament.orders import played
from referee.tournament.store.disk import SIDE_FILES, locked
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.voids import VoidSuspect

CONFIG = """
[tournament]
name = "small"
seed = "abc"
deals = 1
seats = 3
[[variants]]
preset = "six-card"
[[bots]]
builtin = "random"
[[bots]]
builtin = "greedy"
[[bots]]
builtin = "keeper"
"""


class Writer:
    """Commits the matches of a run one after another, each with the same record."""

    def __init__(self, store: Store, path: Path) -> None:
        self.store, self.path = store, path
        self._config = load(path.with_suffix(".toml"))
        self._left = iter(prepare(self._config, path, fresh=False, may_change=False).plan)

    def commit(self) -> None:
        planned_match = next(self._left)
        names = [self._config.bots[bot].name for bot in planned_match.lineup]
        record = BY_PRESET["six-card"]
        seats = tuple(replace(seat, name=name) for seat, name in zip(record.seats, names, strict=True))
        report = played(planned_match, replace(record, seats=seats))
        self.store.commit(report, MatchIdentities(self._config.run_config()).identity(planned_match))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """A run of three matches that has begun."""
    (tmp_path / "run.toml").write_text(CONFIG)
    path = tmp_path / "run.golfref"
    with locked(path) as lock:
        begun = prepare(load(tmp_path / "run.toml"), path, fresh=False, may_change=False)
        with closing(open_store(begun, lock)) as store:
            yield Writer(store, path)
    assert not [rest for rest in SIDE_FILES if Path(f"{path}{rest}").exists()], "a reader kept the writer from closing"


def has(page: RunPage, matches: int) -> bool:
    return len(page.now.matches) == matches


def test_matches_appear_when_they_are_committed(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "POLL_INTERVAL_S", 0.05)
    reader = RunReader(writer.path)
    page = RunPage(reader, reader.look(), ASCII)

    async def look(pilot: Pilot[None]) -> None:
        assert "small  0 of 3 matches, being played" in shown(page)
        assert "no match has ended yet" in shown(page)
        for done in (1, 2, 3):
            writer.commit()
            await until(partial(has, page, done))
        await pilot.pause()
        text = shown(page)
        assert "3 of 3 matches: it is over" in text
        assert [word in text for word in ("rank", "keeper", "greedy", "random")] == [True] * 4
        assert "> match 2 six-card, deal 0, rotation 2: " in text
        await pilot.press("up", "enter")
        await pilot.pause()
        assert isinstance(page.app.screen, MatchPage)
        assert "match 1 six-card" in shown(page)
        await pilot.press("right", "q")
        assert not isinstance(page.app.screen, MatchPage)
        await pilot.press("s")
        assert "Match points, the row's bot against the column's" in shown(page)
        await pilot.press("x", "q")

    on_screen(page, look)


def test_a_bot_whose_presence_explains_the_voids_stands_above_the_standings(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "POLL_INTERVAL_S", 3600)
    writer.commit()
    reader = RunReader(writer.path)
    now = reader.look()
    suspect = VoidSuspect(bot="greedy", voided=48, of=50)
    page = RunPage(reader, replace(now, summary=replace(now.summary, void_suspects=(suspect,))), ASCII)

    async def look(pilot: Pilot[None]) -> None:
        assert "WARNING: greedy sat at 48 of 50 voided attempts" in shown(page)
        await pilot.press("q")

    on_screen(page, look)


def test_one_match_after_another_shows_itself(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "POLL_INTERVAL_S", 0.05)
    writer.commit()
    writer.commit()
    reader = RunReader(writer.path)
    page = RunPage(reader, reader.look(), ASCII)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.press("home", "space")
        await pilot.pause()
        first = page.app.screen
        assert isinstance(first, MatchPage)
        await pilot.press("end", "space")
        await until(lambda: page.app.screen is not first and isinstance(page.app.screen, MatchPage))
        await pilot.pause()
        assert "match 1 " in shown(page)
        later = page.app.screen
        assert isinstance(later, MatchPage)
        await pilot.press("end", "space")
        writer.commit()
        await until(lambda: page.app.screen is not later and isinstance(page.app.screen, MatchPage))
        await pilot.pause()
        assert "match 2 " in shown(page)
        await pilot.press("q", "q")

    on_screen(page, look)


@pytest.mark.parametrize(("columns", "is_wide"), [(80, False), (200, True)])
def test_the_latest_matches_stand_below_the_standings_or_beside_them_on_a_wide_terminal(
    writer: Writer, columns: int, is_wide: bool
) -> None:
    for _ in range(3):
        writer.commit()
    reader = RunReader(writer.path)
    page = RunPage(reader, reader.look(), ASCII)

    async def look(pilot: Pilot[None]) -> None:
        lines = [line.rstrip() for line in shown(page).splitlines()]
        heading = next(line for line in lines if line.startswith("rank"))
        first = next(line for line in lines if line.lstrip().startswith("1"))
        assert "o" in first[heading.index("spread") :], "no point of the rating in its bar"
        assert is_wide != any(line.startswith("> match 2") for line in lines)
        await pilot.press("q")

    on_screen(page, look, (columns, 24))


def test_nobody_plays_a_run_that_was_interrupted(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    path = tmp_path / "run.golfref"
    with locked(path) as lock, closing(open_store(prepare(load(tmp_path / "run.toml"), path, fresh=False,
                                                          may_change=False), lock)):  # fmt: skip
        assert RunReader(path).look().is_played is not False
    now = RunReader(path).look()
    assert not now.is_played
    assert not now.is_over


def test_a_run_on_a_file_system_whose_files_have_another_device_than_its_locks_is_said_to_be_played_by_nobody(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as btrfs: stat gives each subvolume a device of its own, /proc/locks has that of the file system."""
    stat = os.stat

    def of_a_subvolume(*args: Any, **named: Any) -> os.stat_result:
        fields = list(stat(*args, **named))
        fields[2] += 1
        return os.stat_result(fields)

    monkeypatch.setattr(os, "stat", of_a_subvolume)
    assert RunReader(writer.path).look().is_played is not False


def test_the_winner_of_stages_is_shown_with_the_places_of_the_standings_on_24_lines(tmp_path: Path) -> None:
    bots = "".join(f'[[bots]]\nbuiltin = "random"\nname = "b{number:02}"\n' for number in range(24))
    (tmp_path / "run.toml").write_text(
        '[tournament]\nname = "cup"\nseed = "abc"\n[[stages]]\nformat = "swiss"\nrounds = 1\ndeals = 1\nadvance = 4\n'
        '[[stages]]\nformat = "knockout"\ndeals = 1\nlimit = 1\n[[variants]]\npreset = "six-card"\n' + bots
    )
    go_on(tmp_path, matches=25)
    reader = RunReader(tmp_path / "run.golfref")
    page = RunPage(reader, reader.look(), ASCII)

    async def look(pilot: Pilot[None]) -> None:
        assert "4 bots can still come first" in " ".join(shown(page).split())
        await asyncio.to_thread(go_on, tmp_path)
        page.now = reader.look()
        page.redraw()
        await pilot.pause()
        text = shown(page)
        with closing(Store.open(reader.path)) as store:
            rows = summary_of(store).standings
        assert f"{rows[0].bot} won the final" in text
        assert [line.split()[1] for line in text.splitlines() if line.startswith(" 1-24 ")] == [
            row.bot for row in rows[: text.count("\n 1-24 ")]
        ]
        await pilot.press("s")
        await pilot.pause()
        assert "Stage 1: swiss" in shown(page)
        await pilot.press("q", "q")

    on_screen(page, look)
