"""Files of strangers: the same rules for archives and folders, nothing written outside, and no more than the bounds."""

import gzip
import io
import os
import stat
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.text import harmless
from referee.versions.archive import open_archive, stem_of, unpack, unpack_tar
from referee.versions.files import BadFiles, Bounds, Contents
from referee.versions.folders import copy_folder, look_through

BOUNDS = Bounds(total_bytes=1 << 20, members=50, depth=5, time_s=60)

Members = list[tuple[str, bytes | str]]
"""Files have bytes, links the text `-> TARGET`, hard links `= NAME`; anything else has its letter in tar."""


def tarred(*members: tuple[str, bytes | str], mode: int = 0o644, form: int = tarfile.PAX_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form, errors="surrogateescape") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.mode = mode
            if isinstance(content, bytes):
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
                continue
            kind, _, info.linkname = content.partition(" ")
            info.type = {"->": tarfile.SYMTYPE, "=": tarfile.LNKTYPE}.get(kind, kind.encode())
            tar.addfile(info)
    return file.getvalue()


def zipped(*members: tuple[str, bytes | str], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            info = zipfile.ZipInfo()
            info.filename = name
            info.external_attr = mode << 16
            if isinstance(content, str):
                info.external_attr = {"-": stat.S_IFLNK, "3": stat.S_IFCHR, "6": stat.S_IFIFO}[content[0]] << 16
            with warnings.catch_warnings(action="ignore"):  # about names that are there twice
                archive.writestr(info, content if isinstance(content, bytes) else content[3:], method)
    return file.getvalue()


def raw_zip(*members: tuple[bytes, bytes], flags: int = 0, extra: bytes = b"", system: int = 3) -> bytes:
    """A zip with names as bytes."""
    local, directory = b"", b""
    for name, content in members:
        about = struct.pack(
            "<5H3L2H", 20, flags, 0, 0, 33, zlib.crc32(content), len(content), len(content), len(name), len(extra)
        )
        directory += struct.pack("<4s2B", b"PK\1\2", 20, system) + about + struct.pack("<3H2L", 0, 0, 0, 0, len(local))
        directory += name + extra
        local += b"PK\3\4" + about + name + extra + content
    count = len(members)
    return local + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(local), 0)


def unicode_path(raw: bytes, name: bytes) -> bytes:
    return struct.pack("<HHBL", 0x7075, 5 + len(name), 1, zlib.crc32(raw)) + name


CHECKSUM = struct.pack("<L", zlib.crc32(b"1"))
SIZES = struct.pack("<2L", 1, 1)


def unpacked(folder: Path, data: bytes, bounds: Bounds = BOUNDS) -> Contents:
    """Unpack the data into `folder/new`."""
    (folder / "archive").write_bytes(data)
    with open_archive(folder / "archive") as file:
        return unpack(file, folder / "new", bounds)


def refusal(folder: Path, data: bytes, bounds: Bounds = BOUNDS) -> str:
    """Why an archive is refused; nothing is left of it."""
    with pytest.raises(BadFiles) as caught:
        unpacked(folder, data, bounds)
    assert os.listdir(folder) == ["archive"]
    assert harmless(str(caught.value)) == str(caught.value)
    return str(caught.value)


def copied(folder: Path, members: Members) -> str:
    """Why a folder with these files is refused, whether it is looked through or copied."""
    source = folder / "source"
    for name, content in members:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            (source / name).write_bytes(content)
        elif content == "6":
            os.mkfifo(source / name)
        else:
            (source / name).symlink_to(content[3:])
    problems = [str(problem) for problem in look_through(str(source), BOUNDS).problems]
    fd = os.open(source, os.O_RDONLY)
    try:
        with pytest.raises(BadFiles) as caught:
            copy_folder(fd, folder / "new", BOUNDS)
    finally:
        os.close(fd)
    assert os.listdir(folder) == ["source"]
    assert str(caught.value) in problems
    return str(caught.value)


def tree(folder: Path) -> dict[str, bytes | str]:
    """All that lies in a folder: files with their content, links with their text."""
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    return {
        name: os.readlink(path) if path.is_symlink() else path.read_bytes()
        for name, path in paths.items()
        if path.is_symlink() or path.is_file()
    }


