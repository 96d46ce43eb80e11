"""`golfref submit` as an organiser types it."""

import json
from pathlib import Path

import pytest
from commands import golfref

CONFIG = """
[tournament]
name = "friday"
isolation = "limits"

[[variants]]
preset = "six-card"

[[bots]]
entries = "entries/*"

[[bots]]
builtin = "greedy"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A competition without entries, with the files of a bot beside it."""
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/bot.py").write_text("print(1)\n")
    return tmp_path


def test_a_version_is_handed_in_shown_and_brought_back(place: Path) -> None:
    out, _ = golfref("submit", "config.toml", "bot", "--unchecked", "--owner", "Ann", cwd=place)
    assert "accepted, and in place; it was not checked" in out
    (place / "bot/bot.py").write_text("print(2)\n")
    second, _ = golfref("submit", "config.toml", "bot", "--unchecked", "--json", cwd=place)
    assert json.loads(second)["owner"] == "Ann"
    out, _ = golfref("submit", "config.toml", "bot", cwd=place)
    assert "nothing has changed" in out

    golfref("submit", "config.toml", "--restore", "bot", cwd=place)

    assert (place / "entries/bot/bot.py").read_text() == "print(1)\n"
    shown, _ = golfref("submit", "config.toml", "--list", "bot", "--json", cwd=place)
    assert [(line["outcome"], line["in_place"]) for line in json.loads(shown)] == [
        ("accepted", False),
        ("accepted", False),
        ("same", False),
        ("restored", True),
    ]
    table, _ = golfref("submit", "config.toml", "--list", cwd=place)
    assert table.splitlines()[-1].split()[3:] == [
        "Ann",
        json.loads(shown)[0]["version"][:12],
        "restored",
        "in",
        "place",
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["missing.zip"], "no such folder or archive"),
        (["bot", "--list", "--restore", "x"], "give one of --list"),
        ([], "give one of --list"),
        (["--restore", "bot"], "no version of `bot`"),
        (["--list", "bot"], "nobody has handed in"),
        (["--watch", "missing"], "No such file"),
    ],
)
def test_a_wrong_order_says_what_to_change(place: Path, words: list[str], told: str) -> None:
    _, err = golfref("submit", "config.toml", *words, cwd=place, code=2)

    assert told in " ".join(err.split())


def test_a_refusal_is_told_with_a_text_for_the_author(place: Path) -> None:
    (place / "bot.zip").write_bytes(b"PK\3\4 and no more")

    out, _ = golfref("submit", "config.toml", "bot.zip", cwd=place, code=1)

    (answer,) = (place / ".golfref/answers").iterdir()
    assert str(answer) in out
    assert "The archive cannot be taken: the zip is damaged" in answer.read_text()


@pytest.mark.toolchain
def test_who_fails_the_check_is_refused_and_who_passes_is_in_place(place: Path) -> None:
    out, _ = golfref("submit", "config.toml", "bot", cwd=place, code=1)
    assert "the check failed" in out
    assert not (place / "entries").exists()
    assert list((place / ".golfref/versions").iterdir()) == []
    golfref("new", "mine", "--language", "python", cwd=place)

    out, _ = golfref("submit", "config.toml", "mine/bot", "--name", "mine", cwd=place)

    assert "`mine`" in out
    (_, answer) = sorted((place / ".golfref/answers").iterdir())
    assert "It is accepted, and in place." in answer.read_text()
    assert "Check of the bot `mine`" in answer.read_text()
