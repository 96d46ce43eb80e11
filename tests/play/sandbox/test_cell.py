"""The cell of a bot under `bwrap`: what it sees, what it can write, what runs in it, and what keeps a bot from it."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import trio
from msgspec.structs import replace
from needs import need_bubblewrap, need_perl

from protocol.messages import Clocks, FaultPolicy
from referee.play.process import launch
from referee.play.process.orphans import nothing_left_behind
from referee.play.process.process import BotProcess
from referee.play.process.shutdown import stop
from referee.play.sandbox import cell
from referee.play.sandbox.cell import can_read, cell_of, settled
from referee.play.sandbox.readable_check import Unfit
from referee.play.sandbox.users import why_none
from referee.play.spec import BotLimits, BotSpec, Confinement
from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.rounds import StageRules
from referee.tournament.store.disk import locked
from referee.tournament.store.rows import Meta
from referee.tournament.store.store import Store

pytestmark = pytest.mark.isolation

ANY = BotLimits()
DEEP = 1 + sys.getrecursionlimit()

Run = Callable[..., tuple[str, str, str]]


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
    """Runs a command as a bot in a cell; gives what it wrote to both outputs, and how it ended."""
    need_bubblewrap()

    def run(*command: str, limits: BotLimits = ANY, **more: Any) -> tuple[str, str, str]:
        more["env"] = mark | more.get("env", {})
        spec = BotSpec(name="mine", command=command, dir=str(folder), **more)

        async def to_its_end() -> tuple[str, str, str]:
            process = BotProcess(spec, Confinement(isolation="bwrap", limits=limits))
            process.close_stdin()
            with trio.fail_after(50):
                out = await _everything(process.stdout)
                err = await _everything(process.stderr)
                while (ended := process.exit_status()) is None:
                    await trio.sleep(0.001)
            await stop(process, patience_s=0, drain=lambda: None)
            return out, err, ended

        with nothing_left_behind():
            return trio.run(to_its_end)

    return run


async def _everything(fd: int) -> str:
    data = b""
    while True:
        await trio.lowlevel.wait_readable(fd)
        if not (chunk := os.read(fd, 65536)):
            return data.decode()
        data += chunk


LOOK = """
import os, resource
names = ("NPROC", "NOFILE", "DATA", "FSIZE", "CPU", "CORE", "RTPRIO", "NICE")
print(os.getcwd(), *sorted(os.listdir(".")), os.environ["HOME"], os.environ["TMPDIR"], os.path.exists(SECRET))
print(os.getuid(), *(resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0] for name in names))
print({"home", "work", "mnt", "srv", "var", "run", "sys"} & set(os.listdir("/")) or "no more")
"""


def test_a_bot_sees_its_folder_alone_and_has_its_limits(run: Run, folder: Path) -> None:
    """What else of the host it does not see is in test_hostile_reach.py."""
    secret = folder.parent / "secret"
    secret.write_text("the key")
    (folder / "look.py").write_text(f"SECRET = {str(secret)!r}\n{LOOK}")
    (folder / "data.txt").write_text("weights")
    limits = BotLimits(processes=33, files=44, tmp_mb=5, memory_mb=300, cpu_s=7)
    out, err, ended = run("python3", "look.py", limits=limits)
    assert (err, ended) == ("", "exited with code 0")
    here, user, root = out.splitlines()
    assert here == "/bot data.txt look.py /tmp /tmp False"
    uid, *had = map(int, user.split())
    assert uid not in (0, os.getuid())
    assert had == [33, 44, 600 << 20, 5 << 20, 7, 1, 0, 0]
    assert root == "no more"


def test_the_system_says_how_much_there_is_and_not_who_uses_it(run: Run, folder: Path) -> None:
    (folder / "look.py").write_text(
        "import os\n"
        "lines = [line.split() for line in open('/proc/meminfo')]\n"
        "memory = {name: int(value) for name, value, *_ in lines}\n"
        "print(memory['MemTotal:'], memory['MemFree:'], memory['MemAvailable:'], memory['Cached:'])\n"
        "print(sum(line.startswith('cpu') for line in open('/proc/stat')), open('/proc/uptime').read())\n"
        "print(os.access('/proc/vmstat', os.R_OK) and open('/proc/vmstat').read())\n"
    )
    out, err, _ = run("python3", "look.py")
    total, free, available, cached, lines, *uptime = out.split()
    assert total == Path("/proc/meminfo").read_text().split()[1]
    assert (free, available, cached) == (total, total, "0")
    assert (int(lines) - 1, uptime) == (os.cpu_count(), ["1.00", "1.00"])
    assert "Permission denied: '/proc/vmstat'" in err


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["sh", "-c", "exit 3"], "exited with code 3"),
        (["sh", "-c", "kill -s SEGV $$"], "killed by SIGSEGV"),
        (["perl", "-e", "1 while 1"], "killed by SIGXCPU, after more than 1 s of computing"),
    ],
)
def test_how_a_bot_ended_is_told_as_outside(run: Run, command: list[str], text: str) -> None:
    if command[0] == "perl":
        need_perl()
    assert run(*command, limits=BotLimits(cpu_s=1))[2] == text


NOT_WRITTEN = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = {
    "syncfs": (-1,), "fsync": (-1,), "fdatasync": (-1,), "sync_file_range": (-1, 0, 0, 0), "msync": (1, 1, 0),
}
print(*(name for name, given in calls.items() if getattr(libc, name)(*map(ctypes.c_long, given)) == -1), "end")
"""


