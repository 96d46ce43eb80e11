"""Hooks and `--progress`, as an organiser uses them: the events they are sent, and that a run never waits for them."""

import signal
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import GOLFREF, golfref, until_there
from msgspec.structs import replace
from processes import Marked
from quick import QUICK

from referee.events.events import Begin, End, Event, Fault, Match, Note, Progress, Standings
from referee.tournament.config.config import ConfigError, load
from referee.tournament.store.store import Store

TIME = "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n"
GAME = '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'
NONSENSE = """while read -r line; do
  case $line in
  *'"hello"'*) echo '{"type":"ready","slaps":false,"table":false}' ;;
  *'"id"'*) printf 'my cards: \\033[2J QS\\n' ;;
  esac
done
"""


def config_of(hooks: str, deals: int = 1, more: str = "") -> str:
    bots = "".join(f'[[bots]]\n{QUICK}\nname = "{name}"\n' for name in ("ann", "bea"))
    head = f'{TIME}[tournament]\nname = "run"\nseed = "abc"\nworkers = 1\njobs = 1\ndeals = {deals}\n{more}'
    return f"{head}[hooks]\n{hooks}{GAME}{bots}"


def events_in(text: str) -> list[Event]:
    """Every line must be an event, with no field that is not known."""
    return [msgspec.json.decode(line, type=Event) for line in text.splitlines()]


def without_time(events: list[Event]) -> list[Event]:
    """What a hook misses while matches are played, it is sent again at a later time."""
    return [replace(one, at="") for one in events]


def all_of(kind: type, events: list[Event]) -> list[Any]:
    return [one for one in events if isinstance(one, kind)]


def test_hooks_and_progress_are_sent_the_same_events_and_nothing_that_is_secret(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/bot.sh").write_text(NONSENSE)
    hooks = "".join(f'on_{name} = ["sh", "-c", "cat >> {name}.jsonl"]\n' for name in ("match", "fault", "standings"))
    script = "cat > end.jsonl; env > env.txt; pwd > place.txt; echo line; echo oops >&2; exit 3"
    hooks += f'on_end = ["sh", "-c", "{script}"]\n'
    bad = '[[bots]]\nname = "cid"\ncommand = ["sh", "bot.sh"]\ndir = "bot"\nenv = { SECRET = "hidden" }\n'
    (tmp_path / "run.toml").write_text(config_of(hooks) + bad)

    out, _ = golfref("tournament", "run.toml", "--progress", "told.jsonl", cwd=tmp_path)

    events = events_in((tmp_path / "told.jsonl").read_text())
    begin, *_, end = (one for one in events if not isinstance(one, Note))
    assert isinstance(begin, Begin)
    assert (begin.played, begin.planned, [bot.name for bot in begin.bots]) == (0, 6, ["ann", "bea", "cid"])
    assert end == End(code=0, why="", store=str(tmp_path / "run.golfref"), played=6, planned=6, at=end.at)
    assert events[-1] == end
    assert "golfref compare" in out

    matches = all_of(Match, events)
    with closing(Store.open(tmp_path / "run.golfref")) as store:
        results = {result.number: result for result in store.results()}
        key = store.meta().master_key
    assert {one.match: (one.bots, one.totals, one.ranks) for one in matches} == {
        number: (result.bots, result.totals, result.ranks) for number, result in results.items()
    }
    assert [one.played for one in matches] == [1, 2, 3, 4, 5, 6]
    assert all(sum(one.match_points) == 1 for one in matches)
    assert without_time(events_in((tmp_path / "match.jsonl").read_text())) == without_time(matches)

    faults = all_of(Fault, events)
    assert without_time(events_in((tmp_path / "fault.jsonl").read_text())) == without_time(faults)
    assert {one.bot for one in faults} == {"cid"}
    assert all(fault.detail for fault in faults)
    assert all_of(Progress, events)[-1].played == 6
    (table,) = all_of(Standings, events)
    assert events_in((tmp_path / "standings.jsonl").read_text())[-1] == table
    assert table.standings[-1].bot == "cid"
    assert events_in((tmp_path / "end.jsonl").read_text()) == [end]

    env = dict(line.split("=", 1) for line in (tmp_path / "env.txt").read_text().splitlines())
    assert env["GOLFREF_HOOK"] == "on_end"
    assert env["GOLFREF_STORE"] == str(tmp_path / "run.golfref")
    allowed = {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "GOLFREF_HOOK", "GOLFREF_STORE"}
    assert set(env) <= allowed | {"PWD", "OLDPWD", "SHLVL", "_"}  # the shell's own
    assert (tmp_path / "place.txt").read_text().strip() == str(tmp_path)
    notes = [one.text for one in all_of(Note, events)]
    place = notes.index("hook on_end ended with code 3")
    assert notes[place + 1 :] == ["  | line", "  | oops"]

    wire = "".join((tmp_path / f"{name}.jsonl").read_text() for name in ("match", "fault", "standings", "end"))
    wire += "".join(line for line in (tmp_path / "told.jsonl").read_text().splitlines() if '"type":"note"' not in line)
    for secret in (key, "hidden", "bot.sh", "QS", "abc"):
        assert secret not in wire


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ("./run.toml", "`./run.toml` is not executable; make it so (chmod +x)"),
        ("run.toml", "is not on the PATH; for the file in {folder} write `./run.toml`"),
        ("./bare", "`./bare` is a script that does not begin with a `#!` line"),
    ],
)
def test_a_hook_that_cannot_be_run_is_an_error_of_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hook: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.toml").write_text(config_of(f'on_end = ["{hook}"]\n'))
    Path("bare").write_text("echo\n")
    Path("bare").chmod(0o755)

    with pytest.raises(ConfigError) as caught:
        load("run.toml")

    assert said.format(folder=tmp_path) in str(caught.value)


