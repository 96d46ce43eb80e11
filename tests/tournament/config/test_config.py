"""The config file: what it can say, what it need not say, and what of it a run depends on."""

from pathlib import Path

import pytest
from configs import EIGHT, GAME, HEAD, bots, contest, loaded, problems

from protocol.messages import Clocks, FaultPolicy
from referee.play.sandbox.system_info import cores
from referee.play.spec import SHIPPED, BotLimits, BotSpec
from referee.toml.positions import Position, Positions
from referee.tournament.config import config as config_module
from referee.tournament.config.config import load, survey
from referee.tournament.config.differences import config_differences
from referee.tournament.plan.rounds import StageRules

TWO = bots(["greedy", "keeper"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return contest(tmp_path, monkeypatch)


def bot(name: str, *, owner: str, folder: str) -> str:
    return f'[[bots]]\nname = "{name}"\ncommand = ["sh", "bot.sh"]\ndir = "{folder}"\nowner = "{owner}"\n'


def test_a_config_is_read_with_all_of_its_keys(folder: Path) -> None:
    (folder / "data").mkdir()
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
        strikes = 1
        [limits]
        memory_mb = 256
        processes = 20
        files = 64
        tmp_mb = 8
        cpu_s = 90
        [[variants]]
        preset = "cactus"
        name = "cactus short"
        seats = 4
        options = { rounds = 4 }
        [[variants]]
        preset = "six-card"
        [[bots]]
        name = "mine"
        command = ["python3", "bot.py"]
        dir = "entries/ann"
        env = { MODE = "fast" }
        reads = ["data"]
        owner = "someone"
        [[bots]]
        builtin = "greedy"
        [[bots]]
        name = "second"
        builtin = "greedy"
        env = { MODE = "slow" }
        [[bots]]
        builtin = "random"
        """)
    assert (config.name, config.seed, config.jobs) == ("demo", "any text", 2)
    assert config.stages == (StageRules(deals=10, lineups=500),)
    assert (config.workers, config.processes(100), config.reuse) == (3, 2, "tournament")
    assert (config.rotations, config.sets_rotations) == ("fresh", True)
    assert (config.isolation, config.rank_by) == ("none", "match-points")
    assert config.clocks == Clocks(move_s=2.0)
    assert config.faults == FaultPolicy(policy="forfeit", strikes=1)
    limits = BotLimits(memory_mb=256, processes=20, files=64, tmp_mb=8, cpu_s=90)
    assert config.limits == config.confinement.limits == limits
    assert [(entry.name, entry.variant.preset, entry.seats) for entry in config.variants] == [
        ("cactus short", "cactus", 4),
        ("six-card", "six-card", 3),
    ]
    assert config.variants[0].variant.options.rounds == 4
    mine, greedy, second, shipped = config.bots
    assert mine == BotSpec(
        name="mine",
        command=("python3", "bot.py"),
        dir=str(folder / "entries/ann"),
        env={"MODE": "fast"},
        reads=(str(folder / "data"),),
        owner="someone",
    )
    assert (greedy.name, greedy.builtin, greedy.dir) == ("greedy", "greedy", str(SHIPPED / "greedy"))
    assert (second.name, second.builtin, second.env) == ("second", "greedy", {"MODE": "slow"})
    assert shipped.command[1:] == (str(SHIPPED / "random/bot.py"),)


def test_a_config_need_not_say_more_than_a_name_a_game_and_bots() -> None:
    config = loaded(HEAD, GAME, TWO)
    assert (config.seed, config.stages, config.variants[0].seats) == (None, (StageRules(deals=20),), 2)
    assert (config.jobs, config.isolation, config.rank_by) == (cores(), "limits", "match-points")
    assert (config.workers, config.reuse) == (None, "match")
    assert (config.rotations, config.sets_rotations) == ("same", False)
    assert (config.clocks, config.faults) == (Clocks(), FaultPolicy())
    assert config.limits == BotLimits()


CACTUS = '[[variants]]\npreset = "cactus"\n'


def test_there_is_a_worker_a_core_but_few_for_few_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_module, "cores", lambda: 64)
    default = loaded(HEAD, GAME, TWO)
    assert [default.processes(matches) for matches in (0, 1, 20, 21, 60, 10_000)] == [0, 1, 1, 2, 3, 64]
    asked = loaded(HEAD, "workers = 16\n", GAME, TWO)
    assert [asked.processes(matches) for matches in (0, 1, 20, 1000)] == [0, 1, 16, 16]
    assert loaded(HEAD, GAME, CACTUS, TWO).processes(10_000) == 64


@pytest.mark.parametrize(
    ("game", "timing", "workers"),
    [
        (CACTUS, "isolated", 1),
        (CACTUS, "broadcast", 16),
        (CACTUS + 'options = { slap_order = "lottery" }\n', "isolated", 16),
    ],
)
def test_only_games_whose_slaps_are_timed_one_bot_at_a_time_are_for_one_worker(
    game: str, timing: str, workers: int
) -> None:
    config = loaded(HEAD, "jobs = 16\nworkers = 16\n", game, TWO, f'[time]\nslap_timing = "{timing}"\n')
    assert config.processes(1000) == workers
    assert config.alone == ({"cactus"} if workers == 1 else set())


def test_a_config_elsewhere_means_its_own_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "entries/c.toml").write_text(HEAD + GAME + TWO + bot("mine", owner="me", folder="ann"))
    (folder / "entries/ann/bot.sh").touch()
    monkeypatch.chdir(folder.parent)
    config = load("contest/entries/c.toml")
    assert config.folder == str(folder / "entries")
    assert config.bots[2].dir == str(folder / "entries/ann")


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    Path("c.toml").write_bytes(b"\xef\xbb\xbf" + (HEAD + GAME + TWO).replace("\n", "\r\n").encode())
    assert load("c.toml").name == "demo"


def test_a_config_can_be_cut_to_some_of_its_bots_and_read_without_one() -> None:
    text = 'format = "gauntlet"\nchallengers = ["a", "b"]\nanchor = "b"\n'
    config = loaded(HEAD, text, GAME, EIGHT, '[[bots]]\nentries = "entries/*"\n')

    some = config.only(["a", "cid"])
    assert [one.name for one in some.bots] == ["a", "cid"]
    assert [one.name for one in some.entries] == ["cid"]

    without_b = survey("c.toml", without=frozenset("b")).config
    without_c = survey("c.toml", without=frozenset("c")).config
    assert without_b is not None
    assert without_c is not None
    assert (without_b.ranked, without_b.anchor, len(without_b.bots)) == (("a",), None, 10)
    assert (without_c.ranked, without_c.anchor, len(without_c.bots)) == (("a", "b"), "b", 10)


def test_the_frame_of_a_config_is_known_where_only_its_bots_are_wrong() -> None:
    problems(HEAD, 'seats = 9\n[[variants]]\npreset = "two-deck"\n', EIGHT)
    frame = survey("c.toml").frame
    problems(HEAD, "deals = 0\n", GAME, EIGHT)
    assert frame is not None
    assert len(frame.bots) == 8
    assert survey("c.toml").frame is None


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


# Bots of several owners


@pytest.fixture
def ann_and_ben(folder: Path) -> str:
    for name in ("ann", "bea"):
        (folder / "entries" / name / "bot.sh").touch()
    return bot("a", owner="Ann", folder="entries/ann") + bot("b", owner="Ben", folder="entries/bea")


def test_bots_of_two_owners_play_in_cells_or_by_the_organisers_word_and_on_fresh_cards(ann_and_ben: str) -> None:
    trusted, confined = 'trust = "all"\n', 'isolation = "bwrap"\n'
    assert loaded(HEAD, trusted, GAME, ann_and_ben).rotations == "fresh"
    assert loaded(HEAD, trusted, GAME, ann_and_ben).strangers == ()
    config = loaded(HEAD, confined, GAME, ann_and_ben, TWO)
    assert (config.confinement.isolation, [one.name for one in config.strangers]) == ("bwrap", ["a", "b"])
    assert (config.needs_users, loaded(HEAD, trusted, confined, GAME, ann_and_ben, TWO).needs_users) == (True, False)
    alone = loaded(HEAD, confined, GAME, ann_and_ben.replace("Ben", "Ann"), TWO)
    assert (alone.rotations, alone.strangers) == ("same", ())


def test_in_a_cell_no_bot_may_see_the_folder_of_another_owner_or_the_config(folder: Path, ann_and_ben: str) -> None:
    head = HEAD + 'isolation = "bwrap"\n' + GAME
    lines = problems(head, ann_and_ben.replace("entries/bea", "entries/ann"))
    assert [line.partition(": bots")[0] for line in lines] == ["c.toml:9:7", "c.toml:14:7"]

    (line,) = problems(head, ann_and_ben.replace("bot.sh", "-c").replace("entries/bea", "entries"))
    assert line.startswith("c.toml:14:7: bots[1].dir")
    assert "and so bots[0] (`a`), which has another owner; give each a folder of its own" in line

    own = '[[bots]]\nname = "a"\ncommand = ["sh", "entries/ann/bot.sh"]\n'
    (line,) = problems(head, own, TWO)
    assert line.startswith("c.toml:6:1: bots[0].dir: this bot can read ")
    assert line.endswith("and so this config; give it a folder of its own")
    folder.chmod(0o700)  # nobody is advised to open a folder to all in which the store of the run will lie
    assert problems(head, own, TWO) == [line]


# What a run depends on


def test_results_do_not_depend_on_where_the_config_lies_the_order_of_bots_or_how_many_matches_run_at_a_time() -> None:
    text = HEAD + GAME + '[[bots]]\nname = "mine"\ncommand = ["python3", "bot.py"]\ndir = "."\n'
    known = []
    for place, jobs, two in (("entries/ann", 1, TWO), ("elsewhere", 2, bots(["keeper", "greedy"]))):
        Path(place).mkdir(exist_ok=True)
        Path(place, "bot.py").write_text("")
        Path(place, "c.toml").write_text(text.replace("demo", f'demo"\njobs = {jobs}\nseed = "s') + two)
        known.append(load(f"{place}/c.toml").run_config())
    found = config_differences(*known)
    assert (found.changes, found.refused) == ([], [])


def test_owners_whom_the_organiser_writes_himself_may_look_alike() -> None:
    """So may his bots. Only an entry must not go by what looks like another's name."""
    config = loaded(HEAD, 'trust = "all"\n', GAME, bots("a", owner="Ann"), bots("b", owner="ann"))
    assert [one.owner for one in config.bots] == ["Ann", "ann"]


def test_changes_of_a_config_are_told_in_words() -> None:
    old = HEAD + "deals = 20\n" + GAME + TWO + '[[bots]]\nname = "mine"\ncommand = ["python3", "-V"]\n'
    new = old.replace("deals = 20", 'deals = 30\nseed = "s"').replace('"-V"', '"-VV"').replace("keeper", "random")
    new = new.replace("[[bots]]", "options = { rounds = 4 }\n[[bots]]", 1) + "[time]\nmove_s = 2\n"
    both = loaded(old).run_config(), loaded(new).run_config()
    shown = [{bot.name: bot.version[:12] for bot in one.bots} for one in both]
    found = config_differences(*both)
    assert found.changes == [
        "deals: 20 -> 30",
        "variant `six-card`: another game (options.rounds: 9 -> 4)",
        f"bot `keeper`: withdrawn (version {shown[0]['keeper']})",
        f"bot `random`: added (version {shown[1]['random']})",
        (
            f"bot `mine`: replaced (version {shown[0]['mine']} -> {shown[1]['mine']}: "
            'command: ["python3", "-V"] -> ["python3", "-VV"])'
        ),
    ]
    assert [one.in_words.partition(" (")[0] for one in found.refused] == [
        'tournament.seed: not set -> "s"',
        "time.move_s: 1.0 -> 2.0",
    ]


@pytest.mark.usefixtures("folder")
def test_more_games_than_a_bot_can_be_told_in_one_line() -> None:
    games = "".join(f'[[variants]]\npreset = "six-card"\nname = "{number:040}"\n' for number in range(800))
    (line,) = problems(HEAD, games, TWO)
    assert "the line `hello`, which names all games, would have" in line
    assert "a bot reads at most 65536" in line
