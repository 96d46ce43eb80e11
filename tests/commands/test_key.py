"""A key file is made once, for its owner alone; what is no such file is refused in a sentence."""

from pathlib import Path

import pytest
from commands import golfref
from msgspec.structs import replace

from referee.commands.runs.key import BadKeyFile, read_key
from referee.commands.runs.key import key as make_key
from referee.commands.tournament.prepare import prepare
from referee.errors import CommandError
from referee.tournament.config.config import load
from referee.tournament.plan.keys import commitment
from referee.tournament.plan.shards import Shard
from referee.tournament.store.disk import StoreError

CONFIG = """
[tournament]
name = "keys"
seats = 2
{more}
[[variants]]
preset = "six-card"
[[bots]]
name = "ann"
builtin = "random"
[[bots]]
name = "bob"
builtin = "random"
[[bots]]
name = "cid"
builtin = "random"
"""


def write(folder: Path, more: str = "") -> Path:
    config = folder / "run.toml"
    config.write_text(CONFIG.format(more=more))
    return config


def test_a_key_file_is_for_its_owner_alone_and_tells_the_commitment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.key"
    assert make_key(path) == 0
    key = read_key(path)
    assert len(key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    told = capsys.readouterr().err
    assert f"commitment {commitment(key)}" in told
    assert key.hex() not in told
    with pytest.raises(CommandError, match="no key is replaced"):
        make_key(path)
    assert read_key(path) == key
    assert make_key(tmp_path / "other.key") == 0
    assert read_key(tmp_path / "other.key") != key


def test_what_is_no_key_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cup.key"
    with pytest.raises(BadKeyFile, match=r"cup\.key: cannot be read: No such file"):
        read_key(path)
    path.write_text("golfref master key, secret: 00\n")
    with pytest.raises(BadKeyFile, match="holds no master key"):
        read_key(path)
    path.unlink()
    make_key(path)
    path.chmod(0o640)
    with pytest.raises(BadKeyFile, match="others may read it"):
        read_key(path)


def test_all_cards_of_a_run_follow_from_its_key_and_it_goes_on_with_no_other(tmp_path: Path) -> None:
    config = replace(load(write(tmp_path)), key=bytes(32), shard=Shard(number=1, of=2))
    prepared = prepare(config, tmp_path / "run.golfref", fresh=False, may_change=False)
    assert (prepared.key, prepared.run_config.seed) == (bytes(32), None)
    with pytest.raises(StoreError, match="needs the key that all its shards share: make one with `golfref key FILE`"):
        prepare(replace(config, key=None), tmp_path / "run.golfref", fresh=False, may_change=False)
    seeded = prepare(replace(config, key=None, seed="x"), tmp_path / "run.golfref", fresh=False, may_change=False)
    assert seeded.run_config.shard == Shard(number=1, of=2)


@pytest.mark.parametrize(
    ("more", "words", "told"),
    [
        ('seed = "x"', ["--key", "cup.key"], "--key: `seed` in run.toml gives another key"),
        ("", ["--key", "cup.key", "--seed", "x"], "--key: --seed gives another key"),
        ('format = "swiss"', ["--shard", "1/2"], "--shard: the rounds of `swiss` follow from results"),
        ("hours = 1.0", ["--shard", "1/2"], "--shard: `hours` ends the run by the clock"),
        ("", ["--shard", "3/2"], "expected K/N"),
        ("", ["--shard", "1/2"], "needs the key that all its shards share"),
    ],
)
def test_shards_and_keys_that_cannot_be_are_refused_before_anything_is_played(
    tmp_path: Path, more: str, words: list[str], told: str
) -> None:
    write(tmp_path, more)
    make_key(tmp_path / "cup.key")
    out, error = golfref("tournament", "run.toml", "--dry-run", *words, cwd=tmp_path, code=2)
    assert out == ""
    assert told in " ".join(error.replace("│", " ").split())
