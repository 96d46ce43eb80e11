"""Small roots in memory: what commands need, what is copied, what does not fit, and that nothing of it stays behind."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import trio
from msgspec.structs import replace
from needs import lacking, need_bubblewrap, need_compiler, need_perl

from referee.play.bot.ending import stop
from referee.play.bot.orphans import nothing_left_behind
from referee.play.bot.process import BotProcess
from referee.play.isolation import copies, memory
from referee.play.isolation.cell import _cell, cell_of
from referee.play.isolation.closure import needs_of
from referee.play.isolation.copies import copied
from referee.play.isolation.elf import read_elf
from referee.play.isolation.memory import NoMemory, find_memory, remove_leftovers
from referee.play.isolation.shown import Unfit
from referee.play.spec import BotSpec, Confinement

pytestmark = [pytest.mark.full, pytest.mark.isolation]

MB = 1 << 20
PATH = "/usr/local/bin:/usr/bin:/bin"
PYTHON = shutil.which("python3", path=PATH) or sys.executable

Run = Callable[..., tuple[str, str, str]]


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    need_bubblewrap()
    yield
    assert not list(Path("/dev/shm").glob(f"golfref-memory-{os.getpid()}-*"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder, which every user can read."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for place in (folder, *folder.parents):
        if place.is_relative_to(tmp_path.parent.parent) and os.access(place, os.W_OK):
            place.chmod(place.stat().st_mode | 0o055)
    return folder


@pytest.fixture
def run(folder: Path, mark: dict[str, str]) -> Run:
    """Runs a command as a stranger's bot; gives what it wrote to both outputs, and how it ended."""

    def run(*command: str, on_disk: bool = False, **more: object) -> tuple[str, str, str]:
        spec = bot(folder, *command, env=mark, **more)

        async def to_its_end(confinement: Confinement) -> tuple[str, str, str]:
            process = BotProcess(spec, confinement)
            process.close_stdin()
            with trio.fail_after(50):
                out, err = await everything(process.stdout), await everything(process.stderr)
                while (ended := process.exit_status()) is None:
                    await trio.sleep(0.001)
            await stop(process, patience_s=0, drain=lambda: None)
            return out, err, ended

        with copied([spec]) as made, nothing_left_behind():
            assert bool(made.on_disk) == on_disk
            return trio.run(to_its_end, Confinement(isolation="bwrap", copies=made.folder))

    return run


async def everything(fd: int) -> str:
    data = b""
    while True:
        await trio.lowlevel.wait_readable(fd)
        if not (chunk := os.read(fd, 65536)):
            return data.decode()
        data += chunk


def bot(folder: Path, *command: str, **more: object) -> BotSpec:
    return replace(BotSpec(name="mine", command=command, dir=str(folder), env={}), **more)


def write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def compiled(folder: Path, text: str) -> None:
    need_compiler()
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))))
    subprocess.run([compiler, "-o", folder / "bot", "-x", "c", "-", "-lm"], input=text.encode(), check=True)


def installed(program: str) -> str:
    path = shutil.which(program, path=PATH)
    if path is None:
        lacking(f"{program} is not installed")
    return path


# What commands need


def test_a_program_sees_its_libraries_and_little_else(run: Run, folder: Path) -> None:
    compiled(folder, '#include <math.h>\n#include <stdio.h>\nint main(int n, char **w) { printf("%.0f", pow(n, 3)); }')
    assert run("./bot", "x", "y") == ("27", "", "exited with code 0")
    out, _, _ = run("sh", "-c", "echo /usr/bin/* /usr/lib/python3*")
    assert len(out.split()) < 20
    assert "python3.so" not in out


def test_nothing_in_the_cell_lies_on_a_disk(run: Run, folder: Path) -> None:
    data = folder.parent / "data"
    data.mkdir()
    (data / "words").write_text("words")
    (folder / "run.sh").write_text(f"cat {data}/words /proc/self/mountinfo")
    out, err, _ = run("sh", "run.sh", reads=(str(data),))
    assert out.startswith("words")
    kinds = {line.partition(" - ")[2].split()[0] for line in out.removeprefix("words").splitlines()}
    assert kinds <= {"tmpfs", "proc", "devtmpfs"}, err


@pytest.mark.parametrize("command", [(PYTHON, "bot.py"), ("./bot.py",)])
def test_a_python_finds_its_library_and_what_it_is_linked_to(run: Run, folder: Path, command: tuple[str, ...]) -> None:
    write(folder / "bot.py", "#!/usr/bin/env python3\nimport ssl, sqlite3, ctypes, zoneinfo, encodings.idna\nprint(2)")
    assert run(*command)[::2] == ("2\n", "exited with code 0")


