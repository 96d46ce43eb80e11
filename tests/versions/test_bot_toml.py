"""Folders of contestants: which row fits their files, what bot.toml may say, and what is refused."""

import os
from pathlib import Path

import pytest

from referee.bot_tools.new import BOT_FOLDER, write_project
from referee.bot_tools.starters import Starter, starters
from referee.play.spec import BotSpec
from referee.versions.bot_toml import Allowance, BadEntry, read_entry
from referee.versions.entry import Builds, Entry
from referee.versions.version import version_of


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    """The folder of an entry in Python, two below the one of the config."""
    folder = tmp_path / "contest/entries/ann"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text("print(1)\n")
    return folder


def config_folder(folder: Path) -> str:
    return str(folder.parent.parent)


def read(folder: Path, **allows: object) -> Entry:
    return read_entry(str(folder), Allowance(folder=config_folder(folder), **allows), shown=f"entries/{folder.name}")  # type: ignore[arg-type]


def problems(folder: Path, bot_toml: str | None = None) -> list[str]:
    if bot_toml is not None:
        (folder / "bot.toml").write_text(bot_toml, encoding="utf-8")
    with pytest.raises(BadEntry) as caught:
        read(folder)
    return list(caught.value.lines)


# What the files say


@pytest.mark.parametrize("starter", starters().values(), ids=lambda starter: starter.language)
def test_what_golfref_new_writes_is_an_entry(starter: Starter, tmp_path: Path) -> None:
    write_project(starter, tmp_path / "project", "ann")

    entry = read_entry(str(tmp_path / "project" / BOT_FOLDER), Allowance(folder=str(tmp_path / "project")))

    manifest = starter.manifest
    assert (entry.command, entry.build, entry.language) == (manifest.command, manifest.build, manifest.title)


@pytest.mark.parametrize(
    ("files", "command", "build"),
    [
        (("bot.lua", "README"), ("lua", "bot.lua"), ()),
        (("bot", "bot.c"), ("./bot",), ("sh", "-c", "cc -std=c11 -O2 -Wall -o bot *.c -lm")),
        (("bot.c", "build.sh"), ("./bot",), ("sh", "build.sh")),
        (("bot.py", "build.sh"), ("python3", "bot.py"), ()),
        (("Makefile", "bot.py"), ("./bot",), ("make",)),
        (("Cargo.toml", "bot.rs"), ("target/release/bot",), ("cargo", "build", "--release")),
    ],
)
def test_the_first_row_that_fits_says_what_builds_and_runs_a_bot(
    ann: Path, files: tuple[str, ...], command: tuple[str, ...], build: tuple[str, ...]
) -> None:
    (ann / "bot.py").unlink()
    for name in files:
        (ann / name).touch()

    entry = read(ann)

    assert (entry.command, entry.build) == (command, build)


def test_a_folder_that_no_row_fits_is_refused_with_what_to_write(ann: Path) -> None:
    (ann / "bot.py").rename(ann / "mine.py")

    (line,) = problems(ann)

    assert line.startswith('entries/ann: no file tells what runs it; write `command = ["PROGRAM", "FILE"]` into bot')


def test_bot_toml_beats_what_files_say_and_the_organiser_beats_bot_toml(ann: Path) -> None:
    (ann / "bot.toml").write_text(
        'command = ["python3", "-u", "bot.py"]\nbuild = ["make", "x"]\nowner = "Ann"\nlanguage = "Py"\n'
        'contact = "ann@example.org"\nenv = { MODE = "fast" }\nreads = ["/usr/share"]\nnetwork = true\n'
    )

    entry = read(ann, reads=("/usr",), network=True, owner="Ann B.")

    assert (entry.command, entry.build) == (("python3", "-u", "bot.py"), ("make", "x"))
    assert (entry.owner, entry.language, entry.contact) == ("Ann B.", "Py", "ann@example.org")
    assert (entry.env, entry.reads, entry.wants_network) == ({"MODE": "fast"}, ("/usr/share",), True)


def test_beside_a_command_only_build_in_bot_toml_builds(ann: Path) -> None:
    (ann / "Makefile").touch()
    (ann / "bot.toml").write_text('command = ["python3", "bot.py"]')

    assert (read(ann).build, read(ann).language) == ((), "")


# Versions


def test_an_entry_without_build_has_the_version_of_the_same_bot_with_a_table_of_its_own(ann: Path) -> None:
    bot = BotSpec(name="ann", command=("python3", "bot.py"), dir=str(ann), env={})

    assert read(ann).version == version_of(bot, config_folder(ann))


def test_a_version_covers_build_environment_and_bot_toml(ann: Path) -> None:
    texts = (
        "",
        'build = ["make"]',
        'build = ["make", "all"]',
        'env = { A = "1" }',
        'owner = "Ann"',
    )
    versions = {read(ann).version}
    for text in texts:
        (ann / "bot.toml").write_text(text)
        versions.add(read(ann).version)

    assert len(versions) == 1 + len(texts)


