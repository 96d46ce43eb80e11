"""The config file: what it can say, and how its mistakes are told."""

import shutil
from pathlib import Path

import pytest

from protocol.messages import Clocks, FaultPolicy
from referee.play import spec as bots
from referee.play.isolation.host import cores
from referee.play.spec import BotLimits, BotSpec
from referee.toml.positions import Position, Positions
from referee.tournament.config import config as config_module
from referee.tournament.config.config import Config, ConfigError, load
from referee.tournament.store.facts import config_differences, config_facts

HEAD = '[tournament]\nname = "demo"\n'
GAME = '[[variants]]\npreset = "six-card"\n'
TWO = '[[bots]]\nbuiltin = "greedy"\n[[bots]]\nbuiltin = "keeper"\n'


@pytest.fixture(autouse=True)
def shipped_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped bots, so that these tests do not depend on which there are."""
    folder = tmp_path / "installed"
    for main in ("greedy/bot.py", "keeper/bot.py", "perl/bot.pl"):
        (folder / main).parent.mkdir(parents=True)
        (folder / main).touch()
    monkeypatch.setattr(bots, "SHIPPED", folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the config, which is the current one; it holds one entry, `entries/mine/mine.py`."""
    here = tmp_path / "contest"
    (here / "entries/mine").mkdir(parents=True)
    (here / "entries/mine/mine.py").touch()
    monkeypatch.chdir(here)
    return here


def loaded(text: str) -> Config:
    Path("c.toml").write_text(text, encoding="utf-8")
    return load("c.toml")


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        loaded(text)
    assert str(caught.value) == "\n".join(caught.value.lines)
    return list(caught.value.lines)


# What a config can say


def test_everything_that_a_config_can_say(folder: Path, shipped_folder: Path) -> None:
    config = loaded("""
        [tournament]
        name = "demo"
        seed = "any text"
        format = "round-robin"
        seats = 3
        deals = 10
        lineups = 500
        jobs = 2
        workers = 3
        rotations = "fresh"
        reuse = "tournament"
        isolation = "none"
        rank_by = "match-points"
        [time]
        move_s = 2
        [faults]
        policy = "forfeit"
        voids = 5
        [[variants]]
        preset = "cactus"
        name = "cactus short"
        seats = 4
        options = { rounds = 4 }
        [[variants]]
        preset = "six-card"
        [[bots]]
        name = "mine"
        command = ["python3", "mine.py"]
        dir = "entries/mine"
        env = { MODE = "fast" }
        owner = "someone"
        [[bots]]
        builtin = "greedy"
        [[bots]]
        name = "second"
        builtin = "greedy"
        env = { MODE = "slow" }
        [[bots]]
        builtin = "perl"
        """)
    assert (config.name, config.seed, config.deals, config.lineups, config.jobs) == ("demo", "any text", 10, 500, 2)
    assert (config.workers, config.processes(100), config.reuse) == (3, 2, "tournament")
    assert (config.rotations, config.isolation, config.rank_by) == ("fresh", "none", "match-points")
    assert config.clocks == Clocks(move_s=2.0)
    assert (config.faults, config.voids) == (FaultPolicy(policy="forfeit"), 5)
    assert [(entry.name, entry.variant.preset, entry.seats) for entry in config.variants] == [
        ("cactus short", "cactus", 4),
        ("six-card", "six-card", 3),
    ]
    assert config.variants[0].variant.options.rounds == 4
    mine, greedy, second, perl = config.bots
    assert mine == BotSpec(
        name="mine",
        command=("python3", "mine.py"),
        dir=str(folder / "entries/mine"),
        env={"MODE": "fast"},
        owner="someone",
    )
    assert (greedy.name, greedy.builtin, greedy.dir) == ("greedy", "greedy", str(shipped_folder / "greedy"))
    assert (second.name, second.builtin, second.env) == ("second", "greedy", {"MODE": "slow"})
    assert perl.command == ("perl", str(shipped_folder / "perl/bot.pl"))


