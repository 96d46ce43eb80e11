"""The examples: one learns four-card golf and writes a bot, one imitates a bot of a run, and a notebook has both."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from commands import golfref
from exported import made_up_run
from needs import need_modules

import referee.research.examples
from referee.research import Env
from referee.research.decisions import decisions
from referee.research.examples.four_card import bot
from referee.research.policies import BotPolicy, play, policy
from referee.research.programs import Program

pytestmark = pytest.mark.research


@pytest.fixture(autouse=True)
def _libraries() -> None:
    need_modules("pyarrow", "sklearn", extra="research,learn")


# Learning four-card golf


def test_four_card_learns_from_what_the_bot_sees() -> None:
    from referee.research.examples.four_card import learn

    seen: list[bot.View] = []

    class Looks(bot.Learned):
        def __init__(self, match: bot.Action) -> None:
            super().__init__(match, lambda rows: [0.0] * len(rows))

        def decide(self, request: bot.Action) -> bot.Action:
            action = super().decide(request)
            seen.append(self.view)
            return action

    env, dice = Env("four-card", 4), Random(1)  # noqa: S311 - it must be the same every time
    env.reset("seen")
    looks = BotPolicy(Program(name="looks", make=lambda match: Looks(match).decide))
    while env.seat is not None:
        looks(env)
        for move in env.legal():
            kind, choice = learn.kind_and_choice(move)
            assert bot.positions(seen[-1], kind, choice) == bot.positions(learn.view_of(env), kind, choice)
        env.step(dice.choice(env.numbers()))
    assert len(seen) > 100
    assert {view.is_last for view in seen} == {False, True}


def test_the_bot_that_four_card_writes_does_what_was_learned(tmp_path: Path) -> None:
    from referee.research.examples.four_card import learn

    (*_, student) = learn.generations(learn.GENERATIONS * 2, seed=1)
    learn.write_bot(student, tmp_path / "learned")
    histories = []
    for one in (student.policy, policy(tmp_path / "learned")):
        env = Env("four-card", 3, rounds=2)
        env.reset("alike")
        play(env, [one, policy("greedy"), policy("random")])
        histories.append(env.history)
    assert histories[0] == histories[1]


def test_the_command_of_four_card_learns_measures_and_writes_a_bot(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "referee.research.examples.four_card.learn", "-o", str(tmp_path / "learned")]
    tiny = ["--rounds", "50", "--deals", "2", "--against", "random"]
    done = subprocess.run([*command, *tiny], capture_output=True, text=True, check=True, timeout=600)
    assert "generation 25 of 25:" in done.stdout
    assert "against random: " in done.stdout
    assert " points a round over 2 deals" in done.stdout
    layers = json.loads((tmp_path / "learned/weights.json").read_text())
    assert [len(added) for _, added in layers] == [64, 32, 1]
    assert done.stderr == ""


def test_a_game_that_was_not_learned_is_named() -> None:
    with pytest.raises(ValueError, match="has learned four-card, and cannot play six-card"):
        bot.Learned({"variant": "six-card"}, lambda rows: [0.0] * len(rows))


def test_a_mistake_is_named_before_four_card_learns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from referee.research.examples.four_card import learn

    for words, said in (
        (["--rounds", "10"], "expected 50 rounds and 2 deals at least, got 10 and 400"),
        (["--against", "gredy"], "no shipped bot in Python called 'gredy'"),
        (["-o", "/proc/learned"], "/proc/learned"),
    ):
        monkeypatch.setattr(sys, "argv", ["learn", *words])
        with pytest.raises(SystemExit):
            learn.main()
        assert said in capsys.readouterr().err


# Imitating a bot


CONFIG = """
[tournament]
name = "run"
seed = "imitate"
seats = 3
deals = 5

[[variants]]
preset = "four-card"
options = { rounds = 3 }

