"""A submission from what comes in to what is in place, and what is left when it is killed on its way."""

import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.competition.history import Refused, Submission, lines
from referee.competition.restoring import restore
from referee.competition.submit import Callbacks, Offer, SubmitResult, take, tidy
from referee.play.sandbox import cell as cell_module
from referee.tournament.config.config import ConfigError, load
from referee.versions.store import VersionStore, remove
from referee.versions.version import short

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
        self.versions = VersionStore(folder)

    def files(self, text: str = "1", toml: str = "", name: str = "bot") -> Path:
        """A folder with a bot outside of the entries."""
        folder = self.folder / "offered" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(text)
        (folder / "bot.toml").write_text(toml)
        return folder

    def take(self, path: Path, **given: str | bool) -> SubmitResult:
        """Hand it in; nothing is checked."""
        tidy(self.versions)
        offer = replace(Offer(path=path, is_checked=False), **given)
        return take(offer, self.config, Callbacks(tell=lambda _: None, check=lambda: None))

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
        """By entry its program, and what is in the store of versions."""
        found = self.folder.glob("entries/[!.]*/bot.py")
        entries = {path.parent.name: path.read_text() for path in found}
        versions = self.versions.folder / "versions"
        return entries, set(os.listdir(versions)) if versions.is_dir() else set()

    def entries(self) -> dict[str, str]:
        """By entry its program. Nothing else lies there, but what was renamed."""
        entries, _ = self.state()
        entries = {name: text for name, text in entries.items() if not name.endswith(".old")}
        names = {name for name in os.listdir(self.folder / "entries") if not name.endswith(".old")}
        assert names == set(entries)
        return entries

    def outcomes(self) -> list[str]:
        return [line.outcome for line in lines(self.versions)]


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
    with zipfile.ZipFile(tmp_path / "bare.zip", "w") as bare:
        bare.writestr("bot.py", "3")
    contest.accepted(tmp_path / "bare.zip")

    assert contest.entries() == {"bot": "1", "other": "2", "third": "2", "bare": "3"}
    assert [bot.name for bot in load(contest.config).bots] == ["bare", "bot", "other", "third", "greedy"]
    assert not (contest.versions.folder / "incoming").exists()


def test_what_no_entry_may_have_is_not_copied(contest: Contest) -> None:
    folder = contest.files()
    os.mkfifo(folder / "pipe")
    assert "bot/pipe: it is neither file" in contest.refused(folder)
    (folder / "pipe").unlink()
    with (folder / "holes").open("wb") as file:
        file.truncate(1 << 40)
    assert "more than the 64 MB" in contest.refused(folder)


ARCHIVES = Path(__file__).parent / "archives"
"""One folder as GNU tar packs it, and bsdtar of macOS."""


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
    (folder / ".git").mkdir()
    (folder / ".git/out").symlink_to("/etc")

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


def test_only_what_comes_through_the_folder_of_an_owner_counts_for_its_day(tmp_path: Path) -> None:
    contest = Contest(tmp_path, 'trust = "all"\n[submissions]\nper_day = 1')
    for number in range(3):
        contest.accepted(contest.files(f"{number}", 'owner = "Ann"'))
    contest.accepted(contest.files("3"), sender="Ann")

    assert "Ann has handed in 1 times within 24 hours" in contest.refused(contest.files("4"), sender="Ann")
    contest.accepted(contest.files("4"), owner="Ann")


def test_an_entry_is_a_link_to_the_version_that_plays(contest: Contest) -> None:
    first, second = contest.accepted(contest.files("1")), contest.accepted(contest.files("2"))
    place = contest.folder / "entries/bot"

    assert os.readlink(place) == f"../.golfref/versions/{second.version}/source"
    restore("bot", "", contest.config)
    assert os.readlink(place) == f"../.golfref/versions/{first.version}/source"
    assert load(contest.config).entries[0].version == first.version
    assert sorted(os.listdir(contest.versions.folder)) == ["answers", "submissions.jsonl", "versions"]


def test_a_folder_that_was_put_there_by_hand_stays_unless_it_is_to_be_replaced(contest: Contest) -> None:
    shutil.copytree(contest.files("by hand"), contest.folder / "entries/bot")

    assert "put there by hand, and stays" in contest.refused(contest.files("2"))
    second = contest.accepted(contest.files("2"), replaces=True)
    assert (contest.folder / "entries/bot.old/bot.py").read_text() == "by hand"
    assert contest.entries() == {"bot": "2"}

    restore("bot", "", contest.config)
    assert contest.entries() == {"bot": "by hand"}
    assert restore("bot", second.version[:6], contest.config).version == second.version
    assert contest.outcomes() == ["refused", "found", "accepted", "restored", "restored"]


def test_a_folder_by_hand_is_no_link_after_the_same_files_are_handed_in(contest: Contest) -> None:
    place = contest.folder / "entries/bot"
    shutil.copytree(contest.files("1"), place)

    assert contest.take(contest.files("1")).line.outcome == "same"
    assert not place.is_symlink()
    contest.accepted(contest.files("1"), replaces=True)
    assert place.is_symlink()
    place.unlink()
    shutil.copytree(contest.files("1"), place)
    assert "bot.old is there already" in contest.refused(contest.files("2"), replaces=True)