RULES: tuple[tuple[str, str, Members], ...] = (
    ("tz", "absolute", [("/etc/passwd", b"")]),
    ("tz", "climbs", [("../x", b"")]),
    ("tz", "climbs", [("a/../../x", b"")]),
    ("tz", "has no name", [("a/./x", b"")]),
    ("tz", "has no name", [("a//x", b"")]),
    ("tz", "already", [(".", b"")]),
    ("t f", "drive letter", [("C:x", b"")]),
    ("tzf", "drive letter", [("C:/x", b"")]),
    ("tzf", "nobody sees", [("a\nb", b"")]),
    ("tzf", "nobody sees", [("a\u202eb", b"")]),
    ("tzf", "nobody sees", [("a\u200bb", b"")]),
    ("tzf", "backslash", [("a\\b", b"")]),
    ("t f", "not UTF-8", [("a\udcffb", b"")]),
    ("tz", "more than 255 bytes", [("x" * 256, b"")]),
    ("tz", "more than 1024 bytes", [("x/" * 600, b"")]),
    ("tzf", "deeper than 5", [("a/b/c/d/e/f", b"")]),
    ("tzf", "leads out", [("a", "-> /etc/passwd")]),
    ("tzf", "leads out", [("a", "-> ../x")]),
    ("tzf", "leads out", [("d/a", "-> ../../x")]),
    ("tzf", "leads out", [("d/a", "-> .././/../x")]),
    ("tzf", "behind a name", [("d/e/f", b""), ("d/e/a", "-> ../.."), ("d/e/b", "-> a/../x")]),
    ("tzf", "behind a name", [("d/e/f", b""), ("b", "-> a/../../x"), ("a", "-> .")]),
    ("tzf", "backslash", [("a", "-> d\\b")]),
    ("tz", "a link already", [("a", "-> d"), ("a/x", b"")]),
    ("tz", "a link already", [("a", "-> b"), ("a", b"")]),
    ("t", "leads out|absolute", [("a", "= /etc/passwd")]),
    ("t", "no file that came before it", [("a", "= b"), ("b", b"")]),
    ("t", "no file that came before it", [("a", "-> b"), ("c", "= a")]),
    ("tz", "neither file, folder nor link", [("a", "3")]),
    ("tzf", "neither file, folder nor link", [("a", "6")]),
    ("t", "neither file, folder nor link", [("a", "Z")]),
    ("tz", "a file already", [("a", b""), ("a", b"")]),
    ("tz", "a folder already", [("a/b", b""), ("a", b"")]),
    ("tz", "a file already", [("a", b""), ("a/b", b"")]),
    ("tzf", "cannot tell it from", [("read", b""), ("READ", b"")]),
    ("tzf", "cannot tell it from", [("A/x", b""), ("a/y", b"")]),
    ("tzf", "cannot tell it from", [("\u00e9", b""), ("e\u0301", b"")]),
    ("tzf", "cannot tell it from", [("stra\u00dfe", b""), ("STRASSE", b"")]),
    ("tzf", "cannot tell it from", [("\uff46ish", b""), ("fish", b"")]),
    ("tzf", "the 50 files and folders", [(f"a{number}", b"") for number in range(51)]),
    ("tzf", "the 50 files and folders", [(f"a{number}/b", b"") for number in range(26)]),
    ("tzf", "the 1 MB", [("a", os.urandom(1 << 19)), ("b", os.urandom(1 << 19)), ("c", b"1")]),
    ("t", "the 1 MB", [("a", bytes(1 << 19)), *((f"b{number}", "= a") for number in range(2))]),
    ("t", "no file in it", [("a", "5")]),
    ("z", "no file in it", [("a/", b"")]),
)
"""Whether tar, zip or a folder can have the files; the rule by which golfref refuses them."""


@pytest.mark.parametrize(
    ("source", "words", "members"), [(letter, *rule) for sources, *rule in RULES for letter in sources.replace(" ", "")]
)
def test_the_same_rule_refuses_files_from_archives_and_folders(
    tmp_path: Path, source: str, words: str, members: Members
) -> None:
    pack: Callable[..., bytes] = tarred if source == "t" else zipped
    why = copied(tmp_path, members) if source == "f" else refusal(tmp_path, pack(*members))

    assert any(word in why for word in words.split("|")), why


