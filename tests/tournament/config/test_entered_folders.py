"""[[bots]] that take folders: which of them are entries, whose they are, what they may ask for, and their mistakes."""

import os
from pathlib import Path

import pytest
from configs import GAME, HEAD, contest, loaded, problems

from referee.play.sandbox import cell as cell_module
from referee.tournament.config.config import Config, ConfigError, check_ready, load, survey
from referee.versions.entry import Builds
from referee.versions.store import VersionStore

LIMITS, BWRAP = (f'{HEAD}isolation = "{how}"\n{GAME}' for how in ("limits", "bwrap"))
ALL = '[[bots]]\nentries = "entries/*"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return contest(tmp_path, monkeypatch)


def enter(folder: Path, name: str, bot_toml: str = "") -> Path:
    entry = folder / "entries" / name
    entry.mkdir(parents=True, exist_ok=True)
    (entry / "bot.py").write_text(f"print({name!r})\n")
    if bot_toml:
        (entry / "bot.toml").write_text(bot_toml)
    return entry


@pytest.fixture
def in_shell(folder: Path) -> Path:
    """The same with entries in Bash: to find what an interpreter of Python needs, it is started."""
    for name in ("ann", "bea", "cid"):
        main = folder / "entries" / name / "bot.py"
        main.rename(main.with_name("bot.sh"))
    return folder


def taken(config: Config) -> Config:
    for entry in config.entries:
        VersionStore(config.folder).add(entry)
    return config


def test_each_folder_is_a_bot_that_plays_from_the_store_of_versions(folder: Path) -> None:
    config = loaded(LIMITS, ALL + '[[bots]]\nbuiltin = "greedy"\n')

    assert [bot.name for bot in config.bots] == ["ann", "bea", "cid", "greedy"]
    entry, bot = config.entries[0], config.bots[0]
    assert (entry.name, entry.folder, entry.command) == ("ann", str(folder / "entries/ann"), ("python3", "bot.py"))
    assert bot.dir == str(folder / f".golfref/versions/{entry.version}/source")
    assert (bot.entry, bot.version) == (entry.folder, entry.version)
    assert not (folder / ".golfref").exists()
    assert config.tables == {"ann": 0, "bea": 0, "cid": 0, "greedy": 1}


def test_a_run_tells_the_same_of_an_entry_as_of_a_bot_with_a_table_of_its_own() -> None:
    shipped = '[[bots]]\nbuiltin = "greedy"\n'
    mine = '[[bots]]\nname = "ann"\ncommand = ["python3", "bot.py"]\ndir = "entries/ann"\n'
    own = loaded(LIMITS, shipped + mine).run_config().bots[1]

    assert loaded(LIMITS, ALL).run_config().bots[0] == own


def test_hidden_folders_files_and_folders_of_submissions_are_no_entries(folder: Path) -> None:
    for name in (".hidden", "dan.new", "dan.old"):
        (folder / "entries" / name).mkdir()
    (folder / "entries/README.md").touch()
    (folder / "entries/lost").symlink_to("nowhere")

    config = loaded(LIMITS, ALL)

    assert [entry.name for entry in config.entries] == ["ann", "bea", "cid"]
    assert survey("c.toml").notes == ("entries/lost is neither a folder nor a file, and no entry",)
    (line,) = problems(LIMITS, '[[bots]]\nentries = "entries/[d-zR]*"')
    assert line.endswith("puts the first one there; passed over: entries/README.md, entries/dan.new, entries/dan.old")


def test_several_tables_may_take_folders_and_one_may_name_a_folder(folder: Path) -> None:
    (folder / "late/dan").mkdir(parents=True)
    (folder / "late/dan/bot.sh").touch()

    config = loaded(LIMITS, '[[bots]]\nentries = "late/dan"\n' + ALL)

    assert [(entry.name, entry.language) for entry in config.entries][:2] == [("dan", "Bash"), ("ann", "Python")]
    assert [(table.index, table.pattern) for table in config.entry_tables] == [(0, "late/dan"), (1, "entries/*")]


@pytest.mark.parametrize("twin", ["\uff21NN", "ann"])
def test_two_owners_that_look_alike_are_told(folder: Path, twin: str) -> None:
    enter(folder, "ann", 'owner = "Ann"')
    enter(folder, "bea", f'owner = "{twin}"')

    (line,) = problems(BWRAP, ALL)

    assert f"the owner `{twin}` of `bea` and the owner `Ann` of `ann` are one name" in line


def test_no_name_in_a_config_holds_what_shows_as_nothing(folder: Path) -> None:
    enter(folder, "ann", 'owner = "A\u034fnn"')

    config, entry = problems(LIMITS, ALL + '[[bots]]\nname = "x\u3164"\nbuiltin = "greedy"')

    assert "has a character that nobody sees (U+3164)" in config
    assert "has a character that nobody sees (U+034F)" in entry


def test_the_organiser_says_whose_an_entry_is(folder: Path) -> None:
    enter(folder, "ann", 'owner = "somebody else"')
    enter(folder, "bea", 'owner = "Bea"')

    text = ALL + 'owners = { ann = "Ann B.", zoe = "Zoe" }\n'
    config = loaded(BWRAP, text)

    assert [bot.owner for bot in config.bots] == ["Ann B.", "Bea", ""]
    assert config.rotations == "fresh"
    assert survey("c.toml").notes == ("bots[0].owners names `zoe`, which is not entered there",)
    (line,) = problems(LIMITS, text)
    assert line.startswith("c.toml:3:13: tournament.isolation: bots of 3 owners ((none), Ann B., Bea) need isolation =")