def test_an_error_of_the_config_is_a_note_and_the_end(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(config_of('on_end = ["no-such-program"]\n'))
    said = "run.toml:9:11: hooks.on_end[0]: `no-such-program` is not on the PATH"

    golfref("tournament", "run.toml", "--progress", "told.jsonl", cwd=tmp_path, code=2)

    *notes, end = events_in((tmp_path / "told.jsonl").read_text())
    assert said in all_of(Note, notes)[0].text
    assert len(all_of(Note, notes)) == len(notes)
    assert isinstance(end, End)
    assert (end.code, end.store) == (2, None)
    assert said in end.why
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.toml", "told.jsonl"]


def test_a_hook_that_hangs_is_killed_with_all_that_it_started(
    tmp_path: Path, mark: dict[str, str], marked: Marked
) -> None:
    name, value = next(iter(mark.items()))
    script = "sleep 1000 & yes | head -c 3000000; sleep 1000"
    hooks = f'on_end = ["env", "{name}={value}", "sh", "-c", "{script}"]\ntimeout_s = 0.5\n'
    hooks += 'on_match = ["sh", "-c", "kill -9 $$"]\n'
    (tmp_path / "run.toml").write_text(config_of(hooks))

    _, err = golfref("tournament", "run.toml", "--progress", "told.jsonl", cwd=tmp_path)

    assert "hook on_end took longer than 0.5 s, and was killed" in err
    assert err.count("hook on_match was killed by signal 9") == 1
    assert marked() == {}
    events = events_in((tmp_path / "told.jsonl").read_text())
    assert isinstance(events[-1], End)
    assert err.splitlines() == [line for one in all_of(Note, events) for line in one.text.splitlines()]


def test_hooks_are_run_for_what_they_missed_by_a_kill_when_the_run_goes_on(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/bot.sh").write_text(NONSENSE)
    name, value = next(iter(mark.items()))
    script = "[ $(wc -l < {0}) -lt 2 ] || [ -e goes-on ] || {{ touch hangs; sleep 1000; }}; cat >> {0}"
    hooks = "".join(
        f'on_{one} = ["env", "{name}={value}", "sh", "-c", "{script.format(f"{one}.jsonl")}"]\n'
        for one in ("match", "fault")
    )
    bad = '[[bots]]\nname = "cid"\ncommand = ["sh", "bot.sh"]\ndir = "bot"\n'
    (tmp_path / "run.toml").write_text(config_of(hooks + "timeout_s = 600\n") + bad)
    for one in ("match.jsonl", "fault.jsonl"):
        (tmp_path / one).touch()

    with subprocess.Popen([*GOLFREF, "tournament", "run.toml"], cwd=tmp_path, stderr=subprocess.DEVNULL) as run:
        until_there(tmp_path / "hangs")
        run.kill()
    until_gone()
    (tmp_path / "goes-on").touch()
    golfref("tournament", "run.toml", cwd=tmp_path)

    with closing(Store.open(tmp_path / "run.golfref")) as store:
        results = sorted(store.results(), key=lambda result: result.id)
    matches = events_in((tmp_path / "match.jsonl").read_text())
    assert [(one.id, one.match) for one in all_of(Match, matches)] == [(one.id, one.number) for one in results]
    faults = all_of(Fault, events_in((tmp_path / "fault.jsonl").read_text()))
    assert [one.id for one in faults] == [result.id for result in results for kinds in result.faults for _ in kinds]


def test_an_interrupted_run_leaves_no_hook_behind_and_its_end_has_the_command_to_go_on(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    name, value = next(iter(mark.items()))
    script = "touch hangs; sleep 1000 & sleep 1000"
    hooks = f'on_match = ["env", "{name}={value}", "sh", "-c", "{script}"]\ntimeout_s = 600\n'
    (tmp_path / "run.toml").write_text(config_of(hooks, deals=2000))
    command = [*GOLFREF, "tournament", "run.toml", "--progress", "told.jsonl"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
        until_there(tmp_path / "hangs")
        run.send_signal(signal.SIGINT)
        run.wait()
    until_gone()

    end = events_in((tmp_path / "told.jsonl").read_text())[-1]
    assert isinstance(end, End)
    assert (run.returncode, end.code) == (130, 130)
    assert end.why.startswith("interrupted: ")
    assert "--progress told.jsonl" in end.why
