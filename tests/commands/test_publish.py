"""A run that is published is checked on a machine that has only the bundle; whatever was changed in it is named."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from commands import golfref
from forging import cut
from made_once import shared
from needs import lacking

pytestmark = pytest.mark.full

CONFIG = """
[tournament]
name = "Friday <night>"
seed = "any text"
deals = 1
rotations = "same"
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
builtin = "greedy"
owner = "Ann"
[[bots]]
builtin = "random"
owner = "ann"
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run and what was published of it."""
    return shared(tmp_path_factory, "published", play_and_publish)


def play_and_publish(folder: Path) -> None:
    (folder / "day.toml").write_text(CONFIG)
    golfref("tournament", "day.toml", cwd=folder)
    golfref("publish", "day.golfref", "-o", "out", cwd=folder)


@pytest.fixture
def bundle(published: Path, tmp_path: Path) -> Path:
    """A copy of the bundle, without the run."""
    (there,) = (path for path in (published / "out").iterdir() if not path.name.endswith("-authors"))
    return Path(shutil.copytree(there, tmp_path / "bundle"))


def one(folder: Path, ends: str) -> Path:
    (found,) = folder.glob(f"friday-night-*{ends}")
    return found


def sums_anew(bundle: Path) -> None:
    """Make the sums anew, as somebody does who changes a bundle."""
    files = sorted(path for path in bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    lines = (f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}\n" for path in files)
    (bundle / "SHA256SUMS").write_text("".join(lines))


def lines_of(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


def put_lines(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(gzip.compress(b"".join(line + b"\n" for line in lines)))


def test_a_bundle_holds_without_the_run(bundle: Path) -> None:
    out, err = golfref("verify", "bundle", cwd=bundle.parent)

    assert "bundle: all holds: 2 matches replayed; all files are as the sums tell" in out
    assert "tables, texts and pages are those of this run" in out
    assert "nobody has signed it" in out
    assert err == ""


def test_a_bundle_can_be_checked_by_other_programs(bundle: Path) -> None:
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=bundle, check=True)
    hashes = [line.rpartition(" ")[2] for line in (bundle / "hashes.txt").read_text().splitlines()]
    records = [sha256(line).hexdigest() for line in lines_of(bundle / "records.jsonl.gz")]
    rows = lines_of(bundle / "rows.jsonl.gz")

    assert [sha256(row).hexdigest() for row in rows] == hashes
    assert [row["record_hash"] for row in map(json.loads, rows) if "record_hash" in row] == records
    words = (bundle / "README.txt").read_text()
    shell = words[words.index("hash=$(printf") : words.index("         gives the digest")]
    (digest,) = subprocess.run(
        ["sh", "-c", shell], cwd=bundle, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()
    assert digest == json.loads((bundle / "bundle.json").read_text())["digest"]


CHANGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a table": (
        lambda bundle: (bundle / "tables/seats.csv").write_text("\n"),
        "tables/seats.csv: it was changed",
    ),
    "a file less": (
        lambda bundle: (bundle / "standings.txt").unlink(),
        "standings.txt: it is in SHA256SUMS, but not there",
    ),
    "a file more": (
        lambda bundle: (bundle / "more.txt").write_text("more"),
        "more.txt: it is there, but SHA256SUMS does not name it",
    ),
    "a link": (
        lambda bundle: (bundle / "site/link").symlink_to("/etc/passwd"),
        "site/link: it is neither a file nor a folder",
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_file_that_was_changed_is_named(bundle: Path, what: str) -> None:
    change, finding = CHANGED[what]
    change(bundle)

    assert finding in golfref("verify", "bundle", cwd=bundle.parent, code=1)[0]


@pytest.fixture
def parts(published: Path, tmp_path: Path) -> Path:
    """A copy of the parts of the authors."""
    return Path(shutil.copytree(one(published / "out", "-authors"), tmp_path / "parts"))


def test_each_author_has_a_part_with_the_matches_of_the_own_bots(parts: Path) -> None:
    told = {json.loads((part / "part.json").read_text())["owner"]: part for part in parts.iterdir()}
    greedy = lines_of(told["Ann"] / "greedy.matches.jsonl.gz")

    assert (parts.stat().st_mode & 0o777, len(greedy)) == (0o700, 2)
    assert {match["bots"][match["seat"]] for match in map(json.loads, greedy)} == {"greedy"}
    assert {name.lower() for name in told} == {"ann"}
    assert len({part.name.lower() for part in told.values()}) == 2, "two owners whose names differ by a capital"
    assert "greedy and its neighbours among 2 bots" in (told["Ann"] / "greedy.txt").read_text()
    out, _ = golfref("verify", told["Ann"], cwd=parts, code=4)
    assert "what could be checked holds: 2 matches of the author's bots told again" in out
    assert "not checked: the deals and what other bots played" in out


def test_a_part_that_was_changed_is_found_out(parts: Path) -> None:
    part = next(path for path in parts.iterdir() if (path / "greedy.txt").exists())
    first, second = lines_of(part / "greedy.matches.jsonl.gz")
    forged = json.loads(first)
    forged["totals"] = [total - 5 for total in forged["totals"]]
    put_lines(part / "greedy.matches.jsonl.gz", [json.dumps(forged, separators=(",", ":")).encode(), second, second])
    sums_anew(part)

    out, _ = golfref("verify", part, cwd=parts, code=1)
    assert "greedy.matches.jsonl.gz:1: it ends with totals" in out
    assert f"greedy.matches.jsonl.gz:3: match #{json.loads(second)['place']['commit']} is there twice" in out


def test_a_bundle_is_signed_by_ssh_keygen(published: Path, tmp_path: Path) -> None:
    if shutil.which("ssh-keygen") is None:
        lacking("ssh-keygen is not installed")
    for name in ("mine", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    golfref("publish", published / "day.golfref", "-o", ".", "--matches", "0", "--key", "mine", cwd=tmp_path)
    (bundle,) = tmp_path.glob("friday-night-????-??-??")

    assert "note: signed by the ssh-ed25519 key SHA256:" in golfref("verify", bundle, cwd=tmp_path)[0]
    assert ", as expected" in golfref("verify", bundle, "--signer", "mine.pub", cwd=tmp_path)[0]
    out, _ = golfref("verify", bundle, "--signer", "other.pub", cwd=tmp_path, code=1)
    assert "SHA256SUMS.sig: it was made with another key, ssh-ed25519 key SHA256:" in out
    sums_anew(bundle)
    assert "SHA256SUMS.sig: it is not one of these sums" in golfref("verify", bundle, cwd=tmp_path, code=1)[0]


@pytest.fixture
def evening(published: Path, tmp_path: Path) -> Path:
    """A folder with what was published of the run when one of its two matches had been played, also as an archive."""
    shutil.copy(published / "day.golfref", tmp_path)
    cut(tmp_path / "day.golfref", 1)
    golfref("publish", "day.golfref", "-o", "out", "--matches", "0", "--tar", cwd=tmp_path)
    return tmp_path / "out"


def test_nothing_of_a_run_that_goes_on_tells_its_key(evening: Path) -> None:
    bundle = one(evening, "[0-9]")
    info = json.loads((bundle / "bundle.json").read_text())
    told = b"".join(gzip.decompress(path.read_bytes()) for path in bundle.glob("*.gz"))
    told += b"".join(path.read_bytes() for path in bundle.rglob("*") if path.is_file())

    assert (info["key"], info["extent"]["is_complete"]) == (None, False)
    assert b"any text" not in told, "the key follows from the seed"
    out, _ = golfref("verify", one(evening, ".tar.gz"), cwd=evening, code=1)
    assert "not finished: 1 of 2 matches have no result yet; what is there holds: 1 match replayed" in out
    assert "not checked: its plan, deals and seeds, which follow from the key" in out


def test_a_later_bundle_shows_that_nothing_was_changed_since(evening: Path, bundle: Path) -> None:
    hashes = one(evening, "[0-9]") / "hashes.txt"

    out, _ = golfref("verify", bundle, "--digest", hashes, cwd=evening, code=4)
    assert "the hashes are those of the run when 1 matches had been committed" in out
