"""A submission from what comes in to what is in place, and what is left when it is killed on its way."""

import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.competition.submissions.history import Submission, lines
from referee.competition.submissions.lock import changing_entries
from referee.competition.submissions.refusal import Refused
from referee.competition.submissions.restoring import restore
from referee.competition.submissions.taking import Doing, Incomplete, Offer, Taken, take, tidy
from referee.entries.shelf import Shelf, remove
from referee.entries.versions import short
from referee.play.sandbox import cell as cell_module
from referee.tournament.config.config import ConfigError, load

CONFIG = """
[tournament]
name = "friday"
{more}

[[variants]]
preset = "six-card"

[[bots]]
entries = "entries/*"

[[bots]]
builtin = "greedy"
"""


class Contest:
    """A competition whose bots are never started."""

    def __init__(self, folder: Path, more: str = 'trust = "all"') -> None:
        self.folder = folder
        self.config = folder / "config.toml"
        self.config.write_text(CONFIG.format(more=more))
        self.shelf = Shelf(folder)

    def files(self, text: str = "1", toml: str = "", name: str = "bot") -> Path:
        """A folder with a bot outside of the entries."""
        folder = self.folder / "offered" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(text)
        (folder / "bot.toml").write_text(toml)
        return folder

    def take(self, path: Path, **given: str | bool) -> Taken:
        """Hand it in; nothing is checked."""
        tidy(self.shelf)
        offer = replace(Offer(path=path, is_checked=False), **given)
        return take(offer, self.config, Doing(tell=lambda _: None, check=lambda: None))

    def accepted(self, path: Path, **given: str | bool) -> Submission:
        taken = self.take(path, **given)
        assert taken.line.outcome == "accepted", taken.text
        return taken.line

    def refused(self, path: Path, **given: str | bool) -> str:
        """Why it is not taken; nothing has changed but the history."""
        before = self.state()
        taken = self.take(path, **given)
        assert taken.line.outcome != "accepted"
        assert self.state() == before
        assert taken.line.reason in taken.text or taken.line.reason[1:] in taken.text
        return "\n".join([taken.line.reason, *taken.lines])

    def state(self) -> tuple[dict[str, str], set[str]]:
        """By entry its program, and what is on the shelf."""
        found = self.folder.glob("entries/[!.]*/bot.py")
        entries = {path.parent.name: path.read_text() for path in found}
        versions = self.shelf.folder / "versions"
        return entries, set(os.listdir(versions)) if versions.is_dir() else set()

    def entries(self) -> dict[str, str]:
        """By entry its program. Nothing else lies there."""
        entries, _ = self.state()
        assert set(os.listdir(self.folder / "entries")) == set(entries)
        return entries

    def outcomes(self) -> list[str]:
        return [line.outcome for line in lines(self.shelf)]


@pytest.fixture
def contest(tmp_path: Path) -> Contest:
    return Contest(tmp_path)


def zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder.parent))
    return path


def test_a_folder_or_an_archive_becomes_an_entry(contest: Contest, tmp_path: Path) -> None:
    folder = contest.files("1")
    archive = zipped(contest.files("2", name="inner"), tmp_path / "other.zip")

    contest.accepted(folder)
    contest.accepted(archive)
    contest.accepted(archive, name="third")

    assert contest.entries() == {"bot": "1", "other": "2", "third": "2"}
    assert [bot.name for bot in load(contest.config).bots] == ["bot", "other", "third", "greedy"]
    assert not (contest.shelf.folder / "incoming").exists()


def test_what_is_read_of_a_folder_is_a_copy_of_it_that_nobody_else_changes(contest: Contest, tmp_path: Path) -> None:
    folder = contest.files("1")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "bot.py").write_text("secret")

    def swaps() -> int:
        """Open it, and let its author replace it by a link."""
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        folder.rename(tmp_path / "gone")
        folder.symlink_to(secret)
        return fd

    tidy(contest.shelf)
    offer = Offer(path=folder, sender="ann", is_checked=False, enters=swaps)
    taken = take(offer, contest.config, Doing(tell=lambda _: None, check=lambda: None))
    assert taken.line.outcome == "accepted", taken.text
    assert (tmp_path / "entries/bot/bot.py").read_text() == "1"


