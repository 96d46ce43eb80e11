"""The file that `golfref export` writes: its format, its name, what is refused, and that there is never half of it."""

import csv
import errno
import gzip
import importlib.util
import io
import os
import signal
import subprocess
from pathlib import Path

import pytest
from commands import GOLFREF, golfref
from exported import NAMES, made_up_run
from made_once import shared

from referee.new_file import NotWritten, new_file


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a finished run of four matches of six-card golf."""
    return (
        shared(tmp_path_factory, "to-be-written", lambda folder: made_up_run(folder, ["six-card"], NAMES[:4]))
        / "run.golfref"
    )


def lines(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("m.csv", b"match,id,"),
        ("m.csv.gz", b"match,id,"),
        ("m.JSONL", b'{"match":0,"id":2,'),
        ("m.ndjson.gz", b'{"match":0,"id":2,'),
    ],
)
def test_the_name_of_the_file_tells_its_format(run: Path, tmp_path: Path, name: str, begins: bytes) -> None:
    assert golfref("export", run, "--table", "matches", "-o", name, cwd=tmp_path) == ("", "")

    assert lines(tmp_path / name)[0].startswith(begins)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_table_is_printed_as_csv_where_no_file_is_named(run: Path, tmp_path: Path) -> None:
    printed, _ = golfref("export", run, "--table", "standings", cwd=tmp_path)
    golfref("export", run, "--table", "standings", "-o", "s", "--format", "csv", cwd=tmp_path)

    assert golfref("export", run, "--table", "standings", "-o", "-", cwd=tmp_path)[0] == printed
    assert (tmp_path / "s").read_text() == printed
    assert len(list(csv.DictReader(io.StringIO(printed)))) == 8


def refused(folder: Path, *words: str | Path) -> str:
    """What the command says, which writes nothing."""
    there = {path: path.read_bytes() for path in folder.iterdir()}
    out, said = golfref("export", *words, cwd=folder, code=2)
    assert (out, {path: path.read_bytes() for path in folder.iterdir()}) == ("", there)
    return said.removeprefix("golfref: ").removesuffix("\n")


def test_what_cannot_be_exported_is_said_in_a_sentence(run: Path, tmp_path: Path) -> None:
    table = ("--table", "seats")
    assert refused(tmp_path, run, "--table", "bots") == (
        "--table: expected one of matches, seats, rounds, decisions, slaps, pairs, standings, got bots"
    )
    assert refused(tmp_path, run, *table, "--format", "xls") == (
        "--format: expected one of csv, parquet, jsonl, got xls"
    )
    assert refused(tmp_path, run, *table, "-o", "seats.xls") == (
        "seats.xls: the name has no format; it may end with .csv, .parquet, .jsonl, .ndjson, or give --format"
    )
    assert refused(tmp_path, run, *table, "--format", "parquet") == (
        "Parquet is not written to standard output; name a file with -o"
    )
    assert "Parquet is packed already" in refused(tmp_path, run, *table, "--format", "parquet", "-o", "x.gz")
    assert "--exact is for CSV" in refused(tmp_path, run, *table, "--exact", "-o", "x.jsonl")
    assert "nowhere/x.csv: cannot be written: No such file" in refused(tmp_path, run, *table, "-o", "nowhere/x.csv")
    assert "is a folder" in refused(tmp_path, run, *table, "-o", str(tmp_path), "--format", "csv", "--force")
    assert "no.golfref: no such store" in refused(tmp_path, "no.golfref", *table)
    (tmp_path / "text").write_text("a text")
    assert "text: not a golfref store" in refused(tmp_path, "text", *table)


def test_a_file_that_is_there_is_replaced_only_where_that_is_asked_for(run: Path, tmp_path: Path) -> None:
    words = (run, "--table", "pairs", "-o", "pairs.csv")
    (tmp_path / "pairs.csv").write_text("mine")

    assert refused(tmp_path, *words) == (
        "pairs.csv exists already; remove it, name another file, or replace it with --force"
    )
    golfref("export", *words, "--force", cwd=tmp_path)
    assert lines(tmp_path / "pairs.csv")[0].startswith(b"game,bot,opponent,")
    assert len(list(tmp_path.iterdir())) == 1


def test_parquet_says_what_it_lacks(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find(name))

    said = refused(tmp_path, run, "--table", "seats", "-o", "seats.parquet")
    assert said.startswith("Parquet is written with pyarrow, which is not installed; `")
    assert said.endswith(" -m pip install 'pyarrow>=17'` brings it, and so does the extra `export` of golfref")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt(), ValueError()])
def test_what_fails_leaves_nothing_and_changes_nothing(tmp_path: Path, error: BaseException) -> None:
    (tmp_path / "there").write_text("as it was")

    def half(name: str) -> None:
        with new_file(tmp_path / name, replaces=True) as file:
            file.write(b"half")
            raise error

    for name in ("there", "new"):
        with pytest.raises(NotWritten if isinstance(error, OSError) else type(error)) as raised:
            half(name)
        assert [path.name for path in tmp_path.iterdir()] == ["there"]
        assert (tmp_path / "there").read_text() == "as it was"
        if isinstance(error, OSError):
            assert str(raised.value) == f"{tmp_path / name}: cannot be written: No space left on device"


def test_an_export_that_is_interrupted_says_so(run: Path) -> None:
    """It is interrupted in the middle: it waits for somebody who reads more than the first bytes."""
    command = [*GOLFREF, "export", str(run), "--table", "decisions", "--format", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == b"golfref: interrupted\n"
        assert process.wait() == 130


def test_where_standard_output_is_full_the_command_says_so(run: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [*GOLFREF, "export", str(run), "--table", "matches"]
        env = {**os.environ, "PYTHONUNBUFFERED": ""}
        done = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, check=False)

    assert done.stderr == (
        b"golfref: the output cannot be written: No space left on device; nothing that is stored is lost\n"
    )
    assert done.returncode == 3