def test_a_bot_cannot_have_the_disk_written(run: Run) -> None:
    assert run(sys.executable, "-c", NOT_WRITTEN)[:2] == ("end\n", ""), "the kernel has looked at the arguments"


REACHES = """
import os, socket, sys
def tried(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__
print(tried(lambda: socket.create_connection(("localhost", int(sys.argv[1]))).fileno() > 2))
print(tried(lambda: socket.socket(socket.AF_UNIX).fileno() > 2), tried(lambda: len(socket.socketpair())))
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
    print(tried(lambda: socket.socketpair(type=kind)[0].sendto(b".", chr(0) + sys.argv[2])))
print(*(name for name in ("resolv.conf", "hosts", "nsswitch.conf", "ssl") if os.path.exists(f"/etc/{name}")))
"""


def test_a_bot_with_a_network_reaches_what_listens_on_the_host_and_no_other_bot_does(run: Run) -> None:
    """No program of the host that listens to an abstract socket, which belongs to the network, can be reached."""
    name = f"golfref-{uuid4().hex}"
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams,
    ):
        datagrams.bind(f"\0{name}")
        port = str(server.getsockname()[1])
        alone, _, _ = run(sys.executable, "-c", REACHES, port, name)
        having, _, _ = run(sys.executable, "-c", REACHES, port, name, network=True)
    assert alone.splitlines() == ["gaierror", "True 2", *2 * ["ConnectionRefusedError"], ""]
    shown = [name for name in ("resolv.conf", "hosts", "nsswitch.conf", "ssl") if Path("/etc", name).exists()]
    assert having.splitlines() == ["True", "OSError 2", *2 * ["OSError"], " ".join(shown)]


# Interpreters


def test_a_virtual_environment_runs_with_its_libraries(run: Run, folder: Path) -> None:
    python = folder.parent / "env/bin/python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder.parent / "env")], check=True)
    (library,) = (folder.parent / "env/lib").glob("python*/site-packages")
    (library / "weights.py").write_text("BEST = 7\n")
    (folder / "bot.py").write_text("import sys, weights; print(weights.BEST, sys.prefix)")
    out, err, ended = run(str(python), "bot.py")
    assert (out, err, ended) == (f"7 {folder.parent}/env\n", "", "exited with code 0")


