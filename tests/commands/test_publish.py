"""A run that is published is checked on a machine that has only the bundle; whatever was changed in it is found."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from commands import golfref
from forging import change, cut
from made_once import shared
from needs import lacking

from referee.bundle.make import UNFINISHED
from referee.bundle.readme import ALWAYS_THERE
from referee.bundle.verify import verify_bundle
from referee.tournament.verify.published import NOTHING

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
    return Path(shutil.copytree(one(published / "out"), tmp_path / "bundle"))


def one(folder: Path) -> Path:
    (found,) = folder.iterdir()
    assert found.name.startswith("friday-night-")
    return found


def sums_anew(bundle: Path) -> None:
    """Make the sums anew, as somebody does who changes a bundle."""
    files = sorted(path for path in bundle.rglob("*") if path.is_file() and not path.name.startswith("SHA256SUMS"))
    lines = (f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}\n" for path in files)
    (bundle / "SHA256SUMS").write_text("".join(lines))


def findings(bundle: Path) -> str:
    return "\n".join(verify_bundle(bundle, None, NOTHING).findings)


def test_a_bundle_holds_without_the_run(bundle: Path) -> None:
    out, err = golfref("verify", "bundle", cwd=bundle.parent)

    assert "bundle: all holds: 2 matches replayed; standings.json and hashes.txt are those of the run" in out
    assert "all files are as the sums say" in out
    assert "nobody has signed it" in out
    assert err == ""


def test_a_bundle_can_be_checked_by_other_programs(bundle: Path) -> None:
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=bundle, check=True)
    words = (bundle / "README.txt").read_text()
    shell = words[words.index("hash=$(printf") :]
    printed = subprocess.run(["sh", "-c", shell], cwd=bundle, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed.strip() == json.loads((bundle / "standings.json").read_text())["digest"]


def test_the_store_of_a_bundle_is_read_as_any_other_and_nothing_is_written_beside_it(bundle: Path) -> None:
    before = sorted(os.listdir(bundle))

    assert "greedy" in golfref("standings", "run.golfref", "--bot", "greedy", cwd=bundle)[0]
    golfref("transcript", "run.golfref:1", "--bot", "greedy", cwd=bundle)
    golfref("export", "run.golfref", "--bot", "greedy", "-o", "../greedy.jsonl", cwd=bundle)

    assert sorted(os.listdir(bundle)) == before
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in bundle.rglob("*")), "readable by everybody"


def changes_of(path: Path) -> Iterator[Callable[[], object]]:
    """Ways to change a file."""
    data = path.read_bytes()
    middle = len(data) // 2
    yield lambda: path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    yield lambda: path.write_bytes(data[:-1])
    yield lambda: path.write_bytes(data + b"\n")
    yield path.unlink
    yield lambda: instead(path, lambda: path.symlink_to("/etc/passwd"))
    yield lambda: instead(path, lambda: os.mkfifo(path))


def instead(path: Path, make: Callable[[], object]) -> None:
    path.unlink()
    make()


def test_every_change_of_every_file_is_found(bundle: Path) -> None:
    files = [path for path in bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]
    files = [path for path in files if "site" not in path.parts or path.name == "index.html"]
    assert len(files) > len(ALWAYS_THERE)
    assert not findings(bundle)
    for path in files:
        data = path.read_bytes()
        for number, make_change in enumerate(changes_of(path)):
            make_change()
            assert path.name in findings(bundle), f"{path}: change {number}"
            path.unlink(missing_ok=True)
            path.write_bytes(data)


MADE_ANEW: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file more": (lambda bundle: (bundle / "more.txt").write_text("more"), "more.txt: no such file belongs"),
    "a store with a write-ahead log": (
        lambda bundle: (bundle / "run.golfref").write_bytes(
            (bundle / "run.golfref").read_bytes().replace(b"\1\1", b"\2\2", 1)
        ),
        "run.golfref: it is no store that SQLite can read without writing beside it",
    ),
    "a file less": (lambda bundle: (bundle / "standings.txt").unlink(), "standings.txt: it is not there"),
    "a log of SQLite": (lambda bundle: (bundle / "run.golfref-wal").write_text("x"), "run.golfref-wal: no such file"),
    "a figure": (
        lambda bundle: (bundle / "standings.json").write_text(
            (bundle / "standings.json").read_text().replace('"matches":2', '"matches":3', 1)
        ),
        "standings.json or hashes.txt: matches: published 3, in the store 2",
    ),
    "a hash": (
        lambda bundle: (bundle / "hashes.txt").write_text(
            (bundle / "hashes.txt").read_text().replace("match", "void", 1)
        ),
        "standings.json or hashes.txt: row #2: it is not the published one",
    ),
    "a match less": (lambda bundle: cut(bundle / "run.golfref", 1), "standings.json or hashes.txt: digest: "),
    "a result": (
        lambda bundle: change(bundle / "run.golfref", "UPDATE journal SET body = replace(body, 'match', 'watch')"),
        "row #",
    ),
}


@pytest.mark.parametrize("what", MADE_ANEW)
def test_a_change_is_found_though_the_sums_were_made_anew(bundle: Path, what: str) -> None:
    make_change, finding = MADE_ANEW[what]
    make_change(bundle)
    sums_anew(bundle)

    assert finding in golfref("verify", "bundle", cwd=bundle.parent, code=1)[0]


def test_a_bundle_is_signed_by_ssh_keygen(published: Path, tmp_path: Path) -> None:
    if shutil.which("ssh-keygen") is None:
        lacking("ssh-keygen is not installed")
    for name in ("mine", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    golfref("publish", published / "day.golfref", "-o", "out", "--matches", "0", "--key", "mine", cwd=tmp_path)
    bundle = one(tmp_path / "out")

    assert "note: signed by the ED25519 key SHA256:" in golfref("verify", bundle, cwd=tmp_path)[0]
    assert ", as expected" in golfref("verify", bundle, "--signer", "mine.pub", cwd=tmp_path)[0]
    out, _ = golfref("verify", bundle, "--signer", "other.pub", cwd=tmp_path, code=1)
    assert "SHA256SUMS.sig: it was made with another key, ED25519 key SHA256:" in out
    (bundle / "standings.txt").write_text("greedy won\n")
    sums_anew(bundle)
    out, _ = golfref("verify", bundle, cwd=tmp_path, code=1)
    assert "SHA256SUMS.sig: it is not a signature of these sums" in out


def test_a_key_or_an_option_that_cannot_be_used_is_refused_before_anything_is_made(
    published: Path, tmp_path: Path
) -> None:
    (tmp_path / "minisign.key").write_text("untrusted comment: minisign encrypted secret key\nRWRTY0Iy\n")
    run = published / "day.golfref"
    refused = {
        ("--tar",): "--tar: there is no such option any more; `tar czf NAME.tar.gz NAME` packs a bundle",
        ("--key", "minisign.key"): "minisign.key: expected a private key of ssh",
        ("--key", "none"): "none: there is no such file",
    }
    for options, words in refused.items():
        assert words in golfref("publish", run, "-o", "out", *options, cwd=tmp_path, code=2)[1]
    assert not (tmp_path / "out").exists()
    assert "unpack it by `tar xzf`" in golfref("verify", "bundle.tar.gz", cwd=tmp_path, code=2)[1]


def test_what_a_killed_publication_left_goes_away_and_no_bundle_is_overwritten(published: Path, tmp_path: Path) -> None:
    (tmp_path / UNFINISHED).mkdir()
    (tmp_path / UNFINISHED / "run.golfref").write_text("half of it")
    for _ in range(2):
        golfref("publish", published / "day.golfref", "-o", ".", "--matches", "0", cwd=tmp_path)

    first, second = sorted(path.name for path in tmp_path.iterdir())
    assert second == f"{first}-2"


@pytest.fixture
def evening(published: Path, tmp_path: Path) -> Path:
    """The bundle of the run when one of its two matches had been played."""
    shutil.copy(published / "day.golfref", tmp_path)
    cut(tmp_path / "day.golfref", 1)
    _, err = golfref("publish", "day.golfref", "-o", "out", "--matches", "0", cwd=tmp_path)
    assert "the run goes on, so its store is not in the bundle" in err
    return one(tmp_path / "out")


def test_nothing_of_a_run_that_goes_on_shows_its_key(evening: Path) -> None:
    everything = b"".join(path.read_bytes() for path in evening.rglob("*") if path.is_file())

    assert not list(evening.glob("*golfref*"))
    assert json.loads((evening / "standings.json").read_text())["key"] is None
    assert b"any text" not in everything, "the key follows from the seed"
    out, _ = golfref("verify", evening, cwd=evening.parent, code=4)
    assert "what could be checked holds: all files are as the sums say; not checked: the run, whose store" in out


def test_a_later_bundle_shows_that_nothing_was_changed_since(evening: Path, bundle: Path) -> None:
    out, _ = golfref("verify", bundle, "--digest", evening / "hashes.txt", cwd=evening.parent, code=4)

    assert "the hashes are those of the run when 1 matches had been committed" in out