# What bot.toml may not say


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("comand = 1", "1:1: comand: unknown key; did you mean `command`?"),
        ('name = "x"', "1:1: name: unknown key here; it belongs in the name of the folder, which is the bot's name"),
        ("memory_mb = 9999", "1:1: memory_mb: unknown key here; it belongs in the organiser's config, not in bot.toml"),
        ("\n\nx", "3:2: not TOML: Expected '=' after a key in a key/value pair"),
        ('owner = "a\\u202Eb"', "1:9: owner: expected 1 to 100 printable characters, without blanks around them"),
        (
            'command = ["/home/x/venv/bin/python", "bot.py"]',
            (
                "1:12: command[0]: expected a program by its bare name, such as `python`, or a path within the folder, "
                "such as `./bot`; got the absolute path /home/x/venv/bin/python"
            ),
        ),
        (
            'command = ["../keeper/bot"]',
            "1:12: command[0]: ../keeper/bot leads out of the folder; put what it names into the folder",
        ),
        (
            'command = ["python3", "a/../../b.py"]',
            "1:23: command[1]: a/../../b.py leads out of the folder; put what it names into the folder",
        ),
        (
            'command = ["cat", "/"]',
            "1:19: command[1]: / is an absolute path; name a file of the entry by its path from the folder on",
        ),
        (
            'command = ["builtin:greedy"]',
            "1:12: command[0]: expected the bot's own program; shipped bots are named in the config",
        ),
        ('command = ["sh"' + ', "."' * 40 + "]", "1:11: command: expected at most 30 of them, got 41"),
        ('build = ["/bin/sh"]', "1:10: build[0]: expected a program by its bare name, such as `sh`, or a path within "),
        (
            'env = { PATH = "/tmp" }',
            "1:9: env.PATH: may not be set here, because it changes what of the host is shown or run; take it out",
        ),
        (
            "[env]\nLD_PRELOAD = 'x'",
            "2:1: env.LD_PRELOAD: may not be set here, because it changes what of the host is shown or run",
        ),
        ("[env]\n'a b' = 'x'", "2:1: env.'a b': expected a name of letters from A to Z, digits and _"),
        (
            'reads = ["/etc/../root"]',
            (
                "1:10: reads[0]: the organiser does not allow to read /etc/../root; he does so by `reads = [...]` "
                "beside `entries` in the config, with this path or one above it"
            ),
        ),
        ('reads = ["x"]', "1:10: reads[0]: expected an absolute path, got 'x'; the bot reads all of its own folder"),
        (
            "network = true",
            "1:11: network: builds have no network here; the organiser gives it by `network = true` in [builds] of ",
        ),
    ],
)
def test_what_bot_toml_may_not_say(ann: Path, text: str, expected: str) -> None:
    (line,) = problems(ann, text)

    assert line.startswith(f"entries/ann/bot.toml:{expected}")


def test_all_problems_are_told_together(ann: Path) -> None:
    (ann / "sub").mkdir()
    (ann / "sub/out").symlink_to("../../bea")
    os.mkfifo(ann / "sub/pipe")

    lines = problems(ann, 'owner = ""\nnetwork = 3\nenv = { PATH = "x" }')

    assert sorted(line.split(": ")[0] for line in lines) == [
        "entries/ann/bot.toml:1:9",
        "entries/ann/bot.toml:2:11",
        "entries/ann/bot.toml:3:9",
        "entries/ann/sub/out",
        "entries/ann/sub/pipe",
    ]


@pytest.mark.parametrize("text", ["x" * 64_001, "[" * 64_001])
def test_a_bot_toml_that_is_too_long_is_not_read(ann: Path, text: str) -> None:
    assert problems(ann, text) == ["entries/ann/bot.toml: longer than 64000 bytes, which is the most that it may have"]


@pytest.mark.parametrize(
    "text", ["a." * 31_000 + "b = 1", "[" + "a." * 31_000 + "b]", "command = " + "[" * 30_000, "{" * 60_000]
)
def test_a_bot_toml_that_is_made_to_keep_the_reader_busy_is_refused(ann: Path, text: str) -> None:
    (line,) = problems(ann, text)

    assert line.startswith("entries/ann/bot.toml:")
    assert len(line) < 120


def test_of_very_many_problems_the_first_are_told(ann: Path) -> None:
    lines = problems(ann, "".join(f"k{number} = 1\n" for number in range(600)))

    assert len(lines) == 21
    assert lines[-1] == "entries/ann: 580 more problems"


def test_nobody_waits_for_a_bot_toml_that_is_a_pipe(ann: Path) -> None:
    os.mkfifo(ann / "bot.toml")

    assert problems(ann) == [
        "entries/ann/bot.toml: it is neither file, folder nor link; a bot has nothing else, so leave it out",
        "entries/ann/bot.toml: not a plain file",
    ]


# What a folder may not hold


def test_a_folder_has_bounds(ann: Path) -> None:
    for number in range(5):
        (ann / f"{number}").touch()
    deep = ann.joinpath(*"d" * 33)
    deep.mkdir(parents=True)

    (depth,) = problems(ann)
    assert depth == f"entries/ann/{'/'.join('d' * 33)}: it lies deeper than 32 folders"
    with pytest.raises(BadEntry, match=r"^entries/ann: more than the 4 files and folders that \[builds\] of"):
        read(ann, bounds=Builds(entry_files=4).entry_bounds)
    (ann / "big").write_bytes(b"x" * (1 << 20))
    with pytest.raises(BadEntry, match=r"entries/ann: more than the 1 MB of files that \[builds\] of the config"):
        read(ann, bounds=Builds(entry_mb=1).entry_bounds)


@pytest.mark.parametrize("name", ["a\u202eb", "a\nb", " a", "x" * 41])
def test_names_of_folders_are_names_of_bots(ann: Path, name: str) -> None:
    folder = ann.rename(ann.parent / name)

    (line,) = problems(folder)

    assert line.endswith("expected 1 to 40 printable characters, without blanks around them")
    assert line.isprintable()


def test_a_folder_that_holds_the_config_is_no_entry(ann: Path) -> None:
    with pytest.raises(BadEntry, match="this folder holds the config"):
        read_entry(str(ann.parent), Allowance(folder=str(ann)))