def test_a_virtual_environment_of_the_referees_python_in_the_bots_own_folder(run: Run, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
    (folder / "bot.py").write_text("import sys; print(sys.prefix)")
    assert run(".venv/bin/python", "bot.py") == ("/bot/.venv\n", "", "exited with code 0")


def test_a_program_outside_the_system_comes_with_what_is_installed_beside_it(run: Run, folder: Path) -> None:
    kit = folder.parent / "kit"
    (kit / "bin").mkdir(parents=True)
    (kit / "share").write_text("beside it")
    (kit / "bin/run").write_text(f'#!/bin/sh\ncat {kit}/share "$1"')
    (kit / "bin/run").chmod(0o755)
    (folder / "own").write_text(", own")
    assert run(str(kit / "bin/run"), "own")[:2] == ("beside it, own", "")


def test_what_the_organiser_lets_a_bot_read(run: Run, folder: Path) -> None:
    (folder.parent / "books").mkdir()
    (folder.parent / "books/openings").write_text("seven")
    line = f"cat {folder.parent}/books/openings"
    assert "No such file" in run("sh", "-c", line)[1]
    assert run("sh", "-c", line, reads=(str(folder.parent / "books"),))[0] == "seven"


def test_nothing_of_the_bots_runs_before_it_has_lost_its_rights(run: Run, folder: Path) -> None:
    for name in ("setpriv", "prlimit", "env"):
        (folder / name).write_text("#!/bin/sh\necho taken over")
        (folder / name).chmod(0o755)
    (folder / "bot").write_text("#!/bin/sh\n/usr/bin/id -u; /usr/bin/id -G; echo $LD_PRELOAD")
    (folder / "bot").chmod(0o755)
    out, _, ended = run("./bot", env={"PATH": "/bot", "LD_PRELOAD": "/bot/evil.so"})
    user, groups, preloaded = out.split()
    assert ended == "exited with code 0"
    assert user == groups != "0"
    assert preloaded == "/bot/evil.so"


def test_a_virtual_environment_runs_nothing_outside_the_cell(run: Run, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder.parent / "env")], check=True)
    (library,) = (folder.parent / "env/lib").glob("python*/site-packages")
    (library / "evil.pth").write_text(f"import os; os.path.isdir('/bot') or open({str(folder / 'evil')!r}, 'w')")
    (folder / "bot.py").write_text("print('plays')")
    assert run(str(folder.parent / "env/bin/python"), "bot.py")[0] == "plays\n"
    assert not (folder / "evil").exists()


@pytest.mark.parametrize(
    ("link", "why"),
    [(False, "is not where a Python is installed"), (True, None)],
)
def test_an_interpreter_that_an_author_may_have_made_does_not_run_outside(
    folder: Path, link: bool, why: str | None
) -> None:
    """A virtual environment beside the bot's folder: its program is not asked where it lives, nor believed."""
    python = folder.parent / "env/bin/python"
    python.parent.mkdir(parents=True)
    (folder.parent / "env/pyvenv.cfg").write_text("home = /home\n")
    if link:
        python.symlink_to(sys.executable)
    else:
        python.write_text(f'#!/bin/sh\ntouch {folder}/ran\necho \'["/usr/bin/python3", "/home"]\'\n')
        python.chmod(0o755)
    bot = BotSpec(name="mine", command=("../env/bin/python", "bot.py"), dir=str(folder), env={})
    (folder / "bot.py").touch()
    if why is None:
        assert not can_read(cell_of(bot), "/home/x")
    else:
        with pytest.raises(Unfit, match=why):
            cell_of(bot)
    assert not (folder / "ran").exists()


def test_a_program_named_by_a_link_that_leads_elsewhere_shows_nothing_of_it(folder: Path) -> None:
    for place in ("kit/bin", "theirs/bin"):
        (folder.parent / place).mkdir(parents=True)
    (folder.parent / "theirs/bin/engine").touch()
    (folder.parent / "kit/bin/run").symlink_to(folder.parent / "theirs/bin/engine")
    named = BotSpec(name="mine", command=(str(folder.parent / "kit/bin/run"),), dir=str(folder), env={})
    with pytest.raises(Unfit, match="theirs/bin/engine, which it does not see; let it read that"):
        cell_of(named)
    there = cell_of(replace(named, reads=(str(folder.parent / "theirs"),)))
    assert can_read(there, str(folder.parent / "theirs"))