@pytest.mark.usefixtures("folder")
def test_what_a_config_need_not_say() -> None:
    config = loaded(HEAD + GAME + TWO)
    assert (config.seed, config.format, config.seats, config.deals, config.lineups) == (
        None,
        "round-robin",
        2,
        20,
        None,
    )
    assert (config.jobs, config.isolation, config.rank_by) == (cores(), "limits", "match-points")
    assert (config.workers, config.reuse, config.rotations) == (None, "match", "same")
    assert (config.clocks, config.faults, config.voids) == (Clocks(), FaultPolicy(), None)


@pytest.mark.usefixtures("folder")
def test_how_many_workers_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default one a core, but not for each of a large host, nor for a few matches; as many as are asked for."""
    monkeypatch.setattr(config_module, "cores", lambda: 64)
    default = loaded(HEAD + GAME + TWO)
    assert [default.processes(matches) for matches in (0, 1, 20, 21, 60, 1000)] == [0, 1, 1, 2, 3, 8]
    asked = loaded(HEAD + "workers = 16\n" + GAME + TWO)
    assert [asked.processes(matches) for matches in (0, 1, 20, 1000)] == [0, 1, 16, 16]
    assert problems(HEAD + "workers = 17\n" + GAME + TWO) == [
        "c.toml:3:11: tournament.workers: expected int <= 16, got 17"
    ]
    monkeypatch.setattr(config_module, "cores", lambda: 3)
    assert loaded(HEAD + GAME + TWO).processes(1000) == 3


def test_a_config_elsewhere_means_its_own_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = '[[bots]]\nname = "mine"\ncommand = ["python3", "mine.py"]\ndir = "mine"\n[[bots]]\nbuiltin = "greedy"\n'
    (folder / "entries/c.toml").write_text(HEAD + GAME + own)
    monkeypatch.chdir(folder.parent)
    config = load("contest/entries/c.toml")
    assert config.folder == str(folder / "entries")
    assert config.bots[0].dir == str(folder / "entries/mine")


@pytest.mark.usefixtures("folder")
def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    Path("c.toml").write_bytes(b"\xef\xbb\xbf" + (HEAD + GAME + TWO).replace("\n", "\r\n").encode())
    assert load("c.toml").name == "demo"


# What is wrong with a config


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(folder: Path) -> None:
    assert problems("""# ümlaut