def test_what_an_entry_asks_for_the_config_allows(folder: Path) -> None:
    (folder / "data/words").mkdir(parents=True)
    enter(folder, "ann", f'reads = ["{folder}/data/words"]\nnetwork = true')

    config = loaded(
        LIMITS, ALL + 'reads = ["data"]\n[builds]\nnetwork = true\ntime_s = 20\nenv = { GOFLAGS = "-mod=mod" }'
    )

    assert config.bots[0].reads == (f"{folder}/data/words",)
    assert config.bots[1].reads == ()
    assert config.entries[0].wants_network
    assert config.builds == Builds(network=True, time_s=20.0, env={"GOFLAGS": "-mod=mod"})


@pytest.mark.parametrize("other", ["ANN", "\u212bnn", "\u0041\u030ann"])
def test_two_folders_that_look_alike_are_one_name(folder: Path, other: str) -> None:
    enter(folder, "\u00e5nn")
    enter(folder, other)

    (line,) = problems(LIMITS, ALL)

    assert line.startswith("c.toml:7:11: bots[0].entries: `")
    assert line.endswith("are one name; give one of them another name")


def test_a_broken_entry_hides_no_other(folder: Path) -> None:
    enter(folder, "bea", "owner = 3")
    (folder / "entries/cid/bot.py").unlink()

    lines = problems(LIMITS, ALL + 'builtin = "x"')

    assert lines[0].startswith("c.toml:8:1: bots[0].builtin")
    assert lines[1] == "entries/bea/bot.toml:1:9: owner: expected str, got int"
    assert lines[2].startswith("entries/cid: no file tells what runs it")
    found = survey("c.toml")
    assert [entry.name for entry in found.entrants.entries] == ["ann"]
    assert [(broken.name, len(broken.lines)) for broken in found.entrants.broken] == [("bea", 1), ("cid", 1)]


def test_problems_are_told_from_where_the_config_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(LIMITS, ALL)
    enter(folder, "ann", "x")
    monkeypatch.chdir(folder.parent)

    with pytest.raises(ConfigError, match=r"^contest/entries/ann/bot\.toml:1:2: not TOML"):
        load("contest/c.toml")


def test_a_store_that_lacks_a_program_is_told_when_it_is_ready(folder: Path) -> None:
    enter(folder, "ann", 'command = ["no-such-program"]')
    enter(folder, "bea", 'command = ["./run"]')
    config = taken(loaded(LIMITS, ALL))

    with pytest.raises(ConfigError) as caught:
        check_ready(config)

    assert caught.value.lines[0] == "c.toml:7:11: bots[0].entries: `ann`: `no-such-program` is not on the PATH"
    assert caught.value.lines[1].startswith("c.toml:7:11: bots[0].entries: `bea`: there is no file `./run` in ")


def test_no_entry_sees_the_config_or_the_folder_of_another_owner(
    in_shell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_module, "why_none", lambda: "no users here")
    owners = 'owners = { ann = "Ann", bea = "Bea", cid = "Ann" }\n'
    check_ready(taken(loaded(BWRAP, ALL + owners)))
    asks = in_shell / "entries/ann/bot.toml"
    asks.write_text(f'reads = ["{in_shell}/entries/bea"]')

    with pytest.raises(ConfigError) as caught:
        check_ready(taken(loaded(BWRAP, ALL + owners + 'reads = ["entries"]\n')))
    (line,) = caught.value.lines
    assert line.startswith("c.toml:9:9: bots[0].reads: `ann` can read more than its folder, and so bots[0] (`bea`)")
    asks.write_text(f'reads = ["{in_shell}"]')
    with pytest.raises(ConfigError, match=r"bots\[0\]\.reads: this bot can read .*, and so this config"):
        check_ready(taken(loaded(BWRAP, ALL + owners + 'reads = ["."]\n')))


def test_two_entries_of_the_same_files_are_no_danger_to_each_other(
    in_shell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_module, "why_none", lambda: "no users here")
    for name in ("bea", "cid"):
        (in_shell / f"entries/{name}/bot.sh").write_bytes((in_shell / "entries/ann/bot.sh").read_bytes())

    config = taken(loaded(BWRAP, ALL + 'owners = { ann = "Ann", bea = "Bea" }\n'))

    check_ready(config)
    assert len({bot.dir for bot in config.bots}) == 1


def test_a_bot_with_a_table_of_its_own_sees_no_entry_of_another_owner(
    in_shell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_module, "why_none", lambda: "no users here")
    own = '[[bots]]\nname = "own"\nowner = "me"\ncommand = ["sh", "ann/bot.sh"]\ndir = "entries"\n'

    (line,) = problems(BWRAP, own + ALL)

    assert line.startswith(f"c.toml:10:7: bots[0].dir: this bot can read {in_shell}/entries, and so bots[1] (`ann`)")


def test_a_link_to_a_folder_is_an_entry_unless_it_shows_the_config(folder: Path) -> None:
    os.symlink(folder / "entries/ann", folder / "entries/dan")
    assert [entry.name for entry in loaded(LIMITS, ALL).entries] == ["ann", "bea", "cid", "dan"]

    os.symlink("..", folder / "entries/eve")
    assert problems(LIMITS, ALL) == ["entries/eve: this folder holds the config; give the bot a folder of its own"]
