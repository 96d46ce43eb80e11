"""Configs in which something is wrong, and the messages: `mistakes.txt` has both."""

from pathlib import Path

import pytest
from configs import EIGHT, GAME, HEAD, contest, problems
from golden import Golden

from referee.tournament.config.config import ConfigError, load

TABLE = Path(__file__).with_name("mistakes.txt")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return contest(tmp_path, monkeypatch)


def test_every_mistake_of_the_table_has_its_messages(folder: Path, golden: Golden) -> None:
    """A part of the file is a title, lines of a config, and the messages, which `--write` adds. `whole` is a complete
    config; any other gets [tournament] before it, and after it eight bots and a variant, unless it has its own.
    """
    parts = golden.read(TABLE).decode().removeprefix("=== ").split("\n=== ")
    golden.check(TABLE, "\n".join(with_messages(part, folder) for part in parts).encode())


def with_messages(part: str, folder: Path) -> str:
    title, *lines = part.strip().split("\n")
    given = "\n".join(line for line in lines if not line.startswith("-> "))
    text = given + "\n"
    if not title.startswith("whole: "):
        text = HEAD + text + ("" if "[[variants]]" in text else GAME) + EIGHT
    messages = "".join(f"-> {line}\n".replace(str(folder), "FOLDER") for line in problems(text))
    return f"=== {title}\n{given}\n{messages}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[tournament]\nname = \n", "2:8"),
        ('ü = 1\nx = "ö" y', "1:1"),
        ("[a]\nx = [1,\n2", "3:2"),
        ("x = 1\nx = 2\n", "2:6"),
    ],
)
def test_what_is_not_toml_is_told_at_its_place(text: str, place: str) -> None:
    (line,) = problems(text)
    assert line.startswith(f"c.toml:{place}: not TOML: ")


def test_a_file_that_cannot_be_read_is_named_with_the_reason() -> None:
    Path("c.golfref").write_bytes(b"SQLite format 3\0\xff")
    Path("latin1.toml").write_bytes("x = 1\nname = 'ö".encode("latin-1"))
    for path, line in (
        ("no.toml", "no.toml: no such file"),
        ("entries", "entries: cannot be read: Is a directory"),
        (
            "c.golfref",
            "c.golfref: this is a run's store, not its config; `golfref standings c.golfref` prints what it holds",
        ),
        ("latin1.toml", "latin1.toml:2:9: not UTF-8; save the file in this encoding"),
    ):
        with pytest.raises(ConfigError) as caught:
            load(path)
        assert caught.value.lines == (line,)