def test_a_folder_may_be_deeper_than_any_stack(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(DEEP):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with pytest.raises(Unfit, match="File name too long") if len(str(folder)) + 2 * DEEP > 4096 else nullcontext():
        cell_of(BotSpec(name="mine", command=("sh",), dir=str(folder), env={}))
    subprocess.run(["rm", "-r", str(folder / "d")], check=True)


# What does not fit


@pytest.mark.parametrize(
    ("prepare", "command", "why"),
    [
        (lambda folder: os.mkfifo(folder / "pipe"), ("sh",), "pipe is a pipe, a socket or a device"),
        (lambda folder: _bound(folder / "door"), ("sh",), "door is a pipe, a socket or a device"),
        (lambda folder: (folder / "run").symlink_to("/etc/hostname"), ("./run",), "a link to /etc/hostname, which it"),
        (lambda folder: (folder.parent / "a.py").write_text(""), ("python3", "../a.py"), "`../a.py` lies outside its"),
        (lambda _: None, ("no-such-program",), "`no-such-program` is not on the PATH"),
    ],
)  # fmt: skip
def test_what_cannot_run_in_a_cell(
    folder: Path, prepare: Callable[[Path], object], command: tuple[str, ...], why: str
) -> None:
    prepare(folder)
    with pytest.raises(Unfit, match=why.replace("`", "\\`")):
        cell_of(BotSpec(name="mine", command=command, dir=str(folder), env={}))


def _bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        here = os.open(path.parent, os.O_RDONLY)
        door.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


@pytest.mark.parametrize("named", [False, True])
def test_a_python_that_is_installed_in_the_home_folder_would_show_all_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    home = folder.parent / "home"
    python = home / "bin/python3"
    python.parent.mkdir(parents=True)
    shutil.copy(os.path.realpath(sys.executable), python)
    (home / "lib").symlink_to(Path(sys.base_prefix, "lib"))
    asked = subprocess.check_output([python, "-S", "-c", "import sys; print(sys.prefix)"], text=True)
    assert asked.strip() == str(home)
    monkeypatch.setenv("HOME", str(home))
    command = str(python) if named else "python3"
    bot = BotSpec(name="mine", command=(command, "-c", "1"), dir=str(folder), env={"PATH": str(python.parent)})
    with pytest.raises(Unfit, match=r"not where a Python is installed|of its own, or use one of the system's"):
        cell_of(bot)


@pytest.mark.parametrize("place", [".local", ".cargo"])
def test_a_program_beside_which_secrets_lie_is_shown_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """An author may name whatever program is on the organiser's PATH."""
    prefix = folder.parent / "home" / place
    (prefix / "bin").mkdir(parents=True)
    shutil.copy("/bin/true", prefix / "bin/tool")
    (prefix / "secret").write_text("")
    monkeypatch.setenv("HOME", str(prefix.parent))
    there = cell_of(BotSpec(name="mine", command=("tool",), dir=str(folder), env={"PATH": f"{prefix}/bin"}))
    assert can_read(there, str(prefix / "bin/tool"))
    assert not can_read(there, str(prefix / "secret"))


@pytest.mark.parametrize("wide", ["/", "/tmp", "~"])
def test_a_folder_that_would_show_too_much(wide: str) -> None:
    with pytest.raises(Unfit, match="give it a folder of its own"):
        cell_of(BotSpec(name="mine", command=("sh",), dir=str(Path(wide).expanduser()), env={}))


def test_the_organiser_is_told_of_what_the_bots_user_cannot_read(folder: Path) -> None:
    if why_none() is not None:
        pytest.skip("bots run as our own user here")
    notes = folder.parent / "notes"
    notes.mkdir(mode=0o700)
    bot = BotSpec(name="mine", command=("python3", "mine.py"), dir=str(folder), env={}, reads=(str(notes),))
    with pytest.raises(Unfit, match=r"notes can be read by its owner only.*chmod a\+rX"):
        cell_of(bot)
    (folder / "mine.py").write_text("")
    (folder / "mine.py").chmod(0o600)
    with pytest.raises(Unfit, match=r"mine.py can be read by its owner only.*chmod -R a\+rX"):
        cell_of(bot)


# Cards


def in_folder(folder: Path) -> BotSpec:
    return BotSpec(name="mine", command=("sh",), dir=str(folder), env={})


def as_linked(place: Path) -> BotSpec:
    (place.parent / "link").symlink_to(place)
    return in_folder(place.parent / "link")


@pytest.mark.parametrize(
    ("name", "bot_with"),
    [
        ("run.golfref", in_folder),
        ("deep/down/RUN.GolfRef", in_folder),
        ("run.golfref-wal", in_folder),
        ("run.golfref.lock", as_linked),
        ("run.golfref.old1", in_folder),
        ("published/cup-2026-11-23/run.golfref", in_folder),
    ],
)
def test_no_store_lies_in_the_folder_of_a_bot(folder: Path, name: str, bot_with: Callable[[Path], BotSpec]) -> None:
    """The organiser is not advised either to make it readable for everybody, as other files are."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "earlier").touch(mode=0o600)
    path.touch(mode=0o600)
    with pytest.raises(Unfit, match=r"the store of a run.*give the bot a folder of its own") as refused:
        cell_of(bot_with(folder))
    assert str(path) in str(refused.value)
    assert "chmod" not in str(refused.value)


def test_a_link_to_a_store_does_no_harm_since_a_cell_does_not_show_the_store(folder: Path) -> None:
    (folder.parent / "run.golfref").touch()
    (folder / "run.golfref").symlink_to("../run.golfref")
    assert cell_of(in_folder(folder)).folder == str(folder)


def test_a_store_can_be_read_by_its_owner_only_wherever_a_cell_shows_it(folder: Path, run: Run) -> None:
    """Bots with user ids of their own are other users. An interpreter's folder is not looked through for stores."""
    if why_none() is not None:
        pytest.skip("bots run as our own user here")
    store = folder.parent / "shown" / "run.golfref"
    store.parent.mkdir()
    make_store(store)
    for place in (store.parent, store.parent.parent):
        place.chmod(0o755)
    out, err, _ = run("cat", str(store), reads=(str(store.parent),))
    assert (out, "Permission denied" in err) == ("", True)


def make_store(path: Path) -> None:
    config = RunConfig(
        name="run",
        stages=(StageRules(deals=1),),
        isolation="limits",
        limits=BotLimits(),
        rank_by="match-points",
        clocks=Clocks(),
        faults=FaultPolicy(),
        variants=(),
        bots=(),
    )
    meta = Meta(golfref="", protocol="", host="", config=config, master_key="00", commitment="", matches=0)
    with locked(path) as lock, closing(Store.create(path, meta, lock)):
        pass


def test_a_bot_whose_cell_is_settled_starts_in_it_without_another_look(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the workers of a run, which get the cell with the order."""
    (folder / "data.txt").write_text("weights")
    bot = settled(replace(in_folder(folder), command=("ls",)), "bwrap")
    monkeypatch.setattr(cell, "_cell", None)
    monkeypatch.setattr(launch, "bubblewrap", None)
    ordered = msgspec.msgpack.decode(msgspec.msgpack.encode(bot), type=BotSpec)
    assert run("ignored", cell=ordered.cell) == ("data.txt\n", "", "exited with code 0")


def test_what_a_cell_can_read(folder: Path) -> None:
    there = cell_of(replace(in_folder(folder), reads=("/opt",)))
    assert all(can_read(there, path) for path in (str(folder / "x"), "/usr/x", "/opt/x"))
    assert not any(can_read(there, path) for path in (str(folder.parent), "/home/x"))