@pytest.mark.parametrize("packing", [bytes, gzip.compress])
def test_files_folders_and_links_come_out_as_they_are(tmp_path: Path, packing: Callable[[bytes], bytes]) -> None:
    padded = bytes(511)  # one byte less than a block
    links = (("lib/same", "-> ./one.py"), ("two", "= ./bot"), ("d/e/f", b"1"), ("d/up", "-> .././lib"))
    data = tarred(("./", "5"), ("./bot", b"x"), ("lib/one.py", padded), *links, ("empty", "5"), mode=0o7711)

    contents = unpacked(tmp_path, packing(data))

    assert tree(tmp_path / "new") == {
        "bot": b"x",
        "lib/one.py": padded,
        "lib/same": "./one.py",
        "two": b"x",
        "d/e/f": b"1",
        "d/up": ".././lib",
    }
    assert (tmp_path / "new/empty").is_dir()
    assert stat.S_IMODE((tmp_path / "new/bot").stat().st_mode) == 0o755
    assert (contents.files, contents.folders, contents.size_bytes) == (6, 4, 514)
    assert contents.top == {"bot", "two"}


@pytest.mark.parametrize(
    ("data", "has_modes", "mode"),
    [
        (raw_zip((b"bot", b"1")), False, 0o644),
        (zipped(("bot", b"1"), mode=stat.S_IFREG | 0o4755), True, 0o755),
    ],
)
def test_a_zip_keeps_what_can_be_executed_if_it_says_so(
    tmp_path: Path, data: bytes, has_modes: bool, mode: int
) -> None:
    assert unpacked(tmp_path, data).has_modes == has_modes
    assert stat.S_IMODE((tmp_path / "new/bot").stat().st_mode) == mode


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_what_systems_leave_in_folders_is_not_unpacked(tmp_path: Path, pack: Callable[..., bytes]) -> None:
    left = ("._bot.c", "lib/._one.c", "__MACOSX/._x", ".DS_Store", "lib/Thumbs.db", ".git/HEAD", "__pycache__/a.pyc")

    contents = unpacked(tmp_path, pack(*((name, b"x" * 600) for name in left), ("bot.c", b"")))

    assert tree(tmp_path / "new") == {"bot.c": b""}
    assert contents.size_bytes == 0


def test_a_build_may_leave_what_an_author_may_not(tmp_path: Path) -> None:
    bounds = Bounds(total_bytes=1 << 20, from_build=True)
    bins = ("bin", "-> /usr/bin")
    members = (bins, ("python", "-> bin/python3"), ("a", b""), ("A", b""), ("__pycache__/a.pyc", b""), ("._a.c", b""))

    unpack_tar(io.BytesIO(tarred(*members)), tmp_path / "new", bounds)

    assert sorted(tree(tmp_path / "new")) == ["A", "__pycache__/a.pyc", "a", "bin", "python"]
    for target in ("/usrs/x", "/usr/../etc", "/etc", "/usr/a\\b", "bin/../../etc"):
        with pytest.raises(BadFiles, match="is a link"):
            unpack_tar(io.BytesIO(tarred(bins, ("a", f"-> {target}"))), tmp_path / "other", bounds)


def header(name: bytes, size: bytes, kind: bytes) -> bytes:
    """A header of tar with any size at all."""
    block = struct.pack(
        "100s8s8s8s12s12s8sc100s8s247x", name, *[b"0000644\0"] * 3, size, b"0" * 12, b" " * 8, kind, b"", b"ustar\00000"
    )
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def pax(text: bytes, kind: bytes = b"x") -> bytes:
    """A header of tar that changes the next member."""
    return header(b"x", b"%011o\0" % len(text), kind) + text.ljust(-len(text) % 512 + len(text), b"\0")


