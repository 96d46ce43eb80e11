"""`qualify` in a config and its mistakes, what counts as beating, and what letters and tables hold."""

import stat
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from referee.bot_check import rules
from referee.bot_check.games import GAMES, OPTIONS, POSITIONS, GameToTry
from referee.bot_check.report import Finding, Report, StepResult
from referee.commands.table import app
from referee.competition import checks, qualify
from referee.competition.at_home import config_at_home
from referee.competition.check_table import as_json, lines_of
from referee.competition.checks import CheckResult, HostSpoiled, Memory, OneBot, Slowest
from referee.competition.letters import file_names, letter
from referee.competition.qualify import Trial, trial_key, trials_secret
from referee.play.faults import HostFault
from referee.play.spec import BotSpec
from referee.reports.tables.layout import cells
from referee.tournament.config.config import Config, load
from referee.tournament.config.tables import Qualify
from referee.tournament.config.variants import ConfiguredVariant
from referee.tournament.series import seating
from referee.tournament.store.words import in_words
from referee.versions.ready import NotReady
from referee.versions.store import VersionStore
from referee.versions.version import version_of

GAME = '[[variants]]\npreset = "six-card"\n'
TWO = '[[bots]]\nbuiltin = "greedy"\n[[bots]]\nbuiltin = "keeper"\n'


def loaded(folder: Path, qualify: str = "", bots: str = TWO) -> Config:
    line = f"qualify = {qualify}\n" if qualify else ""
    (folder / "c.toml").write_text(f'[tournament]\nname = "demo"\n{line}{GAME}{bots}')
    return load(folder / "c.toml")


# The config


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"check"', Qualify(check=True)),
        ("{ check = true }", Qualify(check=True)),
        ('{ beat = "random" }', Qualify(beat="random", games=20)),
        ('{ check = true, beat = "random", games = 3 }', Qualify(check=True, beat="random", games=3)),
    ],
)
def test_what_qualify_can_say(tmp_path: Path, written: str, meant: Qualify) -> None:
    assert loaded(tmp_path, written).qualify == meant


def test_a_bot_can_be_exempt(tmp_path: Path) -> None:
    bots = f'{TWO}[[bots]]\nname = "own"\ncommand = ["sh", "-c", "exit"]\nqualify = false\n'
    assert loaded(tmp_path, '"check"', bots).exempt == ("own",)


# Who is kept out


def test_half_of_the_match_points_is_no_win() -> None:
    even = Trial(
        when="2026-11-23 05:00:00",
        beat="random",
        games=4,
        by_game={"six-card": 0.25, "powers": 0.75},
        faults={"timeout": 2},
    )
    assert not even.has_beaten
    assert even.in_words == (
        "0.500 match points a match against `random` in 8 matches, with 2 faults, and more than 0.5 are needed"
    )
    assert replace(even, by_game={"six-card": 0.26, "powers": 0.75}).has_beaten


def test_no_bot_can_know_the_cards_of_its_trial(tmp_path: Path) -> None:
    secret = trials_secret(VersionStore(tmp_path))
    assert stat.S_IMODE((tmp_path / ".golfref/trials.key").stat().st_mode) == 0o600
    assert trials_secret(VersionStore(tmp_path)) == secret  # a trial that is repeated has the same cards

    version, game = "0" * 64, ("six-card", "sharp")
    seats = [seating(number, 2, rotates=True) for number in range(4)]
    keys = [trial_key(secret, version, game, seat) for seat in seats]
    keys += [trial_key(secret, version, game, seats[0], attempt) for attempt in (1, 2)]
    keys += [trial_key(secret, "1" * 64, game, seats[0]), trial_key(bytes(32), version, game, seats[0])]
    assert len(set(keys)) == len(keys)


OWN = "".join(f'[[bots]]\nname = "{name}"\ncommand = ["sh", "-c", "exit"]\n' for name in ("ann", "bob"))


def voided(*names: str) -> Callable[..., list[OneBot]]:
    """Checks in which those of these bots are void, and the others fail."""

    def check_bots(config: Config, bots: Sequence[BotSpec], **_: object) -> list[OneBot]:
        failed = checked_bot(config)
        spoiled = HostSpoiled(problem="no room")
        versions = {bot.name: version_of(bot, config.folder) for bot in bots}
        return [
            OneBot(bot=bot, version=versions[bot.name], came_to=spoiled if bot.name in names else failed, is_new=True)
            for bot in bots
        ]

    return check_bots


def test_who_voids_its_check_keeps_nobody_else_from_playing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = loaded(tmp_path, '"check"', TWO + OWN)
    monkeypatch.setattr(qualify, "check_bots", voided("ann"))
    told: list[str] = []

    found = qualify.qualified(config, tmp_path / "run.golfref", fresh=False, tell=told.append)

    assert [bot.name for bot in found.config.bots] == ["greedy", "keeper"]
    assert told == [line for note in found.notes for line in in_words(note)]
    assert [one.reason for one in found.kept_out] == [
        "its check was void each time: no room",
        "its check failed: crashed (3 times)",
    ]
    monkeypatch.setattr(qualify, "check_bots", voided("ann", "bob"))
    with pytest.raises(HostFault, match="no bot could be tried: no room"):
        qualify.qualified(config, tmp_path / "run.golfref", fresh=False, tell=told.append)