def test_a_virtual_environment_is_copied_without_packages_that_it_does_not_use(run: Run, folder: Path) -> None:
    environment = folder.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    packages = next(environment.glob("lib/python3*/site-packages"))
    (packages / "mine.py").write_text("word = 'found'")
    (folder / "bot.py").write_text("import mine, json, sys; print(mine.word, sys.prefix)")
    out, err, _ = run(str(environment / "bin" / "python"), "bot.py")
    assert (out, err) == (f"found {environment}\n", "")


def test_a_shell_script_finds_the_programs_that_it_names(run: Run, folder: Path) -> None:
    write(folder / "run.sh", "#!/bin/sh\necho b a | tr ' ' '\\n' | sort | sed s/a/c/\n./more.sh")
    write(folder / "more.sh", "#!/bin/sh\nexec awk 'BEGIN { print 6 * 7 }'")
    assert run("./run.sh")[:2] == ("c\nb\n42\n", "")


def test_a_perl_finds_its_modules(run: Run, folder: Path) -> None:
    need_perl()
    (folder / "bot.pl").write_text("use JSON::PP; use List::Util qw(sum); print sum(1, 2), encode_json([3]);")
    assert run("perl", "bot.pl")[:2] == ("3[3]", "")


INTERPRETERS = {
    "node": ("-e", "const z = require('zlib'); console.log(require('fs').readdirSync('/bot').length + 1)"),
    "ruby": ("-e", "require 'json'; puts [1].to_json"),
    "lua": ("-e", "print(1)"),
    "php": ("-r", "echo json_encode([1]);"),
    "java": ("-Xmx64m", "--version"),
    "perl": ("-e", "use JSON::PP; print encode_json([1])"),
}
"""How other interpreters use what is installed with them; each says something with a 1 in it."""


@pytest.mark.parametrize("program", [name for name in INTERPRETERS if shutil.which(name, path=PATH)])
def test_other_interpreters_find_theirs(run: Run, program: str) -> None:
    """Those that this host has."""
    out, err, ended = run(installed(program), *INTERPRETERS[program])
    assert ended == "exited with code 0", err
    assert "1" in out


def test_a_file_of_arguments_names_what_of_the_system_is_needed(folder: Path, tmp_path: Path) -> None:
    """Java's class path stands in such a file; folders, and what is no file of the system, are not copied for it."""
    (tmp_path / "secret").write_text("mine")

    def needs(argument: str) -> frozenset[str]:
        return needs_of(cell_of(bot(folder, installed("perl"), argument))).entries

    without = needs("@none.args")
    named = next(
        str(path)
        for path in sorted(Path("/usr/share").glob("*/*"))
        if path.is_file() and str(path.resolve()) == str(path) and str(path) not in without
    )
    elsewhere = f"{Path(named).parent}:{tmp_path}/secret:/usr/no.jar"
    (folder / "run.args").write_text(f"-cp classes:lib.jar:{named}:{elsewhere}\nBot\n")
    assert needs("@run.args") - without == {named}


def test_a_missing_library_is_told_by_the_loader_and_reads_adds_it(run: Run, folder: Path) -> None:
    """A library that a program loads by itself is named nowhere."""
    library = "libz.so.1"
    if not (known := [path for path in Path("/usr/lib").glob(f"*/{library}") if path.exists()]):
        lacking(f"there is no {library}")
    compiled(
        folder,
        "#include <dlfcn.h>\n#include <stdio.h>\n"
        'int main(void) { puts(dlopen("libz.so.1", 2) ? "there" : dlerror()); }',
    )
    assert "cannot open shared object file" in run("./bot")[0]
    assert run("./bot", reads=(str(known[0]),))[0] == "there\n"
    assert run("./bot", reads=("/usr",), on_disk=True)[0] == "there\n"


# What is copied


def test_what_was_copied_is_played_even_if_the_folder_changes(folder: Path) -> None:
    (folder / "bot.py").write_text("old")
    (folder / "link").symlink_to("bot.py")
    os.utime(folder / "bot.py", (1, 1))
    spec = bot(folder, PYTHON, "bot.py")
    with copied([spec]) as made:
        (folder / "bot.py").write_text("new")
        place = Path(copies.shown(spec, made.folder).copies[str(folder)])
        assert (place / "bot.py").read_text() == (place / "link").read_text() == "old"
        assert (place / "bot.py").stat().st_mtime == 1
        assert os.readlink(place / "link") == "bot.py"
        assert Path(made.folder).stat().st_mode & 0o777 == 0o700