WHOLE = tarred(("a", b"1" * 200), ("b", b"2"))
NOISE = gzip.compress(tarred(("a", os.urandom(5000))))
SPARSE = b"22 GNU.sparse.map=0,1\n23 GNU.sparse.size=999\n21 GNU.sparse.name=a\n"
DAMAGES = {
    "cut in a file": (WHOLE[:700], "damaged"),
    "cut in a header": (WHOLE[:1300], "damaged"),
    "cut after a member": (WHOLE[:1024], "cut off"),
    "a bad checksum": (WHOLE[:1024] + b"x" * 512 + WHOLE[1536:], "damaged"),
    "text": (b"#!/bin/sh\n" * 200, "no .zip, .tar or .tar.gz"),
    "nothing": (b"", "no .zip, .tar or .tar.gz"),
    "xz": (b"\xfd7zXZ\0" + bytes(1000), "no .zip, .tar or .tar.gz"),
    "a packed tar cut": (NOISE[:-5], "damaged"),
    "a packed tar changed": (NOISE[:2000] + b"????" + NOISE[2004:], "damaged"),
    "a packed tar and more": (NOISE + b"rubbish", "damaged"),
    "zeros without end": (gzip.compress(WHOLE + bytes(5 << 20)), "longer than"),
    "zeros in a file that is left out": (gzip.compress(tarred(("._a", bytes(5 << 20)))), "longer than"),
    "a bomb": (gzip.compress(tarred(("a", bytes(1 << 25)))), "more than"),
    "a size told twice": (pax(b"11 size=-1\n") + tarred(("b", b"1" * 600)), "damaged"),
    "another size told twice": (pax(b"20 size=99999999999\n") + tarred(("b", b"1" * 600)), "damaged"),
    "a file with holes": (pax(SPARSE) + tarred(("a", b"")), "holes"),
    "too many headers": (pax(b"11 a=bcdef\n", b"g") * 40 + tarred(("a", b"")), "header is too long"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_archive_is_refused(tmp_path: Path, damage: str) -> None:
    data, words = DAMAGES[damage]
    assert words in refusal(tmp_path, data)


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K", b"S", b"0"])
@pytest.mark.parametrize("size", [b"77777777777\0", b"\xff" * 10 + bytes(2), b"\x80" + b"\xff" * 11, b"00000001000\0"])
def test_sizes_that_lie_cost_nothing(tmp_path: Path, kind: bytes, size: bytes) -> None:
    assert refusal(tmp_path, header(b"a", size, kind) + tarred(("b", b"1")))


def test_a_folder_has_no_size_whatever_its_header_says(tmp_path: Path) -> None:
    unpacked(tmp_path, header(b"a", b"77777777777\0", b"5") + tarred(("b", b"1")))

    assert tree(tmp_path / "new") == {"b": b"1"}


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    data = gzip.compress(tarred(("a", bytes(1 << 25))))

    assert "times the size" in refusal(tmp_path, data, Bounds(total_bytes=1 << 28))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (raw_zip(("über.py".encode(), b""), flags=0x800), "über.py"),
        (raw_zip(("über.py".encode(), b"")), "über.py"),
        (raw_zip((b"\x81ber.py", b""), extra=unicode_path(b"\x81ber.py", "über.py".encode())), "über.py"),
        (raw_zip((b"lib\\one.py", b""), system=0), "lib/one.py"),
        (raw_zip((b"a", b"1")).replace(SIZES, struct.pack("<2L", 1, 1 << 30)), "a"),
        (raw_zip((b"a", b"1")).replace(SIZES, struct.pack("<2L", 1 << 30, 1)), "a"),
        (zipped(("a", b"")) + b"rubbish", "a"),
        (b"PK\3\4" + zipped(("a", b"")), "a"),
    ],
)
def test_the_directory_of_a_zip_says_what_is_in_it(tmp_path: Path, data: bytes, name: str) -> None:
    unpacked(tmp_path, data)

    assert list(tree(tmp_path / "new")) == [name]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (raw_zip((b"\x81ber.py", b"")), "in which encoding"),
        (raw_zip((b"\xfcber.py", b"")), "in which encoding"),
        (raw_zip(("über.py".encode(), b""), system=0), "in which encoding"),
        (raw_zip((b"\x81ber.py", b""), extra=unicode_path(b"other", b"u.py")), "in which encoding"),
        (raw_zip((b"\xffber.py", b""), flags=0x800), "not UTF-8"),
        (raw_zip((b"a", b""), extra=unicode_path(b"a", b"../x")), "climbs"),
        (raw_zip((b"a", b""), extra=unicode_path(b"a", b"\xff")), "not UTF-8"),
        (raw_zip((b"a\0.py", b"")), "nobody sees"),
        (raw_zip((b"a\\b.py", b"")), "backslash"),
        (raw_zip((b"..\\b.py", b""), system=0), "climbs"),
        (raw_zip((b"C:\\b.py", b""), system=0), "drive letter"),
        (raw_zip((b"a", b""), flags=1), "encrypted"),
        (raw_zip((b"a", b""), flags=0x40), "encrypted"),
        (zipped(("a", b"1"), method=zipfile.ZIP_LZMA), "method 14"),
        (zipped(("a", b"1"), method=zipfile.ZIP_BZIP2), "method 12"),
        (zipped(("a", "-> " + "b" * 1100)), "more than 1024 bytes"),
        (raw_zip((b"a", b"1")).replace(CHECKSUM, b"????"), "damaged"),
        (raw_zip((b"a", b"1")).replace(SIZES, struct.pack("<2L", 1, 0)), "damaged"),
        (raw_zip((b"a", b"1"), (b"a", b"2")).replace(b"\x20\0\0\0a", b"\0\0\0\0a"), "already"),
        (raw_zip((b"a", b"1"))[:-30], "damaged"),
        (raw_zip((b"a", b"1"), (b"b", b"1")).replace(b"b1", b"c1"), "damaged"),
        (b"PK\3\4" + bytes(100), "damaged"),
        (b"PK\5\6" + bytes(18), "no file in it"),
        (zipped(("a", bytes(1 << 21))), "the 1 MB"),
        (zipped(*((str(number) * 60, b"") for number in range(2000))), "directory"),
    ],
)
def test_a_zip_is_refused_by_the_rule(tmp_path: Path, data: bytes, words: str) -> None:
    assert words in refusal(tmp_path, data)