[[bots]]
builtin = "keeper"
[[bots]]
builtin = "random"
[[bots]]
builtin = "greedy"
"""


@pytest.mark.timeout(180)  # it plays a tournament
def test_the_imitator_does_more_often_what_keeper_did_than_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from referee.research.examples import imitate

    (tmp_path / "run.toml").write_text(CONFIG)
    golfref("tournament", "run.toml", cwd=tmp_path)
    golfref("export", "run.golfref", "--table", "decisions", "--with-cards", "-o", "run.parquet", cwd=tmp_path)
    monkeypatch.setattr(sys, "argv", ["imitate", str(tmp_path / "run.parquet"), "--bot", "keeper", "--deals", "2"])
    imitate.main()
    told = capsys.readouterr().out
    shares = re.search(r"it does what keeper did in ([\d.]+)% of them; any legal move would be in ([\d.]+)%", told)
    assert shares is not None, told
    assert float(shares[1]) > float(shares[2]) + 15
    assert "against random: " in told


def test_a_game_or_a_bot_that_the_decisions_lack_is_named(tmp_path: Path) -> None:
    from referee.research.examples import imitate

    run = made_up_run(tmp_path, ["four-card", "six-card"], ("ann", "bea", "cid"), deals=2)
    decisions(run, tmp_path / "run.parquet")
    with pytest.raises(ValueError, match="has several games: name one of four-card, six-card"):
        imitate.read(tmp_path / "run.parquet", "ann")
    with pytest.raises(ValueError, match="has decisions of 'dan' in 'six-card' of fewer than 5 matches"):
        imitate.read(tmp_path / "run.parquet", "dan", "six-card")
    assert imitate.read(tmp_path / "run.parquet", "ann", "six-card").game["seats"] == 3


def test_the_imitator_learns_from_tables_of_one_size(tmp_path: Path) -> None:
    from pyarrow import concat_tables, table
    from pyarrow.parquet import ParquetFile, read_table, write_table

    from referee.research.examples import imitate

    run = made_up_run(tmp_path, ["four-card"], ("ann", "bea", "cid"), deals=2)
    decisions(run, tmp_path / "run.parquet")
    three = read_table(tmp_path / "run.parquet")
    games = json.loads(ParquetFile(tmp_path / "run.parquet").metadata.metadata[b"golfref"])
    games["four-card"].append(games["four-card"][0] | {"seats": 2})
    two = table(
        {name: three[name] for name in three.column_names} | {"seats": [2] * len(three), "tensor": [[0.0]] * len(three)}
    )
    both = concat_tables([three, two.cast(three.schema)])
    write_table(both.replace_schema_metadata({"golfref": json.dumps(games)}), tmp_path / "both.parquet")
    with pytest.raises(ValueError, match="has tables of 'four-card' of several sizes: name one of 3, 2 seats"):
        imitate.read(tmp_path / "both.parquet", "ann")
    assert imitate.read(tmp_path / "both.parquet", "ann", seats=2).tensors.shape[1] == 1
    assert len(imitate.read(tmp_path / "both.parquet", "ann", seats=3).moves) == len(
        imitate.read(tmp_path / "run.parquet", "ann").moves
    )


# The notebook


NOTEBOOK = Path(referee.research.examples.__file__).with_name("first_steps.ipynb")

SMALL = "DEALS, WORLDS, TOURNAMENT_DEALS, ROUNDS = 2, 5, 5, 100"

Cells = list[dict[str, Any]]


def cells_of(path: Path) -> Cells:
    cells: Cells = msgspec.json.decode(path.read_bytes())["cells"]
    return cells


def parameters(cells: Cells) -> dict[str, Any]:
    (cell,) = [one for one in cells if "parameters" in one["metadata"].get("tags", [])]
    return cell


def test_the_notebook_is_kept_without_outputs() -> None:
    for cell in cells_of(NOTEBOOK):
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), "clear all outputs before you save it"


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")  # those of Jupyter
def test_the_notebook_runs_from_top_to_bottom(
    tmp_path: Path, mark: dict[str, str], marked: Callable[[], dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_modules("ipykernel", "matplotlib", "nbclient", extra="learn")
    import nbformat
    from nbclient import NotebookClient

    for name, text in {**mark, "IPYTHONDIR": str(tmp_path / "ipython"), "TMPDIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, text)
    whole = msgspec.json.decode(NOTEBOOK.read_bytes())
    cells: Cells = whole["cells"]
    names = {line.partition(" =")[0] for line in parameters(cells)["source"]}
    assert names == set(SMALL.partition(" =")[0].split(", "))
    parameters(cells)["source"] = SMALL
    (tmp_path / "small.ipynb").write_bytes(msgspec.json.encode(whole))
    read: Any = nbformat.read
    notebook = read(tmp_path / "small.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    told = "".join(output.get("text", "") for output in outputs)
    assert "keeper beside random: -" in told
    assert "it does what keeper did in " in told
    assert not [output for output in outputs if output.output_type == "error"]
    assert not marked()