def test_a_void_check_says_what_to_do_and_shows_nothing_as_a_command_to_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(tmp_path, "", OWN)

    async def spoil(*_: object) -> None:
        raise HostFault("a bot did not start: \x1b[2Jforged")

    monkeypatch.setattr(checks, "_check_one", spoil)
    ended = CliRunner().invoke(app, ["check", str(tmp_path / "c.toml")], catch_exceptions=False)

    assert ended.exit_code == 3
    shown = " ".join(ended.stdout.split())
    why = r"not checked: a bot did not start: \x1b[2Jforged; `golfref doctor` says what this host lacks"
    assert shown.count(why) == 2
    assert "run the same command again: it checks the void ones anew" in shown
    assert "\x1b" not in ended.output


def test_a_check_is_void_if_somebody_changes_the_files_of_the_bot_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ann.sh").touch()
    config = loaded(tmp_path, "", TWO + '[[bots]]\nname = "ann"\ncommand = ["sh", "ann.sh"]\n')

    async def check(*_: object) -> CheckResult:
        (tmp_path / "ann.sh").write_text("exit")
        return checked_bot(config)

    monkeypatch.setattr(checks, "_check_one", check)
    ended = CliRunner().invoke(app, ["check", str(tmp_path / "c.toml")], catch_exceptions=False)

    assert ended.exit_code == 3
    assert "not checked: its files changed while it was checked; let nobody" in " ".join(ended.stdout.split())
    assert not (tmp_path / ".golfref/checks").exists()


def test_an_anchor_that_is_kept_out_is_no_anchor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = loaded(tmp_path, '"check"\nanchor = "ann"', TWO + OWN)
    monkeypatch.setattr(qualify, "check_bots", voided())
    found = qualify.qualified(config, tmp_path / "run.golfref", fresh=False, tell=lambda _: None)
    assert (config.anchor, found.config.anchor) == ("ann", None)


# Letters and tables


@pytest.fixture
def one(tmp_path: Path) -> OneBot:
    """A bot that was checked, whose words and folder are not to be told as they are."""
    checked = checked_bot(loaded(tmp_path))
    place = checked.report.folder
    bot = BotSpec(name="ann", command=("python3", "bot.py"), dir=place, env={"KEY": "hidden"}, entry=f"{tmp_path}/ann")
    return OneBot(bot=bot, version="3f" * 32, came_to=checked, is_new=True)


def checked_bot(config: Config) -> CheckResult:
    """What the check of a bot came to that fails."""
    place = f"{config.folder}/.golfref/versions/{'3f' * 32}/source"
    finding = Finding(
        verdict="fail",
        kind="crashed",
        what="the process had ended",
        where="six-card, round 1, turn",
        rule=rules.LINE,
        stderr=(f'File "{place}/bot.py", line 3', f"read {config.folder}/c.toml", "\x1b[2J\x9b red"),
        count=3,
        games=Counter({"six-card": 3}),
        step=3,
    )
    report = Report(
        command="python3 bot.py",
        folder=place,
        isolation="limits",
        seed="1",
        verdict="fail",
        steps=[StepResult(number=3, title="every game", verdict="fail", findings=[1])],
        findings=[finding],
    )
    return CheckResult(
        when="2026-11-23 05:00:00",
        report=report,
        slowest=Slowest(ms=812.4, limit_ms=1000, decision="turn", game="six-card"),
        memory=Memory(peak_mb=12.0, game="six-card"),
        worst_game="six-card",
        words="fail: crashed (3 times)",
        verdict="fail",
    )


def test_a_letter_names_no_folder_of_the_organiser_and_steers_no_terminal(one: OneBot, tmp_path: Path) -> None:
    text = letter(loaded(tmp_path), one) or ""
    assert str(tmp_path) not in text
    assert 'File "./bot.py", line 3' in text
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "hidden" not in text
    assert "812.4 ms of 1000 ms" in text
    assert 'entries = "ann"' in text


def test_there_is_no_letter_about_what_the_host_spoiled(one: OneBot, tmp_path: Path) -> None:
    assert letter(loaded(tmp_path), replace(one, came_to=HostSpoiled(problem="no memory"))) is None


def test_each_letter_has_a_file_of_its_own() -> None:
    names = file_names(["ann", "a/b", "a:b", "..", ".hidden", "孙"])
    assert names == {
        "ann": "ann.txt",
        "a/b": "a_b.txt",
        "a:b": "a_b~2.txt",
        "..": "_.txt",
        ".hidden": "hidden.txt",
        "孙": "孙.txt",
    }


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_table_holds_its_width_whatever_the_names_are(one: OneBot, width: int) -> None:
    names = [f"{sign * 19}{number}" for number, sign in enumerate(("孙", "x", "é", "W"))]
    rows = [replace(one, bot=replace(one.bot, name=name)) for name in names]
    long = NotReady(name="y" * 40, version="", problem="it has no " + "word " * 40, lines=())
    lines = list(lines_of([*rows, long], width))
    assert max(map(cells, lines)) <= width
    assert sum("FAIL" in line for line in lines) == 5
    assert [row["verdict"] for row in as_json([*rows, long])["bots"]] == ["fail"] * 5


@pytest.mark.parametrize(
    "game",
    [game for game in (*GAMES, *OPTIONS, *POSITIONS) if game.seats > 1],
    ids=lambda game: f"{game.label}-{game.seats}",
)
def test_the_config_for_home_has_the_same_game(game: GameToTry, one: OneBot, tmp_path: Path) -> None:
    variant = ConfiguredVariant(name='a "name" of 孙', variant=game.variant, seats=game.seats)
    config = replace(loaded(tmp_path), variants=(variant,))
    bot = replace(one.bot, entry="", dir=str(tmp_path / "ann"))
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann/bot.py").touch()
    (tmp_path / "home.toml").write_text("\n".join(config_at_home(config, bot)))
    assert load(tmp_path / "home.toml").variants == (variant,)