def test_a_worker_does_not_look_again_through_what_was_copied(folder: Path) -> None:
    """A pipe that comes into the folder later is in no copy; without copies the bot is refused for it."""
    spec = bot(folder, "cat")
    with copied([spec]) as made:
        assert not made.on_disk
        os.mkfifo(folder / "pipe")
        _cell.cache_clear()  # as in a new process
        assert copies.shown(spec, made.folder).command[0].endswith("/cat")
        with pytest.raises(Unfit, match="pipe, a socket or a device"):
            copies.shown(spec, "")
        assert "pipe" not in os.listdir(Path(made.folder, "place-0"))


def test_nothing_of_a_copy_is_left_to_be_filled_when_it_is_read(folder: Path) -> None:
    with (folder / "holes").open("wb") as file:
        file.truncate(4 * MB)
    spec = bot(folder, "sh")
    with copied([spec]) as made:
        copy = Path(copies.shown(spec, made.folder).copies[str(folder)], "holes").stat()
        assert copy.st_blocks * 512 >= 4 * MB


def test_links_of_an_author_bring_nothing_that_is_not_the_systems(folder: Path) -> None:
    secret = folder.parent / "secret"
    secret.write_text("the key")
    (folder / "link").symlink_to(secret)
    (folder / "lib.so").symlink_to("/usr/lib")
    (folder / "etc").symlink_to("/etc")
    needs = needs_of(cell_of(bot(folder, "sh")))
    assert all(entry.startswith(("/usr/", "/etc/alternatives")) for entry in needs.entries)
    assert len(needs.entries) < 10_000


@pytest.mark.parametrize("damage", [b"", b"\x7fELF", b"\x7fELF\2\1" + 58 * b"\xff", b"\x7fELF\1\2" + 58 * b"\0"])
def test_a_damaged_program_is_none(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "bot").write_bytes(damage)
    found = read_elf(str(tmp_path / "bot"))
    assert found is None or found.needed == ()


def test_every_damage_of_a_program_is_survived(tmp_path: Path) -> None:
    whole = Path(installed("env")).read_bytes()
    for place in range(0, 1024, 7):
        (tmp_path / "bot").write_bytes(whole[:place] + b"\xff\xff\xff" + whole[place + 3 : 4096 + place])
        read_elf(str(tmp_path / "bot"))


# What does not fit


def test_a_bot_that_brings_a_lot_loses_nobody_else_the_copies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_MB", 64)
    large = folder.parent / "large"
    shutil.copytree(folder, large)
    (large / "blob").write_bytes(bytes(65 * MB))
    bots = [replace(bot(large, "sh"), name="large"), replace(bot(folder, "sh"), name="small")]
    with copied(bots) as made:
        assert made.bots == 1
        assert made.on_disk == (("large", "its folder (65 MB, for which there is no room in memory)"),)
        assert copies.shown(bots[0], made.folder).copies == {}
        assert copies.shown(bots[1], made.folder).copies.keys() == {str(folder)}


def test_without_memory_every_bot_reads_the_disk_and_it_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_places", lambda: ("/proc", "/usr"))
    with pytest.raises(NoMemory, match="no folder in memory"):
        find_memory()
    with copied([bot(folder, "sh")]) as made:
        assert (made.folder, made.bots) == ("", 0)
        assert made.on_disk[0][1].startswith("everything, because no folder in memory")


def test_a_full_folder_in_memory_is_none(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    known = os.statvfs("/dev/shm")
    full = os.statvfs_result((*known[:3], 0, 0, *known[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(NoMemory, match=r"/dev/shm is full.*; remove what fills it"):
        find_memory()
    with copied([bot(folder, "sh")]) as made:
        assert made.folder == ""
        assert made.without_room == {made.on_disk[0][0]}


# What stays behind

KILLED = """
import msgspec, os, sys
from referee.play.isolation.copies import copied
from referee.play.spec import BotSpec
with copied([msgspec.json.decode(sys.argv[1], type=BotSpec)]) as made:
    print(made.folder, flush=True)
    os.kill(os.getpid(), 9)
"""


def test_a_later_referee_removes_what_a_killed_one_left(folder: Path) -> None:
    told = msgspec.json.encode(bot(folder, "sh")).decode()
    done = subprocess.run([sys.executable, "-c", KILLED, told], capture_output=True, text=True, check=False)
    left = Path(done.stdout.strip())
    assert left.is_dir(), done.stderr
    with copied([bot(folder, "sh")]) as living:
        assert not left.exists()
        remove_leftovers()
        assert Path(living.folder).is_dir()