@pytest.mark.parametrize("kind", ["pipe", "deep", "much", "holes"])
def test_what_no_entry_may_have_is_not_copied(tmp_path: Path, kind: str) -> None:
    contest = Contest(tmp_path, 'trust = "all"\n[builds]\nentry_mb = 1')
    folder = contest.files()
    if kind == "pipe":
        os.mkfifo(folder / "pipe")
    elif kind == "deep":
        folder.joinpath(*"d" * 40).mkdir(parents=True)
    elif kind == "much":
        (folder / "much").write_bytes(bytes(1_100_000))
    else:
        with (folder / "holes").open("wb") as file:
            file.truncate(1 << 40)
    words = {
        "pipe": "bot/pipe: it is neither file",
        "deep": "deeper than 32 folders",
        "much": "more than the 1 MB",
        "holes": "more than the 1 MB",
    }
    assert words[kind] in contest.refused(folder)


ARCHIVES = Path(__file__).parent / "archives"
"""What real tools have made of one folder: GNU tar, bsdtar with what macOS adds to it, zip, 7-Zip and `git archive`."""


def windows_zip(path: Path, separator: str) -> Path:
    r"""What Windows makes of the same folder: the Explorer with `/`, PowerShell's `Compress-Archive` with `\\`."""
    with tarfile.open(ARCHIVES / "gnu-tar.tar.gz") as files, zipfile.ZipFile(path, "w") as archive:
        for member in files:
            name = f"{member.name}/" if member.isdir() else member.name
            info = zipfile.ZipInfo()
            info.filename, info.create_system = name.replace("/", separator), 0
            content = files.extractfile(member)
            archive.writestr(info, content.read() if content is not None else b"")
        archive.writestr("desktop.ini", b"[.ShellClassInfo]")
    return path


@pytest.mark.parametrize("made_by", [*sorted(os.listdir(ARCHIVES)), "explorer.zip", "powershell.zip"])
def test_archives_of_all_tools_become_the_same_entry(contest: Contest, tmp_path: Path, made_by: str) -> None:
    archive = ARCHIVES / made_by
    if not archive.exists():
        archive = windows_zip(tmp_path / made_by, "/" if made_by == "explorer.zip" else "\\")

    contest.accepted(archive, name="caddie")

    entry = tmp_path / "entries/caddie"
    assert {str(path.relative_to(entry)): path.read_text() for path in entry.rglob("*") if path.is_file()} == {
        "bot.py": "import lib.one\n",
        "bot.toml": 'language = "Python"\n',
        "lib/one.py": "print(1)\n",
    }


def test_what_systems_leave_in_a_folder_is_left_aside(contest: Contest) -> None:
    folder = contest.files("1")
    version = contest.accepted(folder).version
    for name in ("._bot.py", ".DS_Store", "Thumbs.db", "desktop.ini", "__MACOSX"):
        (folder / name).write_text("x")

    line = contest.take(folder).line

    assert (line.outcome, line.version) == ("same", version)
    assert sorted(os.listdir(contest.folder / "entries/bot")) == ["bot.py", "bot.toml"]


def test_folders_of_tools_are_to_be_left_out(contest: Contest, tmp_path: Path) -> None:
    folder = contest.files("1")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python3").symlink_to("/usr/bin/python3")
    advised = "leave `.venv` out, `build` in bot.toml makes it anew"
    assert advised in contest.refused(folder)
    with tarfile.open(tmp_path / "bot.tar.gz", "w:gz") as archive:
        archive.add(folder, "bot")
    assert advised in contest.refused(tmp_path / "bot.tar.gz")


def test_a_download_that_was_renamed_is_the_same_entry(contest: Contest, tmp_path: Path) -> None:
    for number, name in enumerate(
        ("caddie.zip", "caddie (1).zip", "caddie(2).zip", "Copy of caddie.zip", "caddie - Copy (3).zip")
    ):
        contest.accepted(zipped(contest.files(str(number)), tmp_path / name))

    assert contest.entries() == {"caddie": "4"}


def test_an_owner_has_so_many_entries(tmp_path: Path) -> None:
    contest = Contest(tmp_path, 'trust = "all"\n[submissions]\nper_owner = 1')
    contest.accepted(contest.files("1"), sender="Ann")
    contest.accepted(contest.files("2"), sender="Ann")
    contest.accepted(contest.files("2", name="bobs"), sender="Bob")

    assert "Ann has 1 entry (bot), and `per_owner`" in contest.refused(contest.files("3", name="more"), sender="Ann")
    for name in ("mine", "mine too"):
        contest.accepted(contest.files("3", name=name))


