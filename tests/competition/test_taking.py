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
from referee.play.isolation import cell as cell_module
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


class Hall:
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
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path)


def zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder.parent))
    return path


def test_a_folder_or_an_archive_becomes_an_entry(hall: Hall, tmp_path: Path) -> None:
    folder = hall.files("1")
    archive = zipped(hall.files("2", name="inner"), tmp_path / "other.zip")

    hall.accepted(folder)
    hall.accepted(archive)
    hall.accepted(archive, name="third")

    assert hall.entries() == {"bot": "1", "other": "2", "third": "2"}
    assert [bot.name for bot in load(hall.config).bots] == ["bot", "other", "third", "greedy"]
    assert not (hall.shelf.folder / "incoming").exists()


def test_what_is_read_of_a_folder_is_a_copy_of_it_that_nobody_else_changes(hall: Hall, tmp_path: Path) -> None:
    folder = hall.files("1")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "bot.py").write_text("secret")

    def swaps() -> int:
        """Open it, and let its author replace it by a link."""
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        folder.rename(tmp_path / "gone")
        folder.symlink_to(secret)
        return fd

    tidy(hall.shelf)
    offer = Offer(path=folder, sender="ann", is_checked=False, enters=swaps)
    taken = take(offer, hall.config, Doing(tell=lambda _: None, check=lambda: None))
    assert taken.line.outcome == "accepted", taken.text
    assert (tmp_path / "entries/bot/bot.py").read_text() == "1"


@pytest.mark.parametrize("kind", ["pipe", "deep", "much", "holes"])
def test_what_no_entry_may_have_is_not_copied(tmp_path: Path, kind: str) -> None:
    hall = Hall(tmp_path, 'trust = "all"\n[builds]\nentry_mb = 1')
    folder = hall.files()
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
        "pipe": "bot/pipe: a pipe",
        "deep": "more than 32 folders",
        "much": "more than 1 MB",
        "holes": "bot/holes: a file with holes",
    }
    assert words[kind] in hall.refused(folder)


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
def test_archives_of_all_tools_become_the_same_entry(hall: Hall, tmp_path: Path, made_by: str) -> None:
    archive = ARCHIVES / made_by
    if not archive.exists():
        archive = windows_zip(tmp_path / made_by, "/" if made_by == "explorer.zip" else "\\")

    hall.accepted(archive, name="caddie")

    entry = tmp_path / "entries/caddie"
    assert {str(path.relative_to(entry)): path.read_text() for path in entry.rglob("*") if path.is_file()} == {
        "bot.py": "import lib.one\n",
        "bot.toml": 'language = "Python"\n',
        "lib/one.py": "print(1)\n",
    }


def test_what_systems_leave_in_a_folder_is_left_aside(hall: Hall) -> None:
    folder = hall.files("1")
    version = hall.accepted(folder).version
    for name in ("._bot.py", ".DS_Store", "Thumbs.db", "desktop.ini", "__MACOSX"):
        (folder / name).write_text("x")

    line = hall.take(folder).line

    assert (line.outcome, line.version) == ("same", version)
    assert sorted(os.listdir(hall.folder / "entries/bot")) == ["bot.py", "bot.toml"]


def test_folders_of_tools_are_to_be_left_out(hall: Hall, tmp_path: Path) -> None:
    folder = hall.files("1")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python3").symlink_to("/usr/bin/python3")
    advised = "leave `.venv` out, `build` in bot.toml makes it anew"
    assert advised in hall.refused(folder)
    with tarfile.open(tmp_path / "bot.tar.gz", "w:gz") as archive:
        archive.add(folder, "bot")
    assert advised in hall.refused(tmp_path / "bot.tar.gz")


@pytest.mark.parametrize("is_archive", [True, False])
def test_too_many_files_are_blamed_on_the_folder_of_a_tool(tmp_path: Path, is_archive: bool) -> None:
    hall = Hall(tmp_path, 'trust = "all"\n[submissions]\nfiles = 10\n[builds]\nentry_files = 10')
    folder = hall.files("1")
    for number in range(20):
        (folder / f"web/node_modules/p{number}").mkdir(parents=True)
        (folder / f"web/node_modules/p{number}/index.js").touch()

    told = hall.refused(zipped(folder, tmp_path / "bot.zip") if is_archive else folder)

    assert "leave `node_modules` out" in told


def test_a_download_that_was_renamed_is_the_same_entry(hall: Hall, tmp_path: Path) -> None:
    for number, name in enumerate(
        ("caddie.zip", "caddie (1).zip", "caddie(2).zip", "Copy of caddie.zip", "caddie - Copy (3).zip")
    ):
        hall.accepted(zipped(hall.files(str(number)), tmp_path / name))

    assert hall.entries() == {"caddie": "4"}


def test_an_owner_has_so_many_entries(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 'trust = "all"\n[submissions]\nper_owner = 1')
    hall.accepted(hall.files("1"), sender="Ann")
    hall.accepted(hall.files("2"), sender="Ann")
    hall.accepted(hall.files("2", name="bobs"), sender="Bob")

    assert "Ann has 1 entry (bot), and `per_owner`" in hall.refused(hall.files("3", name="more"), sender="Ann")
    for name in ("mine", "mine too"):
        hall.accepted(hall.files("3", name=name))