def test_what_was_killed_is_taken_away_and_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "new.new").mkdir()
    (tmp_path / "new.new/half").write_text("x")
    unpacked(tmp_path, tarred(("a", b"1")))

    assert sorted(os.listdir(tmp_path)) == ["archive", "new"]
    with pytest.raises(FileExistsError):
        unpacked(tmp_path, tarred(("b", b"1")))
    assert os.listdir(tmp_path / "new") == ["a"]


def test_the_time_is_bounded(tmp_path: Path) -> None:
    bounds = Bounds(total_bytes=1 << 20, time_s=0)
    assert "after 0 seconds" in refusal(tmp_path, tarred(("a", b"1")), bounds)
    (tmp_path / "a").write_text("x")
    assert "after 0 seconds" in str(look_through(str(tmp_path), bounds).problems[0])


def test_a_pipe_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "archive")
    with open_archive(tmp_path / "archive") as file, pytest.raises(BadFiles, match="no plain file"):
        unpack(file, tmp_path / "new", BOUNDS)


@pytest.mark.parametrize(
    ("name", "stem"), [("Bot.tar.gz", "Bot"), ("bot.TGZ", "bot"), ("bot.tar.xz", None), ("bot.rar", None)]
)
def test_the_name_of_an_archive_tells_its_stem(name: str, stem: str | None) -> None:
    assert stem_of(name) == stem


PARTS = st.sampled_from(["a", "b", "A", "..", ".", "", "c\\d", "C:", "é", "e\u0301", "\udcff", "\x07", "x" * 60])
NAMES = st.lists(PARTS, min_size=1, max_size=6).map("/".join)
CONTENTS = st.one_of(
    st.binary(max_size=600),
    st.integers(1 << 17, 1 << 19).map(bytes),
    NAMES.map(lambda name: f"-> {name}"),
    NAMES.map(lambda name: f"= {name}"),
    st.sampled_from(["3", "4", "5", "6", "7", "S", "x", "L"]),
)
TARS = st.builds(
    lambda members, form: tarred(*members, form=form),
    st.lists(st.tuples(NAMES, CONTENTS), max_size=12),
    st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]),
)
ZIPS = st.builds(
    lambda members, flags, extra: raw_zip(*members, flags=flags, extra=extra),
    st.lists(st.tuples(NAMES.map(os.fsencode), st.binary(max_size=600)), max_size=12),
    st.sampled_from([0, 0x800, 1, 8]),
    st.one_of(st.just(b""), st.builds(unicode_path, NAMES.map(os.fsencode), NAMES.map(os.fsencode))),
)


@settings(max_examples=60)
@given(
    st.one_of(TARS, ZIPS),
    st.lists(st.tuples(st.integers(0, 1 << 12), st.binary(min_size=1, max_size=12)), max_size=2),
    st.booleans(),
)
def test_nothing_is_ever_written_outside_and_the_bounds_hold(
    data: bytes, damages: list[tuple[int, bytes]], is_packed: bool
) -> None:
    changed = bytearray(data)
    for place, change in damages:
        changed[place : place + len(change)] = change
    with TemporaryDirectory() as outermost:
        inner = Path(outermost, "one/two")
        inner.mkdir(parents=True)
        try:
            contents = unpacked(inner, gzip.compress(changed) if is_packed else bytes(changed))
        except BadFiles:
            assert os.listdir(inner) == ["archive"]
        else:
            kept = list((inner / "new").rglob("*"))
            assert sorted(os.listdir(inner)) == ["archive", "new"]
            assert len(kept) == contents.files + contents.folders <= BOUNDS.members
            assert sum(path.lstat().st_size for path in kept if path.is_file()) <= BOUNDS.total_bytes
            for path in kept:
                assert stat.S_IFMT(path.lstat().st_mode) in {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
                assert Path(os.path.realpath(path)).is_relative_to((inner / "new").resolve())
        assert os.listdir(outermost) == ["one"]
        assert os.listdir(Path(outermost, "one")) == ["two"]
