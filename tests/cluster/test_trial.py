"""What a host does before it plays: it is tried, gets the bots, builds what must be built, and plays as the desk would.

The hosts are processes with names and folders of their own. Nothing here needs Dask.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hosts_in_memory import BOT, ENTRIES, FOLDER_BOT, ROOT, TrialProcess, competition
from msgspec.structs import replace

from referee.cluster.archives import BotArchives, CannotTravel, archives_of, digest_of, host_tag
from referee.cluster.bot_cache import BotCache, NotKept
from referee.cluster.messages import Demands, LeftOut
from referee.cluster.trial import NotFit, Talk, check_isolation, check_room, prepare
from referee.play.faults import Missing
from referee.play.sandbox import levels
from referee.tournament.run.this_host import own_host
from referee.versions.store import VersionStore


def keep(archives: BotArchives, folder: Path, tag: str = "here") -> BotCache:
    """What a host keeps once it has got what it lacks."""
    kept = BotCache(folder, tag, archives.demands)
    with kept.alone(_nobody):
        for archive in kept.lacking():
            kept.receive(archive, whole(archives, archive))
        kept.store_entries()
    return kept


def _nobody(_: float) -> None:
    raise AssertionError("somebody else receives")


def whole(archives: BotArchives, archive: str) -> Iterator[bytes]:
    yield from archives.pieces(archive)


def silent(archives: BotArchives) -> Talk:
    """A talk with a desk that has all archives."""
    return Talk(
        fetch=lambda lacking: ((archive, whole(archives, archive)) for archive in lacking),
        tell=lambda _: None,
        check=lambda: None,
    )


@contextmanager
def trial(host: TrialProcess) -> Iterator[TrialProcess]:
    """A host that ends by itself, and well, when its orders end."""
    try:
        yield host
    finally:
        assert host.end() == 0


# What travels


def test_a_stream_is_the_same_for_the_same_files_and_tells_every_difference(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "below").mkdir(parents=True)
        (tmp_path / name / "below/file").write_bytes(b"x" * 1000)
        (tmp_path / name / "link").symlink_to("below/file")
    assert digest_of(tmp_path / "one") == digest_of(tmp_path / "two")

    told = {digest_of(tmp_path / "two")}
    (tmp_path / "two/below/file").chmod(0o755)
    told.add(digest_of(tmp_path / "two"))
    (tmp_path / "two/below/file").write_bytes(b"y" * 1000)
    told.add(digest_of(tmp_path / "two"))
    (tmp_path / "two/link").unlink()
    told.add(digest_of(tmp_path / "two"))
    assert len(told) == 4


def test_bots_travel_once_and_are_kept_whole_and_read_only(tmp_path: Path) -> None:
    granted = "network = true\ntime = { move_s = 77 }\n"
    config = competition(tmp_path / "desk", granted + FOLDER_BOT + granted + ENTRIES)
    with archives_of(config) as archives:
        kept = keep(archives, tmp_path / "host", host_tag())
        assert kept.lacking() == ()

        random, mine, made = (kept.bot(one) for one in archives.demands.bots)
        assert [bot.network and bot.clocks and bot.clocks.move_s for bot in (random, mine, made)] == [77.0, 77.0, False]
        assert random.dir == str(ROOT / "bots/random")
        assert Path(mine.dir, "bot.py").read_text() == BOT
        assert Path(made.dir, "made.py").read_text() == BOT
        assert not any(path.stat().st_mode & 0o222 for path in Path(mine.dir).rglob("*"))
        assert {bot.version for bot in (mine, made)} == {one.version for one in archives.demands.bots[1:]}

        Path(mine.dir, "bot.py").chmod(0o644)
        Path(mine.dir, "bot.py").write_text("changed by a bot")
        assert kept.lacking() == (archives.demands.bots[1].archive,)
        keep(archives, tmp_path / "host", host_tag())
        assert Path(mine.dir, "bot.py").read_text() == BOT


def test_what_was_not_sent_so_is_refused_by_the_name_of_the_bot(tmp_path: Path) -> None:
    with archives_of(competition(tmp_path / "desk", FOLDER_BOT)) as archives:
        kept = BotCache(tmp_path / "host", "here", archives.demands)
        with kept.alone(_nobody):
            (archive,) = kept.lacking()
            sent = b"".join(whole(archives, archive))
            with pytest.raises(NotKept, match="the files of bot `mine` are not what the desk sent: a bot that differs"):
                kept.receive(archive, [sent.replace(b"import json", b"import time")])
            with pytest.raises(NotKept, match="bot `mine` cannot be unpacked: the tar archive is damaged, or cut off"):
                kept.receive(archive, [sent[:700]])
        assert kept.lacking() == (archive,)
        assert [*(kept.folder / "archives").iterdir()] == []


def test_what_a_killed_process_left_is_removed_and_a_second_one_waits(tmp_path: Path) -> None:
    with archives_of(competition(tmp_path / "desk", FOLDER_BOT)) as archives:
        first, second = (BotCache(tmp_path / "host", "here", archives.demands) for _ in range(2))
        (archive,) = first.lacking()
        (tmp_path / f"host/here/archives/.{archive}.new/files").mkdir(parents=True)
        waits: list[float] = []

        def wait(seconds: float) -> None:
            waits.append(seconds)
            raise InterruptedError

        with first.alone(_nobody):
            with pytest.raises(InterruptedError), second.alone(wait):
                pass
            first.receive(archive, whole(archives, archive))
        with second.alone(_nobody):
            assert second.lacking() == ()
        assert [path.name for path in (tmp_path / "host/here/archives").iterdir()] == [archive]
        assert len(waits) == 1


def test_a_bot_without_a_folder_of_its_own_takes_along_what_its_command_names(tmp_path: Path) -> None:
    bots = '[[bots]]\nname = "near"\ncommand = ["python3", "mine/bot.py"]\n'
    bots += '[[bots]]\nname = "far"\ndir = "entries"\ncommand = ["python3", "../mine/bot.py"]\n'
    config = competition(tmp_path / "desk", bots)
    (tmp_path / "desk/entries/made/far.py").write_text("")
    with archives_of(config) as archives:
        kept = keep(archives, tmp_path / "host")
        _, near, far = (kept.bot(one) for one in archives.demands.bots)

    assert (near.command, [path.name for path in Path(near.dir).rglob("*.py")]) == (
        ("python3", "mine/bot.py"),
        ["bot.py"],
    )
    assert Path(far.command[1]).read_text() == BOT
    assert Path(far.command[1]).is_relative_to(tmp_path / "host")
    assert Path(far.dir, "made/source.py").exists()


def test_a_bot_that_cannot_travel_is_named(tmp_path: Path) -> None:
    config = competition(tmp_path / "desk", FOLDER_BOT)
    (tmp_path / "desk/mine/out").symlink_to("../entries/made")
    with (
        pytest.raises(CannotTravel, match="bot `mine` cannot be sent to hosts: out: it is a link"),
        archives_of(config),
    ):
        pass


# What a host is tried for


@pytest.mark.parametrize("name", ["lab 1", "lab`1\n", "x" * 300, "\u2028"])
def test_a_host_has_the_same_name_in_a_shard_and_on_a_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("GOLFREF_HOST", name)
    monkeypatch.setenv("GOLFREF_HOST_FOLDER", str(tmp_path / "host"))
    with archives_of(competition(tmp_path / "desk", FOLDER_BOT)) as archives:
        ready = prepare(archives.demands, 1, silent(archives))

    assert ready.host.name == own_host().name


def test_a_host_must_have_what_the_desk_has(tmp_path: Path) -> None:
    bots = FOLDER_BOT + '[[bots]]\nname = "other"\ndir = "mine"\ncommand = ["python3", "bot.py", "x"]\n'
    with archives_of(competition(tmp_path / "desk", bots)) as archives:
        good = archives.demands
        random, mine, other = good.bots
        reads = replace(mine, spec=replace(mine.spec, reads=("/opt/nowhere",)))
        unknown = replace(random, spec=replace(random.spec, builtin="sharper"))
        gone = replace(other, spec=replace(other.spec, command=("golf-lisp", "bot.lisp")))
        wanted: list[tuple[Demands, str]] = [
            (
                replace(good, modules=good.modules | {"referee/rules": "0"}),
                "is not the desk's: referee/rules differ; install",
            ),
            (replace(good, python=(3, 10)), "and the desk 3.10; install golfref there with that"),
            (
                replace(good, bots=(replace(random, version="f" * 64), mine)),
                "`random`, differs between hosts: its version",
            ),
            (replace(good, bots=(unknown, mine)), "unknown shipped bot `sharper`; did you mean"),
            (replace(good, bots=(random, gone)), "bot `other`: `golf-lisp` is not on the PATH there"),
            (replace(good, bots=(random, reads)), "bot `mine` reads /opt/nowhere, which is not there"),
            (
                with_memory(good, 1 << 30),
                "MB of free memory, and 2 matches at a time",
            ),
        ]
        for demands, lacking in wanted:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("GOLFREF_HOST_FOLDER", str(tmp_path / "host"))
                with pytest.raises(NotFit, match=lacking.replace("(", r"\(")):
                    prepare(demands, 2, silent(archives))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "host").write_text("no folder")
    monkeypatch.setenv("GOLFREF_HOST_FOLDER", str(tmp_path / "host"))
    with (
        archives_of(competition(tmp_path / "desk", FOLDER_BOT)) as archives,
        pytest.raises(
            NotFit, match=r"bots cannot be kept there: .*host.*; make room there, or let GOLFREF_HOST_FOLDER"
        ),
    ):
        prepare(archives.demands, 1, silent(archives))


def with_memory(demands: Demands, memory_mb: int) -> Demands:
    """The demands with this limit for each bot."""
    limits = replace(demands.confinement.limits, memory_mb=memory_mb)
    confinement = replace(demands.confinement, limits=limits)
    return replace(demands, session=replace(demands.session, confinement=confinement))


def test_memory_counts_the_bots_of_all_matches(tmp_path: Path) -> None:
    with archives_of(competition(tmp_path / "desk", FOLDER_BOT)) as archives:
        least = with_memory(archives.demands, 16)
        check_room(least, 1)
        with pytest.raises(
            NotFit, match=r"1000000 matches at a time may take \d+ MB: 2 bots with \[limits\] memory_mb = 16"
        ):
            check_room(least, 1_000_000)


# Whole hosts


@pytest.mark.cluster
def test_a_bot_that_starts_only_at_the_desk_keeps_a_host_out(tmp_path: Path, mark: dict[str, str]) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/bot.py").write_text("import helper\n")
    (tmp_path / "desk/helper.py").write_text("")
    config = competition(tmp_path / "desk", '[[bots]]\nname = "near"\ncommand = ["python3", "bot.py"]\n')
    with archives_of(config) as archives, trial(TrialProcess(tmp_path / "host", "lab1", mark)) as host:
        refused = host.prepare(archives)

    assert isinstance(refused, LeftOut), refused
    assert refused.in_words.startswith(
        "host lab1 is left out: bot `near` does not start there: exited with code 1 before"
    )
    assert "No module named 'helper'" in refused.reason
    assert refused.reason.endswith(
        "(of a bot that is no entry its own folder travels, and files that its command names; no more)"
    )


def test_a_host_without_bubblewrap_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.play.sandbox.levels import bubblewrap

    config = replace(competition(tmp_path / "desk", FOLDER_BOT), isolation="bwrap")
    with archives_of(config) as archives:
        demands = archives.demands
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bubblewrap.cache_clear()
    try:
        with pytest.raises(NotFit, match=r"it cannot play under `bwrap`: .*bubblewrap"):
            check_isolation(demands)
    finally:
        bubblewrap.cache_clear()


def test_a_host_without_user_ids_for_strangers_bots_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(competition(tmp_path / "desk", FOLDER_BOT), isolation="bwrap")
    with archives_of(config) as archives:
        demands = replace(archives.demands, needs_users=True)
    monkeypatch.setattr(levels, "bubblewrap", lambda: None)
    monkeypatch.setattr(levels, "why_none", lambda: Missing("newuidmap is not installed", "apt-get install uidmap"))
    with pytest.raises(NotFit, match=r"user ids of their own.*apt-get install uidmap"):
        check_isolation(demands)


@pytest.mark.cluster
def test_a_host_whose_desk_goes_ends_whatever_it_does(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    with archives_of(competition(tmp_path / "desk", ENTRIES)) as archives:
        random, made = archives.demands.bots
        assert made.entry is not None
        endless = tuple(word.replace("cp ", "sleep 6000; cp ") for word in made.entry.build)
        entry = replace(made.entry, build=endless)
        entry = replace(entry, version=VersionStore(tmp_path / "desk").version_of_source(entry))
        bots = (random, replace(made, entry=entry, version=entry.version, built=""))

        with trial(TrialProcess(tmp_path / "host", "lab1", mark)) as host:
            assert host.prepare(archives, replace(archives.demands, bots=bots), until="building `made`") is None
    until_gone()