def test_a_folder_that_cannot_be_read_is_replaced_too(contest: Contest) -> None:
    shutil.copytree(contest.files("1", toml="nonsense = "), contest.folder / "entries/bot")

    contest.accepted(contest.files("2"), replaces=True)

    assert (contest.folder / "entries/bot.old/bot.toml").read_text() == "nonsense = "
    assert contest.entries() == {"bot": "2"}


@pytest.mark.parametrize("change", ["content", "bot.toml", "gone"])
def test_a_start_names_what_somebody_changed_by_hand(contest: Contest, change: str) -> None:
    version = contest.accepted(contest.files("1")).version
    source = contest.versions.folder_of(version) / "source"
    if change == "gone":
        contest.versions.remove(version)
    else:
        name = "bot.py" if change == "content" else "bot.toml"
        (source / name).chmod(0o644)
        (source / name).write_text("nonsense")
    words = f"version {short(version)} is not in" if change == "gone" else rf"somebody changed .*: source/{name}; hand"

    with pytest.raises(ConfigError, match=words):
        load(contest.config)
    assert contest.accepted(contest.files("1")).version == version
    assert contest.entries() == {"bot": "1"}
    load(contest.config)


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
    contest.versions.remove(line.version)

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
        ("BOT", "is taken"),
        ("\uff27reedy", "is taken"),
        ("bo\u034ft", "nobody sees (U+034F)"),
        (".bot", "no name for an entry"),
        ("bot.new", "no name for an entry"),
        ("a/b", "no name for an entry"),
        ("x" * 41, "1 to 40"),
        ("a\u202eb", "1 to 40"),
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
    (contest.folder / "entries/bot").unlink()

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


def test_two_owners_may_have_the_same_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_module, "why_none", lambda: "no users here")
    contest = Contest(tmp_path, 'isolation = "bwrap"')
    files = contest.files(toml='command = ["sh", "bot.py"]')

    for owner in ("Ann", "Bob"):
        contest.accepted(files, name=owner.lower(), owner=owner)

    assert [bot.owner for bot in load(contest.config).bots] == ["Ann", "Bob", ""]


def test_what_is_no_entry_is_refused_with_its_lines(contest: Contest, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4")
    (tmp_path / "bot.rar").write_bytes(b"Rar!")
    shutil.rmtree(contest.files() / "bot.py", ignore_errors=True)

    assert "damaged" in contest.refused(tmp_path / "bad.zip")
    assert "send .zip, .tar or .tar.gz" in contest.refused(tmp_path / "bot.rar")
    assert "bot.toml:1:1" in contest.refused(contest.files("1", 'commnad = ["x"]'))
    assert "there is no" in contest.refused(contest.files("1", 'command = ["./missing"]'))
    assert contest.outcomes() == ["refused"] * 4


def test_a_version_that_is_refused_leaves_the_store_unless_another_entry_is_the_same(contest: Contest) -> None:
    contest.accepted(contest.files("1"))
    same = contest.files("1")

    assert contest.accepted(same, name="twin").outcome == "accepted"
    assert "missing" in contest.refused(contest.files("1", 'command = ["./missing"]'))


def test_a_config_without_a_place_for_new_entries_says_so(contest: Contest) -> None:
    contest.config.write_text(contest.config.read_text().replace("entries/*", "entries/b*"))

    with pytest.raises(ConfigError, match="takes new entries"):
        contest.take(contest.files("1"))


_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink", "os.truncate"}
"""What a process asks the system for that changes files, as audit events; `open` to write comes to it."""


def known_versions(contest: Contest) -> set[str]:
    return {line.version for line in lines(contest.versions)}


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
    names = (".golfref", "entries")
    for name in names:
        shutil.copytree(contest.folder / name, contest.folder / "before" / name, symlinks=True)
    step, seen, ended = 0, set(), False
    stale: list[str] = []
    while not ended:
        step += 1
        for name in names:
            remove(contest.folder / name)
            shutil.copytree(contest.folder / "before" / name, contest.folder / name, symlinks=True)
        offered = contest.files("new", 'owner = "Ann"')
        child = os.fork()
        if not child:
            _dies_at(step)
            taken = contest.take(offered, owner="Bob")
            os._exit(0 if taken.line.outcome == "accepted" else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 9), step
        ended = code == 0
        (bot, _) = load(contest.config).bots
        seen.add((contest.state()[0]["bot"], bot.owner))
        tidy(contest.versions)
        stale += [name for name in contest.state()[1] if "." not in name and name not in known_versions(contest)]
        assert contest.take(offered, owner="Bob").line.outcome in ("accepted", "same"), step
        assert contest.entries() == {"bot": "new"}
        assert load(contest.config).bots[0].owner == "Bob"
    assert step > 20
    assert seen == {("old", "Ann"), ("new", "Bob")}
    assert len(stale) <= 4  # it dies beside a change of the mark, before or after: the line, and the file of a lock
