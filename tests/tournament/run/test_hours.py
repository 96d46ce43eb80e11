"""A run that keeps to a time: it ends at the end of a round, goes on with what was chosen, and can be checked."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from forging import ForgedRow, forge
from quick import QUICK

from referee.commands.tournament.prepare import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.config.planned import MatchIdentities
from referee.tournament.plan.rounds import End, Round
from referee.tournament.run.clock import HoursClock
from referee.tournament.run.run import Run
from referee.tournament.store.disk import locked
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.verify.run import check_store
from referee.tournament.voids import VoidSuspect

CONFIG = """
time = { start_s = 60, move_s = 60, bank_s = 600 }
[tournament]
name = "timed"
seed = "abc"
hours = 1.0
deals = 3
workers = 1
[[variants]]
preset = "six-card"
options = { rounds = 1 }
"""


def bots(*names: str) -> str:
    return "".join(f'[[bots]]\n{QUICK}\nname = "{name}"\n' for name in names)


class Nobody:
    """Watches, and makes an hour pass with the match of which `slow` tells."""

    def __init__(self, slow: int) -> None:
        self.now, self.matches, self.slow = 0.0, 0, slow

    def begun(self, *_: Any) -> None:
        pass

    def finished(self, *_: Any) -> None:
        self.matches += 1
        self.now += 3600.0 if self.matches == self.slow else 60.0

    def voided(self, *_: Any) -> None:
        pass

    def suspected(self, suspect: VoidSuspect) -> None:
        pass

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        pass


def play(file: Path, *, slow: int) -> Store:
    """Play the config, as its command would."""
    path, watcher = file.with_suffix(".golfref"), Nobody(slow)
    run = prepare(load(file), path, fresh=False, may_change=True)
    clock = HoursClock(lambda: watcher.now)
    with locked(path) as lock, closing(open_store(run, lock)) as store:
        clock.begin(store, run.config.hours or 0.0, {"six-card": 1.0}, 1, counts_earlier=True)
        Run(
            config=run.config,
            plan=run.plan,
            has_ended=run.has_ended,
            terms=MatchIdentities(run.run_config),
            store=store,
            watcher=watcher,
            jobs=1,
            workers=1,
            clock=clock,
        ).play(lambda: None)
    return Store.open(path)


def test_a_run_ends_when_its_time_is_over_and_more_hours_let_it_go_on(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(CONFIG + bots("ann", "bea", "cid"))
    with closing(play(file, slow=4)) as store:
        first = summary_of(store)
        assert (first.matches, first.end) == (6, "its time is over (hours = 1)")
        assert [one.title for one in first.rounds] == ["deal 1 of 3"]
        assert (first.hours, first.used_s, first.history) == (1.0, 5 * 60 + 3600, ())
        assert check_store(store.path).findings == ()

    again = prepare(load(file), store.path, fresh=False, may_change=False)
    assert (again.has_ended, again.left) == (True, {"six-card": 0})

    file.write_text(CONFIG.replace("1.0", "9.0") + bots("ann", "bea", "cid"))
    with closing(play(file, slow=100)) as store:
        more = summary_of(store)
        assert (more.matches, more.end) == (3 * 2 * 3, "all 3 deals are played")
        assert [line for event in more.history for line in event.lines][:1] == ["hours: 1.0 -> 9.0"]
        assert check_store(store.path).findings == ()


def test_matches_that_hours_cut_off_do_not_count_as_saved_by_stop(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(CONFIG.replace("[[variants]]", '[stop]\nwhen = "all"\n[[variants]]') + bots("ann", "bea"))
    play(file, slow=2).close()
    out = golfref("standings", "t.golfref", cwd=tmp_path)[0]
    assert "no more: its time is over (hours = 1); undecided: ann - bea" in out
    assert "saved" not in out


def test_an_end_that_another_time_would_have_is_found(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(CONFIG + bots("ann", "bea"))
    play(file, slow=1).close()
    path = tmp_path / "t.golfref"

    def later(rows: list[ForgedRow]) -> None:
        rows[-1].body["end"]["reason"] = "its time is over (hours = 2)"

    forge(path, later)
    (found,) = check_store(path).findings
    assert "golfref draws otherwise: the run has `no more rounds: its time is over (hours = 2)`" in found


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_hours_in_which_the_first_deal_does_not_end_are_an_error_at_their_line(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    (tmp_path / "t.toml").write_text(CONFIG.replace("1.0", "0.00001") + bots("ann", "bea", "cid"))
    said = golfref("tournament", "t.toml", *more, cwd=tmp_path, code=2)[1]
    assert "t.toml:6:9: tournament.hours: the first deal takes about " in said
    assert "if bots answer at once, but there are 0 s; expected hours = " in said
    assert not (tmp_path / "t.golfref").exists()


def test_a_dry_run_says_how_many_deals_fit(tmp_path: Path) -> None:
    """Before the run as if bots answered at once, later at the pace so far: two matches took two hours."""
    file = tmp_path / "t.toml"
    file.write_text(CONFIG + bots("ann", "bea"))
    assert (
        "hours = 1: at most 3 of 3 deals fit, if bots answer at once"
        in golfref("tournament", "t.toml", "--dry-run", cwd=tmp_path)[1]
    )
    play(file, slow=1).close()
    file.write_text(CONFIG.replace("1.0", "2.5") + bots("ann", "bea"))
    said = golfref("tournament", "t.toml", "--dry-run", cwd=tmp_path)[1]
    assert "hours = 2.5: 2 of 3 deals fit, at the pace so far" in said
