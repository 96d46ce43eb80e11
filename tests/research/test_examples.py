"""The examples: one learns a game and writes a policy, one imitates a bot of a run, and a notebook has both."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import golfref
from exported import made_up_run
from needs import need_modules

import referee.research.examples
from referee.research import Codec, Env
from referee.research.decisions import decisions
from referee.research.network import Network
from referee.research.policies import play, policy

pytestmark = pytest.mark.research


@pytest.fixture(autouse=True)
def _libraries() -> None:
    need_modules("pyarrow", "sklearn", extra="research,learn")


# Learning from nothing


def test_the_recipe_learns_and_the_bot_of_its_policy_plays_as_the_policy_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from referee.research.examples import learn

    monkeypatch.setattr(learn, "ROWS", 8)
    words = ["learn", "cactus", "--minutes", "0.005", "--deals", "2", "--against", "random"]
    monkeypatch.setattr(sys, "argv", [*words, "-o", str(tmp_path / "model.npz")])
    learn.main()
    assert "against random: " in capsys.readouterr().out

    golfref("new", "mine", "--language", "python", "--policy", "model.npz", cwd=tmp_path)
    network, env = Network.load(tmp_path / "model.npz"), Env("cactus", 3, rounds=2)
    env.reset("alike")
    play(env, [network, policy("greedy"), policy("random")])
    asked, sent = [], env.lines(0)
    bot = subprocess.run(
        [sys.executable, "-I", "bot.py"],
        cwd=tmp_path / "mine/bot",
        input=b"".join(sent),
        capture_output=True,
        check=True,
    )
    asked = [json.loads(line)["action"] for line in bot.stdout.splitlines()[1:]]
    given = [msgspec.to_builtins(action) for seat, action in env.history if seat == 0]
    assert asked == json.loads(json.dumps(given))


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
    codec = Codec("four-card", 2)
    codes = codec.code_count
    two = table(
        {name: three[name] for name in three.column_names}
        | {"seats": [2] * len(three), "codes": [[0] * codes] * len(three)}
    )
    both = concat_tables([three, two.cast(three.schema)])
    write_table(both.replace_schema_metadata({"golfref": json.dumps(games)}), tmp_path / "both.parquet")
    with pytest.raises(ValueError, match="has tables of 'four-card' of several sizes: name one of 3, 2 seats"):
        imitate.read(tmp_path / "both.parquet", "ann")
    assert imitate.read(tmp_path / "both.parquet", "ann", seats=2).tensors.shape[1] == codec.shape[0]
    assert len(imitate.read(tmp_path / "both.parquet", "ann", seats=3).moves) == len(
        imitate.read(tmp_path / "run.parquet", "ann").moves
    )


# The notebook


NOTEBOOK = Path(referee.research.examples.__file__).with_name("first_steps.ipynb")

SMALL = "DEALS, WORLDS, TOURNAMENT_DEALS, MINUTES = 2, 5, 5, 0.01"

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
