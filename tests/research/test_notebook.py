"""The notebook runs from top to bottom, with small counts, and is kept without what it prints."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from needs import need_modules

import referee.research.examples

pytestmark = pytest.mark.research

NOTEBOOK = Path(referee.research.examples.__file__).with_name("first_steps.ipynb")

SMALL = "DEALS, WORLDS, TOURNAMENT_DEALS, ROUNDS = 2, 5, 5, 100"

Cells = list[dict[str, Any]]


def cells_of(path: Path) -> Cells:
    cells: Cells = msgspec.json.decode(path.read_bytes())["cells"]
    return cells


def parameters(cells: Cells) -> dict[str, Any]:
    (cell,) = [one for one in cells if "parameters" in one["metadata"].get("tags", [])]
    return cell


def test_it_is_kept_without_outputs() -> None:
    for cell in cells_of(NOTEBOOK):
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), "clear all outputs before you save it"


@pytest.mark.filterwarnings("ignore")  # those of Jupyter
def test_it_runs_from_top_to_bottom(
    tmp_path: Path, mark: dict[str, str], marked: Callable[[], dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_modules("ipykernel", "matplotlib", "nbclient", "pyarrow", "sklearn", extra="research,learn")
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