def test_what_was_in_place_before_the_first_submission_comes_back_too(contest: Contest) -> None:
    shutil.copytree(contest.files("by hand"), contest.folder / "entries/bot")
    second = contest.accepted(contest.files("2"))

    restore("bot", "", contest.config)

    assert contest.entries() == {"bot": "by hand"}
    assert restore("bot", second.version[:6], contest.config).version == second.version
    assert contest.entries() == {"bot": "2"}
    assert contest.outcomes() == ["found", "accepted", "restored", "restored"]
    assert os.access(contest.folder / "entries/bot/bot.py", os.W_OK)


def test_what_cannot_be_read_is_set_aside(contest: Contest) -> None:
    shutil.copytree(contest.files("1", toml="nonsense = "), contest.folder / "entries/bot")

    contest.accepted(contest.files("2"))

    (aside,) = (contest.shelf.folder / "set-aside").iterdir()
    assert (aside / "bot.toml").read_text() == "nonsense = "
    assert contest.entries() == {"bot": "2"}


def test_a_version_that_is_not_there_cannot_be_restored(contest: Contest) -> None:
    line = contest.accepted(contest.files("1"))
    for asked, words in (
        ("", "no other version"),
        ("ffff", "no version `ffff`"),
        (line.version[:5], "in place already"),
    ):
        with pytest.raises(Refused, match=words):
            restore("bot", asked, contest.config)
    contest.accepted(contest.files("2"))
    remove(contest.shelf.place(line.version))

    with pytest.raises(Refused, match=short(line.version)):
        restore("bot", "", contest.config)
    assert contest.entries() == {"bot": "2"}


def test_an_entry_keeps_its_owner_unless_the_organiser_gives_it_away(contest: Contest) -> None:
    contest.accepted(contest.files("1", 'owner = "Ann"'))

    assert "is Ann's" in contest.refused(contest.files("2", 'owner = "Bob"'))
    assert "is Ann's" in contest.refused(contest.files("2", 'owner = "Bob"', name="x"), name="bot")
    assert "is Ann's" in contest.refused(contest.files("2"), sender="Bob")
    assert contest.accepted(contest.files("2")).owner == "Ann"
    assert contest.accepted(contest.files("3"), owner="Bob").owner == "Bob"
    assert [bot.owner for bot in load(contest.config).bots] == ["Bob", ""]
    assert "is Bob's" in contest.refused(contest.files("4", 'owner = "Ann"'))
    shutil.rmtree(contest.folder / "entries/bot")
    assert "is Bob's" in contest.refused(contest.files("4", 'owner = "Ann"'))


@pytest.mark.parametrize("more", ['format = "swiss"\nseats = 3', 'format = "swiss"\nrounds = 6'])
def test_entries_come_in_one_by_one_until_a_format_has_enough(tmp_path: Path, more: str) -> None:
    contest = Contest(tmp_path, more)
    with pytest.raises(ConfigError):
        load(contest.config)
    for number in range(8):
        contest.accepted(contest.files(str(number), name=f"bot{number}"))
    load(contest.config)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("greedy", "is taken"),
        ("Greedy", "is taken"),
        ("BOT", "is taken"),
        ("\uff42ot", "is taken"),
        ("\uff27reedy", "is taken"),
        ("bo\u034ft", "nobody sees (U+034F)"),
        (".bot", "no name for an entry"),
        ("bot.new", "no name for an entry"),
        ("a/b", "no name for an entry"),
        ("x" * 41, "1 to 40"),
        ("a\u202eb", "1 to 40"),
        ("bot\ufe0f", "nobody sees (U+FE0F)"),
        ("bot\u3164", "nobody sees (U+3164)"),
    ],
)
def test_a_name_that_an_entry_cannot_have_is_refused(contest: Contest, name: str, words: str) -> None:
    contest.accepted(contest.files("1"))

    assert words in contest.refused(contest.files("2"), name=name)


def test_an_owner_who_looks_like_another_is_refused(contest: Contest) -> None:
    contest.accepted(contest.files("1"), owner="Ann")
    other = contest.files("2", name="other")

    assert "is written `Ann` for `bot`" in contest.refused(other, owner="\uff41nn")
    assert "is written `Ann` for `bot`" in contest.refused(other, sender="ANN")
    assert "is written `Ann` for `bot`" in contest.refused(other, owner="An\u200bn")
    assert "nobody sees" in contest.refused(other, owner="B\u3164")
    load(contest.config)


def test_an_entry_that_was_removed_keeps_its_name_and_owner(contest: Contest) -> None:
    contest.accepted(contest.files("1"), owner="Ann")
    remove(contest.folder / "entries/bot")

    assert "is Ann's" in contest.refused(contest.files("2", name="\uff22ot"), sender="Mallory")
    contest.accepted(contest.files("2", name="\uff22ot"), owner="Ann")
    with pytest.raises(Refused, match="there is the bot `\uff22ot`"):
        restore("bot", "", contest.config)