sed = 3
[tournament]
nme = "x"
deals = 0
jobs = "two"
isolation = "docker"
rotations = "some"
move_s = 2.0
[time]
slap_s = -1
bank_s = inf
slap_timing = "alone"
[faults]
policy = "fallbak"
strikes = 0
voids = -1
[[variants]]
preset = "cactsu"
[[variants]]
preset = "six-card"
options = { "é" = 1, round = 4, decks = 7 }
rounds = 3
[[bots]]
name = 5
command = "python3 mine.py"
[[bots]]
builtin = "gredy"
[[bots]]
name = "a"
command = ["python3", "mine.py"]
dir = "entries/mine"
env = { "ä" = "ö", A = 3 }
[[bots]]
name = "a"
command = ["python3", "no.py"]
""") == [
        "c.toml:2:1: sed: unknown key; did you mean `seed`? It belongs in [tournament]",
        "c.toml:3:1: tournament.name: required, but missing",
        "c.toml:4:1: tournament.nme: unknown key; did you mean `name`?",
        "c.toml:5:9: tournament.deals: expected int >= 1, got 0",
        "c.toml:6:8: tournament.jobs: expected int, got str",
        'c.toml:7:13: tournament.isolation: expected "none" or "limits" or "bwrap", got "docker"',
        'c.toml:8:13: tournament.rotations: expected "fresh" or "same", got "some"',
        "c.toml:9:1: tournament.move_s: unknown key here; it belongs in [time]",
        "c.toml:11:10: time.slap_s: expected seconds above 0, at most 86400, got -1",
        "c.toml:12:10: time.bank_s: expected seconds above 0, at most 86400, got inf",
        'c.toml:13:15: time.slap_timing: expected "isolated" or "broadcast", got "alone"',
        'c.toml:15:10: faults.policy: expected "fallback" or "forfeit", got "fallbak"',
        "c.toml:16:11: faults.strikes: expected int >= 1, got 0",
        "c.toml:17:9: faults.voids: expected int >= 0, got -1",
        "c.toml:19:10: variants[0].preset: unknown variant `cactsu`; did you mean `cactus`?",
        "c.toml:22:13: variants[1].options.'é': unknown option",
        "c.toml:22:22: variants[1].options.round: unknown option; did you mean `rounds`?",
        'c.toml:22:41: variants[1].options.decks: expected "auto", 1, 2 or 3, got 7',
        "c.toml:23:1: variants[1].rounds: unknown key here; it belongs in [tournament] or `options` of [[variants]]",
        "c.toml:25:8: bots[0].name: expected str, got int",
        'c.toml:26:11: bots[0].command: expected array of str, got str; write ["python3", "mine.py"]',
        "c.toml:28:11: bots[1].builtin: unknown shipped bot `gredy`; did you mean `greedy`?",
        "c.toml:33:24: bots[2].env.A: expected str, got int",
        "c.toml:35:8: bots[3].name: the name `a` is taken (first in line 30)",
        f"c.toml:36:11: bots[3].command: there is no file `no.py` in {folder}",
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["c.toml:1:1: tournament.name: required, but missing"]),
        ("", ["c.toml:1:1: variants: expected at least one [[variants]]"]),
        ("", ["c.toml:1:1: bots: expected at least one [[bots]]"]),
        ("tournament = 5", ["c.toml:1:14: tournament: expected table, got int"]),
        ("[variants]\npreset = 1", ["c.toml:1:1: variants: expected at least one [[variants]], got table"]),
        ("bots = []", ["c.toml:1:8: bots: expected at least one [[bots]], got an empty array"]),
        ("bots = [{ name = 5, builtin = 'greedy' }]", ["c.toml:1:18: bots[0].name: expected str, got int"]),
        ("variants = ['cactus']", ["c.toml:1:13: variants[0]: expected table, got str"]),
        ("[[bot]]", ["c.toml:1:1: bot: unknown key; did you mean `bots`?"]),
    ],
)
def test_sections_that_are_missing_or_of_the_wrong_shape(text: str, expected: list[str]) -> None:
    assert set(expected) <= set(problems(text))


@pytest.mark.usefixtures("folder")
def test_what_is_wrong_with_a_section_is_told_once() -> None:
    assert problems("tournament = 5\n" + GAME + TWO) == ["c.toml:1:14: tournament: expected table, got int"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "name",
    ["", " a", "x" * 41, "\\u202e", "\\u001b[31m"],
    ids=["empty", "blank", "long", "bidi", "control"],
)
def test_a_bots_name_is_short_and_shows_as_what_it_is(name: str) -> None:
    text = HEAD + GAME + TWO + f'[[bots]]\nbuiltin = "perl"\nname = "{name}"\n'
    expected = "expected 1 to 40 printable characters, without blanks around them"
    assert problems(text) == [f"c.toml:11:8: bots[2].name: {expected}"]


@pytest.mark.usefixtures("folder")
def test_control_characters_of_a_config_do_not_reach_the_terminal() -> None:
    (line,) = problems(HEAD + '"\\u001b[2J" = 1\n' + GAME + TWO)
    assert line.startswith("c.toml:3:1: tournament.'\\x1b[2J': unknown key; expected format, deals, ")


@pytest.mark.usefixtures("folder")
def test_a_variant_needs_a_preset() -> None:
    assert problems(HEAD + "[[variants]]\nseats = 2\n" + TWO) == [
        "c.toml:3:1: variants[0].preset: required, but missing"
    ]


@pytest.mark.usefixtures("folder")
def test_a_preset_played_twice_needs_a_second_name() -> None:
    assert problems(HEAD + GAME + GAME + TWO) == [
        "c.toml:6:10: variants[1].preset: the name `six-card` is taken; give this one a `name` (first in line 4)"
    ]
    named = GAME + 'name = "another"\n'
    assert [entry.name for entry in loaded(HEAD + GAME + named + TWO).variants] == ["six-card", "another"]


@pytest.mark.usefixtures("folder")
def test_more_games_than_a_bot_can_be_told_in_one_line() -> None:
    games = "".join(f'[[variants]]\npreset = "six-card"\nname = "{number:040}"\n' for number in range(1000))
    (line,) = problems(HEAD + games + TWO)
    assert "the line `hello`, which names all games, would have" in line
    assert "a bot reads at most 65536" in line


def test_options_that_exclude_each_other() -> None:
    (line,) = problems(HEAD + GAME + "[variants.options]\njack_value = 20\nj0q12k13 = true\n" + TWO)
    assert line.startswith("c.toml:6:14: variants[0].options.jack_value: sets the value of J")


@pytest.mark.usefixtures("folder")
def test_seats_within_the_variants_range() -> None:
    deck = '[[variants]]\npreset = "single-deck"\n'
    assert problems(HEAD + "seats = 5\n" + deck + deck + 'name = "b"\nseats = 6\n' + TWO * 3)[:2] == [
        "c.toml:5:10: variants[0].preset: single-deck is for 2 to 4 seats, got 5, as [tournament] has it",
        "c.toml:9:9: variants[1].seats: single-deck is for 2 to 4 seats, got 6",
    ]


@pytest.mark.usefixtures("folder")
def test_nobody_plays_alone_in_a_tournament() -> None:
    """NIN-13."""
    nine = '[[variants]]\npreset = "nine-card"\n'
    wrong = "a tournament needs 2 seats or more (`golfref match` plays alone), got 1"
    assert problems(HEAD + "seats = 1\n" + nine + nine + 'name = "b"\nseats = 1\n' + TWO)[:2] == [
        f"c.toml:5:10: variants[0].preset: {wrong}, as [tournament] has it",
        f"c.toml:9:9: variants[1].seats: {wrong}",
    ]


@pytest.mark.usefixtures("folder")
def test_an_option_that_does_not_suit_the_seats() -> None:
    assert problems(HEAD + GAME + "options = { first_dealer = 2 }\n" + TWO) == [
        "c.toml:5:28: variants[0].options.first_dealer: expected a seat from 0 to 1"
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.usefixtures("folder")
def test_strokes_rank_in_one_game_only() -> None:
    bots = '[[bots]]\nbuiltin = "greedy"\n[[bots]]\nbuiltin = "perl"\n'
    head = '[tournament]\nname = "t"\nrank_by = "strokes"\n[[variants]]\npreset = "six-card"\n'
    assert loaded(head + bots).rank_by == "strokes"
    (line,) = problems(head + '[[variants]]\npreset = "cactus"\n' + bots)
    assert line.startswith("c.toml:3:11: tournament.rank_by: strokes of different games cannot be added up")


@pytest.mark.usefixtures("folder")
def test_fewer_bots_than_seats() -> None:
    assert problems(HEAD + "seats = 3\n" + GAME + GAME + 'name = "b"\nseats = 4\n' + TWO) == [
        "c.toml:3:9: tournament.seats: 3 bots at a table, but the config has only 2",
        "c.toml:9:9: variants[1].seats: 4 bots at a table, but the config has only 2",
    ]


@pytest.mark.process
@pytest.mark.usefixtures("folder")
def test_bots_of_two_owners_need_bwrap_or_the_organisers_word(folder: Path) -> None:
    shutil.copytree(folder / "entries/mine", folder / "entries/other")
    mine = '[[bots]]\nname = "a"\ncommand = ["python3", "mine.py"]\ndir = "entries/mine"\nowner = "Ann"\n'
    other = mine.replace('"a"', '"b"').replace("Ann", "Ben").replace("/mine", "/other")
    (line,) = problems(HEAD + 'isolation = "limits"\n' + GAME + mine + other)
    assert line.startswith('c.toml:3:13: tournament.isolation: bots of 2 owners (Ann, Ben) need isolation = "bwrap"')
    assert 'or trust = "all"' in line
    assert loaded(HEAD + 'trust = "all"\n' + GAME + mine + other).trust == "all"
    assert loaded(HEAD + 'isolation = "bwrap"\n' + GAME + mine + other).confinement.isolation == "bwrap"
    assert loaded(HEAD + 'trust = "all"\n' + GAME + mine + other).rotations == "fresh"
    assert loaded(HEAD + 'trust = "all"\nrotations = "same"\n' + GAME + mine + other).rotations == "same"
    builtin = '[[bots]]\nbuiltin = "greedy"\n'
    assert loaded(HEAD + GAME + mine + builtin).rotations == "same"
    assert loaded(HEAD + GAME + mine + builtin).isolation == "limits"  # shipped bots have no owner


@pytest.mark.process
@pytest.mark.usefixtures("folder")
def test_voids_bar_a_bot_where_bots_have_several_owners_or_the_organiser_says_so(folder: Path) -> None:
    shutil.copytree(folder / "entries/mine", folder / "entries/other")
    mine = '[[bots]]\nname = "a"\ncommand = ["python3", "mine.py"]\ndir = "entries/mine"\nowner = "Ann"\n'
    other = mine.replace('"a"', '"b"').replace("/mine", "/other")
    stranger, trust = other.replace("Ann", "Ben"), 'trust = "all"\n'
    facts = [config_facts(loaded(HEAD + trust + GAME + mine + one)) for one in (other, stranger)]
    said = config_facts(loaded(HEAD + trust + "[faults]\nvoids = 0\n" + GAME + mine + stranger))

    assert [one.voids_that_bar for one in (*facts, said)] == [0, 3, 0]
    assert config_differences(facts[1], said).refused == ["voids: not set -> 0 (nobody may choose it by the results)"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", ['isolation = "bwarp"', 'isolaton = "bwrap"', "trust = true"])
def test_where_the_isolation_is_unclear_nothing_is_said_of_owners(line: str) -> None:
    two = "".join(
        f'[[bots]]\nname = "{name}"\ncommand = ["python3", "mine.py"]\ndir = "entries/mine"\nowner = "{name}"\n'
        for name in ("Ann", "Ben")
    )
    assert not [text for text in problems(HEAD + line + "\n" + GAME + two) if "owners" in text]


@pytest.mark.process
@pytest.mark.usefixtures("folder")
def test_in_a_cell_no_bot_may_see_the_folder_of_another_owners() -> None:
    mine = '[[bots]]\nname = "a"\ncommand = ["python3", "mine.py"]\ndir = "entries/mine"\nowner = "Ann"\n'
    same = mine.replace('"a"', '"b"').replace("Ann", "Ben")
    outer = same.replace("python3", "sh").replace("mine.py", "-c").replace("entries/mine", "entries")
    lines = problems(HEAD + 'isolation = "bwrap"\n' + GAME + mine + same)
    assert [line.partition(":")[2].partition(":")[0] for line in lines] == ["9", "14"]
    (line,) = problems(HEAD + 'isolation = "bwrap"\n' + GAME + mine + outer)
    assert line.startswith("c.toml:14:7: bots[1].dir")
    assert "and so bots[0] (`a`), which has another owner; give each a folder of its own" in line
    assert loaded(HEAD + 'isolation = "bwrap"\n' + GAME + mine + same.replace("Ben", "Ann")).bots[1].owner == "Ann"


@pytest.mark.process
def test_in_a_cell_no_bot_may_see_the_config(folder: Path) -> None:
    mine = '[[bots]]\nname = "a"\ncommand = ["sh", "mine.sh"]\n'
    Path("mine.sh").touch()
    (line,) = problems(HEAD + 'isolation = "bwrap"\n' + GAME + mine + TWO)
    assert line.startswith("c.toml:6:1: bots[0].dir: this bot can read ")
    assert line.endswith("and so this config; give it a folder of its own")
    folder.chmod(0o700)  # nobody is advised to open a folder to all in which the store of the run will lie
    assert problems(HEAD + 'isolation = "bwrap"\n' + GAME + mine + TWO) == [line]


@pytest.mark.usefixtures("folder")
def test_limits_of_bots() -> None:
    given = "[limits]\nmemory_mb = 256\nprocesses = 20\nfiles = 64\ntmp_mb = 8\ncpu_s = 90\n"
    assert loaded(HEAD + given + GAME + TWO).limits == BotLimits(
        memory_mb=256, processes=20, files=64, tmp_mb=8, cpu_s=90
    )
    assert loaded(HEAD + GAME + TWO).limits == BotLimits()
    (line,) = problems(HEAD + "[limits]\nfiles = 3\n" + GAME + TWO)
    assert line == "c.toml:4:9: limits.files: expected int >= 16, got 3"


@pytest.mark.usefixtures("folder")
def test_what_a_bot_reads_besides_its_folder(folder: Path) -> None:
    mine = '[[bots]]\nname = "a"\ncommand = ["python3", "mine.py"]\ndir = "entries/mine"\n'
    assert loaded(HEAD + GAME + mine + 'reads = ["entries"]\n' + TWO).bots[0].reads == (str(folder / "entries"),)
    (line,) = problems(HEAD + GAME + mine + 'reads = ["/no/such"]\n' + TWO)
    assert line == "c.toml:9:10: bots[0].reads[0]: there is no /no/such"


@pytest.mark.parametrize(
    ("bot", "expected"),
    [
        ('name = "a"', "9:1: bots[2]: expected `command`, `builtin` or `entries`"),
        ('command = ["python3", "-V"]', "9:1: bots[2].name: required, but missing"),
        (
            'name = "a"\nbuiltin = "perl"\ncommand = ["x"]',
            "11:1: bots[2].builtin: a bot has either `builtin` or `command`, not both",
        ),
        (
            'builtin = "perl"\ndir = "entries"',
            "11:1: bots[2].dir: goes with `command` only; a shipped bot starts in its own folder",
        ),
        ('name = "a"\ncommand = ["python3"]\ndir = "no"', "12:7: bots[2].dir: there is no folder {folder}/no"),
        ('name = "a"\ncommand = []', "11:11: bots[2].command: expected array of str, got an empty array"),
        (
            'name = "a"\ncommand = [""]',
            "11:12: bots[2].command[0]: expected the name of a program, got an empty string",
        ),
        ('name = "a"\ncommand = ["python3", 3]', "11:23: bots[2].command[1]: expected str, got int"),
        ('name = "a"\ncommand = ["no-such-program"]', "11:11: bots[2].command: `no-such-program` is not on the PATH"),
        (
            'name = "a"\ncommand = ["python3"]\n[bots.env]\n"A=B" = "x"',
            "13:1: bots[2].env.'A=B': cannot be the name of an environment variable",
        ),
        ('name = "a"\ncommand = ["python3", "\\u0000"]', "11:23: bots[2].command[1]: holds a NUL character"),
        (
            'builtin = "greedy"',
            "10:11: bots[2].builtin: the name `greedy` is taken; give this one a `name` (first in line 6)",
        ),
    ],
)
def test_what_can_be_wrong_with_a_bot(folder: Path, bot: str, expected: str) -> None:
    assert problems(HEAD + GAME + TWO + "[[bots]]\n" + bot) == ["c.toml:" + expected.format(folder=folder)]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[tournament]\nname = \n", "2:8"),
        ('ü = 1\nx = "ö" y', "1:1"),
        ("[a]\nx = [1,\n2", "3:2"),
        ("x = 1\nx = 2\n", "2:6"),
    ],
)
def test_what_is_not_toml(text: str, place: str) -> None:
    (line,) = problems(text)
    assert line.startswith(f"c.toml:{place}: not TOML: ")


@pytest.mark.usefixtures("folder")
def test_files_that_cannot_be_read() -> None:
    Path("c.golfref").write_bytes(b"SQLite format 3\0\xff")
    Path("latin1.toml").write_bytes("x = 1\nname = 'ö".encode("latin-1"))
    for path, line in (
        ("no.toml", "no.toml: no such file"),
        ("entries", "entries: cannot be read: Is a directory"),
        (
            "c.golfref",
            "c.golfref: this is a run's store, not its config; `golfref standings c.golfref` prints what it holds",
        ),
        ("latin1.toml", "latin1.toml:2:9: not UTF-8; save the file in this encoding"),
    ):
        with pytest.raises(ConfigError) as caught:
            load(path)
        assert caught.value.lines == (line,)


def test_places_are_counted_in_characters_and_found_in_every_way_to_write_a_table() -> None:
    places = Positions(
        '# é\na."é.é".c = [1, { "é" = "é", p.q = 2 }]\n[[s]]\nx = 1\n[[s]]\n[s.t]\n[[s.t.u]]\ny = 1 # é\n'
    )
    assert places.key(("a", "é.é", "c")) == Position(2, 9)
    assert places.value(("a",)) == places.value(("a", "é.é", "c")) == Position(2, 13)
    assert places.value(("a", "é.é", "c", 1, "é")) == Position(2, 25)
    assert places.key(("a", "é.é", "c", 1, "p", "q")) == Position(2, 32)
    assert places.key(("s", 0, "x")) == Position(4, 1)
    assert places.key(("s", 1)) == Position(5, 1)
    assert places.key(("s", 1, "t", "u", 0, "y")) == Position(8, 1)
    assert places.value(("s", 1, "t", "absent", "deeper")) == Position(6, 1)
    assert places.value(("absent",)) == Position(1, 1)


# What a run depends on


@pytest.mark.usefixtures("folder")
def test_the_same_results_are_expected_wherever_the_config_lies_and_however_many_matches_run_at_a_time() -> None:
    text = HEAD + GAME + TWO + '[[bots]]\nname = "mine"\ncommand = ["python3", "mine.py"]\ndir = "."\n'
    known = []
    for place, jobs in (("entries/mine", 1), ("elsewhere", 2)):
        Path(place).mkdir(exist_ok=True)
        Path(place, "mine.py").touch()
        Path(place, "c.toml").write_text(text.replace("demo", f'demo"\njobs = {jobs}\nseed = "s'))
        known.append(config_facts(load(f"{place}/c.toml")))
    found = config_differences(*known)
    assert (found.changes, found.refused) == ([], [])


@pytest.mark.usefixtures("folder")
def test_a_changed_config_is_told_from_the_old_one_in_words() -> None:
    old = HEAD + "deals = 20\n" + GAME + TWO + '[[bots]]\nname = "mine"\ncommand = ["python3", "-V"]\n'
    new = old.replace("deals = 20", 'deals = 30\nseed = "s"').replace('"-V"', '"-VV"').replace("keeper", "perl")
    new = new.replace("[[bots]]", "options = { rounds = 4 }\n[[bots]]", 1) + "[time]\nmove_s = 2\n"
    facts = config_facts(loaded(old)), config_facts(loaded(new))
    shown = [{bot.name: bot.version[:12] for bot in one.bots} for one in facts]
    found = config_differences(*facts)
    assert found.changes == [
        "deals: 20 -> 30",
        "variant `six-card`: another game (options.rounds: 9 -> 4)",
        f"bot `keeper`: withdrawn (version {shown[0]['keeper']})",
        f"bot `perl`: added (version {shown[1]['perl']})",
        (
            f"bot `mine`: replaced (version {shown[0]['mine']} -> {shown[1]['mine']}: "
            'command: ["python3", "-V"] -> ["python3", "-VV"])'
        ),
    ]
    assert [text.partition(" (")[0] for text in found.refused] == ['seed: not set -> "s"', "clocks.move_s: 1.0 -> 2.0"]


@pytest.mark.usefixtures("folder")
def test_the_order_of_bots_does_not_matter() -> None:
    """Schedule and deals come from the bots' names."""
    other = '[[bots]]\nbuiltin = "keeper"\n[[bots]]\nbuiltin = "greedy"\n'
    old, new = (config_facts(loaded(HEAD + GAME + two)) for two in (TWO, other))
    found = config_differences(old, new)
    assert (found.changes, found.refused) == ([], [])