def test_a_new_version_takes_the_place_and_the_older_one_comes_back(hall: Hall) -> None:
    first = hall.accepted(hall.files("1"))
    second = hall.accepted(hall.files("2"))
    again = hall.take(hall.files("2"))
    assert hall.entries() == {"bot": "2"}
    assert again.line.outcome == "same"

    assert restore("bot", "", hall.config).version == first.version
    assert hall.entries() == {"bot": "1"}
    assert restore("bot", second.version[:6], hall.config).version == second.version
    assert hall.entries() == {"bot": "2"}
    assert hall.outcomes() == ["accepted", "accepted", "same", "restored", "restored"]
    assert os.access(hall.folder / "entries/bot/bot.py", os.W_OK)


def test_what_was_in_place_before_the_first_submission_comes_back_too(hall: Hall) -> None:
    shutil.copytree(hall.files("by hand"), hall.folder / "entries/bot")
    hall.accepted(hall.files("2"))

    restore("bot", "", hall.config)

    assert hall.entries() == {"bot": "by hand"}
    assert hall.outcomes() == ["found", "accepted", "restored"]


def test_what_cannot_be_read_is_set_aside(hall: Hall) -> None:
    shutil.copytree(hall.files("1", toml="nonsense = "), hall.folder / "entries/bot")

    hall.accepted(hall.files("2"))

    (aside,) = (hall.shelf.folder / "set-aside").iterdir()
    assert (aside / "bot.toml").read_text() == "nonsense = "
    assert hall.entries() == {"bot": "2"}


def test_a_version_that_is_not_there_cannot_be_restored(hall: Hall) -> None:
    line = hall.accepted(hall.files("1"))
    for asked, words in (
        ("", "no other version"),
        ("ffff", "no version `ffff`"),
        (line.version[:5], "in place already"),
    ):
        with pytest.raises(Refused, match=words):
            restore("bot", asked, hall.config)
    hall.accepted(hall.files("2"))
    remove(hall.shelf.place(line.version))

    with pytest.raises(Refused, match=short(line.version)):
        restore("bot", "", hall.config)
    assert hall.entries() == {"bot": "2"}


def test_an_entry_keeps_its_owner_unless_the_organiser_gives_it_away(hall: Hall) -> None:
    hall.accepted(hall.files("1", 'owner = "Ann"'))

    assert "is Ann's" in hall.refused(hall.files("2", 'owner = "Bob"'))
    assert "is Ann's" in hall.refused(hall.files("2", 'owner = "Bob"', name="x"), name="bot")
    assert "is Ann's" in hall.refused(hall.files("2"), sender="Bob")
    assert hall.accepted(hall.files("2")).owner == "Ann"
    assert hall.accepted(hall.files("3"), owner="Bob").owner == "Bob"
    assert [bot.owner for bot in load(hall.config).bots] == ["Bob", ""]
    assert "is Bob's" in hall.refused(hall.files("4", 'owner = "Ann"'))
    shutil.rmtree(hall.folder / "entries/bot")
    assert "is Bob's" in hall.refused(hall.files("4", 'owner = "Ann"'))


@pytest.mark.parametrize("more", ['format = "swiss"\nseats = 3', 'format = "swiss"\nrounds = 6'])
def test_entries_come_in_one_by_one_until_a_format_has_enough(tmp_path: Path, more: str) -> None:
    hall = Hall(tmp_path, more)
    with pytest.raises(ConfigError):
        load(hall.config)
    for number in range(8):
        hall.accepted(hall.files(str(number), name=f"bot{number}"))
    load(hall.config)


def test_several_owners_need_a_config_that_lets_them_play(tmp_path: Path) -> None:
    hall = Hall(tmp_path, more="")
    hall.accepted(hall.files("1", 'owner = "Ann"'))

    with pytest.raises(ConfigError, match="need isolation"):
        hall.take(hall.files("1", 'owner = "Bob"', name="other"))
    assert hall.entries() == {"bot": "1"}


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
def test_a_name_that_an_entry_cannot_have_is_refused(hall: Hall, name: str, words: str) -> None:
    hall.accepted(hall.files("1"))

    assert words in hall.refused(hall.files("2"), name=name)


def test_an_owner_who_looks_like_another_is_refused(hall: Hall) -> None:
    hall.accepted(hall.files("1"), owner="Ann")
    other = hall.files("2", name="other")

    assert "is written `Ann` for `bot`" in hall.refused(other, owner="\uff41nn")
    assert "is written `Ann` for `bot`" in hall.refused(other, sender="ANN")
    assert "is written `Ann` for `bot`" in hall.refused(other, owner="An\u200bn")
    assert "nobody sees" in hall.refused(other, owner="B\u3164")
    load(hall.config)


def test_the_twin_of_an_entry_that_was_removed_is_its_owners(hall: Hall) -> None:
    hall.accepted(hall.files("1"), owner="Ann")
    remove(hall.folder / "entries/bot")

    assert "is Ann's" in hall.refused(hall.files("2", name="\uff22ot"), sender="Mallory")