def test_an_entry_with_which_the_tournament_cannot_be_played_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_module, "why_none", lambda: "no users here")
    contest = Contest(tmp_path, 'isolation = "bwrap"')
    contest.config.write_text(contest.config.read_text().replace('entries/*"', 'entries/*"\nreads = ["."]'))

    told = contest.refused(contest.files(toml=f'command = ["sh", "bot.py"]\nreads = ["{tmp_path}"]'))

    assert "and so this config; give it a folder of its own" in told


def test_what_is_no_entry_is_refused_with_its_lines(contest: Contest, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4")
    (tmp_path / "bot.rar").write_bytes(b"Rar!")
    shutil.rmtree(contest.files() / "bot.py", ignore_errors=True)

    assert "damaged" in contest.refused(tmp_path / "bad.zip")
    assert "send .zip, .tar or .tar.gz" in contest.refused(tmp_path / "bot.rar")
    assert "bot.toml:1:1" in contest.refused(contest.files("1", 'commnad = ["x"]'))
    assert "there is no" in contest.refused(contest.files("1", 'command = ["./missing"]'))
    assert contest.outcomes() == ["refused"] * 4


def test_a_damaged_archive_may_be_on_its_way(contest: Contest, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4")

    with pytest.raises(Incomplete):
        contest.take(tmp_path / "bad.zip", may_grow=True)
    assert contest.outcomes() == []


def test_a_version_that_is_refused_leaves_the_shelf_unless_another_entry_is_the_same(contest: Contest) -> None:
    contest.accepted(contest.files("1"))
    same = contest.files("1")

    assert contest.accepted(same, name="twin").outcome == "accepted"
    assert "missing" in contest.refused(contest.files("1", 'command = ["./missing"]'))


def test_a_config_without_a_place_for_new_entries_says_so(contest: Contest) -> None:
    contest.config.write_text(contest.config.read_text().replace("entries/*", "entries/b*"))

    with pytest.raises(ConfigError, match="takes new entries"):
        contest.take(contest.files("1"))


def test_two_do_not_change_entries_at_a_time(contest: Contest) -> None:
    seen: list[str] = []

    class Waits(Exception):
        """Instead of waiting."""

    def note(who: str) -> None:
        seen.append(who)
        raise Waits

    first, second = (changing_entries(contest.shelf, what, note) for what in ("the first", "the second"))
    with first, pytest.raises(Waits), second:
        pass
    assert seen == [f"process {os.getpid()}: the first"]


_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink", "os.truncate", "ctypes.dlsym"}
"""What a process asks the system for that changes files, as audit events; `open` to write comes to it."""


def _dies_at(step: int) -> None:
    """Let this process die before its change of this number."""
    left = step

    def count(event: str, given: tuple[object, ...]) -> None:
        nonlocal left
        if event in _CHANGES or (event == "open" and isinstance(given[2], int) and given[2] & os.O_ACCMODE):
            left -= 1
            if not left:
                os._exit(9)

    sys.addaudithook(count)


@pytest.mark.full  # it dies before each change of files
def test_whoever_is_killed_leaves_the_older_version_or_the_newer_one(contest: Contest) -> None:
    contest.accepted(contest.files("old", 'owner = "Ann"'))
    shutil.copytree(contest.shelf.folder, contest.folder / "shelf")
    shutil.copytree(contest.folder / "entries", contest.folder / "before")
    step, seen, ended = 0, set(), False
    while not ended:
        step += 1
        for kept, now in (("shelf", ".golfref"), ("before", "entries")):
            remove(contest.folder / now)
            shutil.copytree(contest.folder / kept, contest.folder / now, symlinks=True)
        offered = contest.files("new", 'owner = "Ann"')
        child = os.fork()
        if not child:
            _dies_at(step)
            taken = contest.take(offered, owner="Bob")
            os._exit(0 if taken.line.outcome == "accepted" else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 9), step
        ended = code == 0
        assert contest.state()[0] in ({"bot": "old"}, {"bot": "new"}), step
        tidy(contest.shelf)
        (bot, _) = load(contest.config).bots
        seen.add((contest.entries()["bot"], bot.owner, contest.outcomes().count("accepted"), len(contest.state()[1])))
        assert contest.take(contest.files("new", 'owner = "Ann"'), owner="Bob").line.outcome in ("accepted", "same")
    assert step > 20
    assert seen == {("old", "Ann", 1, 1), ("new", "Bob", 2, 2)}
