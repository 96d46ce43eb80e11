"""Hosts of a Dask cluster, each with a folder of its own: like the desk, of another kind, and with other rules."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import pytest
from commands import golfref
from hosts_in_memory import ROOT
from needs import need_modules

from referee import __version__

pytestmark = [pytest.mark.cluster, pytest.mark.full, pytest.mark.timeout(300)]

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }}
[tournament]
name = "lab"
seed = "abc"
deals = 3
[[variants]]
preset = "cactus"
seats = 2
options = {{ rounds = 1 }}
[[bots]]
builtin = "random"
env = {{ {env} }}
[[bots]]
entries = "entries/*"
"""
ENTRY = """
command = ["python3", "made.py"]
build = ["sh", "-c", "cp source.py made.py"]
env = {{ {env} }}
"""


@contextmanager
def program(name: str, *words: str, cwd: Path, env: dict[str, str], until: str) -> Iterator[str]:
    """A program of Dask that has said `until`; gives that line."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{name}", "--no-dashboard", *words]
    process = Popen(command, cwd=cwd, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, env=os.environ | env, text=True)
    assert process.stderr is not None
    try:
        yield next(line for line in process.stderr if until in line)
    finally:
        process.terminate()
        assert "failed to teardown" not in process.stderr.read()
        process.stderr.close()
        process.wait(60)


def changed_installation(folder: Path) -> Path:
    """golfref as it is here, but for a line in its rules."""
    for name in ("protocol", "referee", "bots"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "assets"))
    with (folder / "referee/rules/games/par.py").open("a") as file:
        file.write("# changed\n")
    return folder


def test_each_host_gets_the_bots_and_one_with_other_rules_is_left_out(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    need_modules("distributed", extra="cluster")
    env = ", ".join(f'{name} = "{value}"' for name, value in mark.items())
    (tmp_path / "run.toml").write_text(CONFIG.format(env=env))
    for name in ("ann", "bea"):
        (tmp_path / "entries" / name).mkdir(parents=True)
        shutil.copy(ROOT / "bots/random/bot.py", tmp_path / "entries" / name / "source.py")
        (tmp_path / "entries" / name / "bot.toml").write_text(ENTRY.format(env=env))
    other = changed_installation(tmp_path / "other")
    earlier = changed_installation(tmp_path / "earlier")
    shutil.rmtree(earlier / "referee/cluster")
    (earlier / "referee/__init__.py").write_text('__version__ = "0.7.0"\n')
    hosts = {
        "lab1": {},
        "lab2": {"GOLFREF_HOST_TAG": "z80-newlib"},
        "lab3": {"PYTHONPATH": str(other)},
        "lab4": {"PYTHONPATH": str(earlier)},
    }
    with ExitStack() as stack:
        said = stack.enter_context(
            program("scheduler", "--host", "127.0.0.1", "--port", "0", cwd=tmp_path, env=mark, until="Scheduler at:")
        )
        address = said.split()[-1]
        for name, more in hosts.items():
            told = mark | {"GOLFREF_HOST": name, "GOLFREF_HOST_FOLDER": str(tmp_path / name)} | more
            words = (address, "--nthreads", "1", "--no-nanny", "--name", name)
            stack.enter_context(program("worker", *words, cwd=tmp_path, env=told, until="Registered to"))
        _, err = golfref("tournament", "run.toml", "--cluster", address, "--insecure-cluster", cwd=tmp_path)
        left_out = f"its golfref {__version__} is not the desk's: referee/rules differ; install the same there"
        assert f"host lab3 is left out: {left_out}" in err
        too_early = (
            f"it has golfref 0.7.0, and the desk {__version__}; install the desk's there, with the extra `cluster`"
        )
        assert f"host lab4 is left out: {too_early}" in err
    until_gone()

    found = json.loads(golfref("standings", "run.golfref", "--hosts", "--json", cwd=tmp_path)[0])
    assert sorted(found["left_out"]) == [
        f"host `lab3` is left out: {left_out}",
        f"host `lab4` is left out: {too_early}",
    ]
    assert [(one["name"], one["told"][0]["built"]) for one in found["hosts"]] == [
        ("lab1", []),
        ("lab2", ["ann", "bea"]),
    ]
    assert all(one["told"][0]["races"]["windows"] == 240 for one in found["hosts"])
    assert sum(one["matches"] for one in found["hosts"]) == 18
    assert "all holds" in golfref("verify", "run.golfref", cwd=tmp_path)[0]
    assert not (tmp_path / "lab3").exists()

    out, _ = golfref("export", "run.golfref", "--table", "matches", "--format", "jsonl", cwd=tmp_path)
    blocks: dict[int, set[str]] = {}
    for row in map(json.loads, out.splitlines()):
        blocks.setdefault(row["block"], set()).add(row["host_name"])
    assert all(len(names) == 1 for names in blocks.values())