def test_no_version_comes_back_beside_its_twin(hall: Hall) -> None:
    hall.accepted(hall.files("1"))
    remove(hall.folder / "entries/bot")
    hall.accepted(hall.files("2", name="\uff22ot"))

    with pytest.raises(Refused, match="there is the bot `\uff22ot`"):
        restore("bot", "", hall.config)


def test_an_entry_with_which_the_tournament_cannot_be_played_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_module, "why_none", lambda: "no users here")
    hall = Hall(tmp_path, 'isolation = "bwrap"')
    hall.config.write_text(hall.config.read_text().replace('entries/*"', 'entries/*"\nreads = ["."]'))

    told = hall.refused(hall.files(toml=f'command = ["sh", "bot.py"]\nreads = ["{tmp_path}"]'))

    assert "and so this config; give it a folder of its own" in told


def test_what_is_no_entry_is_refused_with_its_lines(hall: Hall, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4")
    (tmp_path / "bot.rar").write_bytes(b"Rar!")
    shutil.rmtree(hall.files() / "bot.py", ignore_errors=True)

    assert "damaged" in hall.refused(tmp_path / "bad.zip")
    assert "must end with" in hall.refused(tmp_path / "bot.rar")
    assert "bot.toml:1:1" in hall.refused(hall.files("1", 'commnad = ["x"]'))
    assert "there is no" in hall.refused(hall.files("1", 'command = ["./missing"]'))
    assert hall.outcomes() == ["refused"] * 4


def test_a_damaged_archive_may_be_on_its_way(hall: Hall, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4")

    with pytest.raises(Incomplete):
        hall.take(tmp_path / "bad.zip", may_grow=True)
    assert hall.outcomes() == []


def test_a_version_that_is_refused_leaves_the_shelf_unless_another_entry_is_the_same(hall: Hall) -> None:
    hall.accepted(hall.files("1"))
    same = hall.files("1")

    assert hall.accepted(same, name="twin").outcome == "accepted"
    assert "missing" in hall.refused(hall.files("1", 'command = ["./missing"]'))


def test_an_owner_may_hand_in_so_often(tmp_path: Path) -> None:
    hall = Hall(tmp_path, more='trust = "all"\n[submissions]\nper_day = 2')
    hall.accepted(hall.files("1"), sender="Ann")
    hall.accepted(hall.files("2"), sender="Ann")

    assert "the next time is possible from" in hall.refused(hall.files("3"), sender="Ann")
    assert hall.outcomes()[-1] == "limited"
    hall.accepted(hall.files("1", name="bobs"), sender="Bob")
    for number in range(3):
        hall.accepted(hall.files(str(number), name="mine"))


def test_a_config_without_a_place_for_new_entries_says_so(hall: Hall) -> None:
    hall.config.write_text(hall.config.read_text().replace("entries/*", "entries/b*"))

    with pytest.raises(ConfigError, match="takes new entries"):
        hall.take(hall.files("1"))


def test_a_table_of_submissions_is_checked(hall: Hall) -> None:
    hall.config.write_text(hall.config.read_text() + "\n[submissions]\nper_day = 0\nfilez = 1\n")

    with pytest.raises(ConfigError) as caught:
        load(hall.config)
    assert "per_day" in str(caught.value)
    assert "filez" in str(caught.value)


def test_two_do_not_change_entries_at_a_time(hall: Hall) -> None:
    seen: list[str] = []

    class Waits(Exception):
        """Instead of waiting."""

    def note(who: str) -> None:
        seen.append(who)
        raise Waits

    first, second = (changing_entries(hall.shelf, what, note) for what in ("the first", "the second"))
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
def test_whoever_is_killed_leaves_the_older_version_or_the_newer_one(hall: Hall) -> None:
    hall.accepted(hall.files("old", 'owner = "Ann"'))
    shutil.copytree(hall.shelf.folder, hall.folder / "shelf")
    shutil.copytree(hall.folder / "entries", hall.folder / "before")
    step, seen, ended = 0, set(), False
    while not ended:
        step += 1
        for kept, now in (("shelf", ".golfref"), ("before", "entries")):
            remove(hall.folder / now)
            shutil.copytree(hall.folder / kept, hall.folder / now, symlinks=True)
        offered = hall.files("new", 'owner = "Ann"')
        child = os.fork()
        if not child:
            _dies_at(step)
            taken = hall.take(offered, owner="Bob")
            os._exit(0 if taken.line.outcome == "accepted" else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 9), step
        ended = code == 0
        assert hall.state()[0] in ({"bot": "old"}, {"bot": "new"}), step
        tidy(hall.shelf)
        (bot, _) = load(hall.config).bots
        seen.add((hall.entries()["bot"], bot.owner, hall.outcomes().count("accepted"), len(hall.state()[1])))
        assert hall.take(hall.files("new", 'owner = "Ann"'), owner="Bob").line.outcome in ("accepted", "same")
    assert step > 20
    assert seen == {("old", "Ann", 1, 1), ("new", "Bob", 2, 2)}
