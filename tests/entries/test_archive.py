"""Archives of strangers: nothing is written outside of the new folder, and no more than the bounds allow."""

import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.text import harmless
from referee.entries.archive import stem_of, unpack, unpack_tar
from referee.entries.members import BadArchive, Bounds, Unpacked

BOUNDS = Bounds(total_bytes=1 << 20, file_bytes=1 << 19, members=50, depth=5, path_bytes=200, time_s=60)


def tarred(*members: tuple[str, bytes | str], mode: int = 0o644, form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar archive: files have bytes, links the text `-> TARGET`, hard links `= NAME`; others a letter of tarfile."""
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


def zipped(*members: tuple[str, bytes], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content, method)
    return file.getvalue()


def opened(folder: Path, data: bytes, name: str = "a.tar", bounds: Bounds = BOUNDS) -> Unpacked:
    """Unpack the data as a file of this name into `folder/new`."""
    archive = folder / name
    archive.write_bytes(data)
    return unpack(archive, folder / "new", bounds)


def refusal(folder: Path, data: bytes, name: str = "a.tar", bounds: Bounds = BOUNDS) -> str:
    """Why an archive is refused; nothing is left of it."""
    with pytest.raises(BadArchive) as caught:
        opened(folder, data, name, bounds)
    assert os.listdir(folder) == [name]
    assert harmless(str(caught.value)) == str(caught.value)
    return str(caught.value)


def tree(folder: Path) -> dict[str, bytes | str]:
    """All that lies in a folder: files with their content, links with their text."""
    found: dict[str, bytes | str] = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = os.readlink(path)
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "a.tar": bytes,
    "a.tar.gz": gzip.compress,
    "a.TGZ": gzip.compress,
    "a.tar.xz": lzma.compress,
    "a.tar.bz2": bz2.compress,
}


@pytest.mark.parametrize("name", PACKINGS)
def test_files_folders_and_links_inside_come_out_as_they_are(tmp_path: Path, name: str) -> None:
    padded = bytes(511)  # one byte less than a block
    links = (("lib/same", "-> ./one.py"), ("two", "= ./bot"))
    data = tarred(("./", "5"), ("./bot", b"x"), ("lib/one.py", padded), *links, ("empty", "5"))

    unpacked = opened(tmp_path, PACKINGS[name](data), name)

    assert tree(tmp_path / "new") == {"bot": b"x", "lib/one.py": padded, "lib/same": "./one.py", "two": b"x"}
    assert (tmp_path / "new/empty").is_dir()
    assert unpacked == Unpacked(files=4, bytes=513)
    assert sorted(os.listdir(tmp_path)) == [name, "new"]


def test_a_zip_keeps_execute_bits_and_links_and_says_whether_it_has_them(tmp_path: Path) -> None:
    plain = opened(tmp_path, raw_zip((b"bot.py", b"1"), (b"lib/", b"")), "a.zip")
    (tmp_path / "new").rename(tmp_path / "plain")
    opened(tmp_path, zipped(("bot", b"1"), mode=stat.S_IFREG | 0o4755), "b.zip")
    (tmp_path / "new").rename(tmp_path / "runs")
    opened(tmp_path, zipped(("to", b"bot"), mode=stat.S_IFLNK | 0o777), "c.zip")

    assert not plain.has_modes
    assert stat.S_IMODE((tmp_path / "plain/bot.py").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "runs/bot").stat().st_mode) == 0o755
    assert tree(tmp_path / "new") == {"to": "bot"}


def test_special_bits_are_dropped(tmp_path: Path) -> None:
    opened(tmp_path, tarred(("bot", b""), mode=0o7711))

    assert stat.S_IMODE((tmp_path / "new/bot").stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("/etc/passwd", b"")], "absolute"),
        ([("../x", b"")], "climbs"),
        ([("a/../../x", b"")], "climbs"),
        ([("a/./x", b"")], "has no name"),
        ([("a//x", b"")], "has no name"),
        ([(".", b"")], "the folder itself"),
        ([("C:/x", b"")], "drive letter"),
        ([("a\\x", b"")], "backslash"),
        ([("a\nb", b"")], "not seen"),
        ([("a\u202eb", b"")], "not seen"),
        ([("a\udcffb", b"")], "not UTF-8"),
        ([("x" * 300, b"")], "more than 200 bytes"),
        ([("a/b/c/d/e/f", b"")], "deeper than 5"),
        ([("a", "-> /etc/passwd")], "absolute"),
        ([("a", "-> ../x")], "leads out"),
        ([("d/a", "-> ../../x")], "leads out"),
        ([("d/e/f", b""), ("a", "-> d/e"), ("b", "-> a/../../../x")], "leads out"),
        ([("d/e/f", b""), ("b", "-> a/../../x"), ("a", "-> .")], "leads out"),
        ([("a", "-> b"), ("b", "-> a")], "in circles"),
        ([("d/a", "-> ../d/a")], "in circles"),
        ([("a", "-> d"), ("a/x", b"")], "through the link"),
        ([("a", "= /etc/passwd")], "absolute"),
        ([("a", "= b"), ("b", b"")], "no file that came before it"),
        ([("a", "-> b"), ("c", "= a")], "no file that came before it"),
        ([("a", "3")], "a device"),
        ([("a", "4")], "a device"),
        ([("a", "6")], "a pipe"),
        ([("a", "Z")], "a kind that is unknown"),
        ([("a", b""), ("a", b"")], "a file of this name already"),
        ([("a", "-> b"), ("a", b"")], "a link of this name already"),
        ([("a/b", b""), ("a", b"")], "a folder of this name already"),
        ([("a", b""), ("a/b", b"")], "a file of this name already"),
        ([("read", b""), ("READ", b"")], "cannot tell it from"),
        ([("A/x", b""), ("a/y", b"")], "cannot tell it from"),
        ([("\u00e9", b""), ("e\u0301", b"")], "cannot tell it from"),
        ([("stra\u00dfe", b""), ("STRASSE", b"")], "cannot tell it from"),
        ([(f"a{number}", b"") for number in range(51)], "one too many"),
        ([("a/b/c/d/" + str(number), b"") for number in range(47)], "one too many"),
        ([("a", bytes((1 << 19) + 1))], "one file may have 524288 bytes"),
        ([("a", bytes(1 << 19)), ("b", bytes(1 << 19)), ("c", b"1")], "all files together"),
        ([("a", bytes(1 << 19)), *((f"b{number}", "= a") for number in range(2))], "all files together"),
        ([("d", "5")], "no file in it"),
    ],
)
def test_a_member_is_refused_by_its_name_and_the_rule(
    tmp_path: Path, members: Sequence[tuple[str, bytes | str]], words: str
) -> None:
    assert words in refusal(tmp_path, tarred(*members))


def test_a_link_is_followed_as_the_system_does(tmp_path: Path) -> None:
    data = tarred(("d/e/f", b"1"), ("here", "-> d/e"), ("there", "-> here/../../d"))

    opened(tmp_path, data)

    assert (tmp_path / "new/there/e/f").read_bytes() == b"1"


def test_links_may_lead_to_places_outside_that_are_allowed(tmp_path: Path) -> None:
    bounds = Bounds(outside=("/usr",))
    bins = ("bin", "-> /usr/bin")

    assert opened(tmp_path, tarred(bins, ("python", "-> bin/python3")), bounds=bounds).files == 2
    (tmp_path / "new").rename(tmp_path.parent / f"{tmp_path.name}-kept")
    for target in ("/usrs/x", "/usr/../etc", "/etc", "/usr/a\\b", "bin/../../etc"):
        assert "is a link" in refusal(tmp_path, tarred(bins, ("a", f"-> {target}")), bounds=bounds)


@pytest.mark.parametrize("link", ["-> a", "= a"])
def test_links_can_be_forbidden(tmp_path: Path, link: str) -> None:
    assert "there may be none" in refusal(tmp_path, tarred(("a", b""), ("b", link)), bounds=Bounds(links=False))


def test_names_may_differ_by_case_alone_where_the_bounds_allow_it(tmp_path: Path) -> None:
    stream = io.BytesIO(tarred(("a", b"1"), ("A", b"2")))

    unpacked = unpack_tar(stream, tmp_path / "new", Bounds(folds_case=False))

    assert unpacked.files == 2


DAMAGES = {
    "cut in a file": lambda data: data[:700],
    "cut in a header": lambda data: data[:1300],
    "cut after a member": lambda data: data[:1024],
    "a bad checksum": lambda data: data[:1024] + b"x" * 512 + data[1536:],
    "rubbish after it": lambda data: data + b"rubbish",
    "a zip after it": lambda data: data + zipped(("other", b"")),
    "zeros without end": lambda data: data + bytes(5 << 20),
}


@pytest.mark.parametrize("name", ["a.tar", "a.tar.xz"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_tar_is_refused(tmp_path: Path, damage: str, name: str) -> None:
    data = tarred(("a", b"1" * 200), ("b", b"2"))

    assert refusal(tmp_path, PACKINGS[name](DAMAGES[damage](data)), name)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.xz", "a.tar.bz2"])
def test_a_packed_tar_ends_where_it_says(tmp_path: Path, name: str) -> None:
    packed = PACKINGS[name](tarred(("a", os.urandom(5000))))

    for data in (packed[:-5], packed[:2000], packed + b"rubbish", packed[:2000] + b"????" + packed[2004:]):
        assert "damaged" in refusal(tmp_path, data, name)


def test_a_name_must_tell_what_the_content_is(tmp_path: Path) -> None:
    assert "no .zip archive" in refusal(tmp_path, tarred(("a", b"")), "a.zip")
    (tmp_path / "a.zip").unlink()
    assert "no .tar.gz archive" in refusal(tmp_path, zipped(("a", b"")), "a.tgz")
    assert stem_of("Bot.tar.gz") == "Bot"
    assert stem_of("bot.rar") is None


def header(name: bytes, size: bytes, kind: bytes) -> bytes:
    """A header of tar with any size at all."""
    block = struct.pack(
        "100s8s8s8s12s12s8sc100s8s247x", name, *[b"0000644\0"] * 3, size, b"0" * 12, b" " * 8, kind, b"", b"ustar\00000"
    )
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K", b"S", b"0"])
@pytest.mark.parametrize("size", [b"77777777777\0", b"\xff" * 10 + bytes(2), b"\x80" + b"\xff" * 11, b"00000001000\0"])
def test_sizes_that_lie_cost_nothing(tmp_path: Path, kind: bytes, size: bytes) -> None:
    assert refusal(tmp_path, header(b"a", size, kind) + tarred(("b", b"1")))


def test_a_folder_has_no_size_whatever_its_header_says(tmp_path: Path) -> None:
    opened(tmp_path, header(b"a", b"77777777777\0", b"5") + tarred(("b", b"1")))

    assert tree(tmp_path / "new") == {"b": b"1"}
    assert (tmp_path / "new/a").is_dir()


@pytest.mark.parametrize("told", [b"-1", b"-99999", b"99999999999", b"1e9"])
def test_a_size_that_is_told_twice_must_be_one(tmp_path: Path, told: bytes) -> None:
    record = b" size=" + told + b"\n"
    record = b"%d%b" % (len(record) + 2, record)
    data = header(b"x", b"%011o\0" % len(record), b"x") + record.ljust(512, b"\0") + tarred(("b", b"1" * 600))

    assert refusal(tmp_path, data)


def test_files_with_holes_are_refused(tmp_path: Path) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        info = tarfile.TarInfo("a")
        info.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 40), "GNU.sparse.name": "a"}
        tar.addfile(info)

    assert "holes" in refusal(tmp_path, file.getvalue())


def test_what_is_told_of_all_members_is_bounded(tmp_path: Path) -> None:
    records = b"".join(b"%d k%03d=v\n" % (10, number) for number in range(100))
    assert len(records) == 1000
    data = header(b"g", b"%011o\0" % 1000, b"g") + records.ljust(1024, b"\0") + tarred(("b", b"1"))

    assert "of all members" in refusal(tmp_path, data)


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    data = gzip.compress(tarred(("a", bytes(1 << 25))))

    assert "times the size" in refusal(tmp_path, data, "a.tar.gz", Bounds())


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


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (raw_zip(("über.py".encode(), b""), flags=0x800), "über.py"),
        (raw_zip(("über.py".encode(), b"")), "über.py"),
        (raw_zip((b"\x81ber.py", b""), extra=unicode_path(b"\x81ber.py", "über.py".encode())), "über.py"),
        (raw_zip((b"#U00fcber.py", b""), extra=unicode_path(b"#U00fcber.py", "über.py".encode())), "über.py"),
    ],
)
def test_a_zip_may_have_names_in_utf_8_if_it_says_so(tmp_path: Path, data: bytes, name: str) -> None:
    opened(tmp_path, data, "a.zip")

    assert os.listdir(tmp_path / "new") == [name]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (raw_zip((b"\x81ber.py", b"")), "in which encoding"),
        (raw_zip((b"\xfcber.py", b"")), "in which encoding"),
        (raw_zip(("über.py".encode(), b""), system=0), "in which encoding"),
        (raw_zip((b"\x81ber.py", b""), extra=unicode_path(b"other", b"u.py")), "in which encoding"),
        (raw_zip((b"a.py", b""), flags=0x800, extra=unicode_path(b"a.py", b"b.py")), "second name"),
        (raw_zip((b"\xffber.py", b""), flags=0x800), "not UTF-8"),
        (raw_zip((b"a", b""), extra=unicode_path(b"a", b"../x")), "climbs"),
        (raw_zip((b"a", b""), extra=unicode_path(b"a", b"\xff")), "utf-8"),
        (raw_zip((b"a\0.py", b"")), "not seen"),
        (raw_zip((b"a\\b.py", b"")), "backslash"),
        (raw_zip((b"..\\b.py", b""), system=0), "climbs"),
        (raw_zip((b"/a", b"")), "absolute"),
        (raw_zip((b"C:a", b"")), "drive letter"),
        (raw_zip((b"a", b""), flags=1), "encrypted"),
        (raw_zip((b"a", b""), flags=0x40), "encrypted"),
        (raw_zip((b"a", b""), (b"a", b"")), "already"),
        (raw_zip((b"a/", b"x")), "both"),
        (zipped(("a", b"1"), mode=stat.S_IFDIR | 0o755), "both"),
        (zipped(("a/", b""), mode=stat.S_IFREG | 0o755), "both"),
        (zipped(("a", b"1"), mode=stat.S_IFIFO | 0o755), "a pipe"),
        (zipped(("a", b"1"), mode=stat.S_IFCHR | 0o755), "a device"),
        (zipped(("a", b"/etc"), mode=stat.S_IFLNK | 0o777), "absolute"),
        (zipped(("a", b"../b"), mode=stat.S_IFLNK | 0o777), "leads out"),
        (zipped(("a", b"b" * 300), mode=stat.S_IFLNK | 0o777), "more than 200 bytes"),
        (zipped(("a", b"1"), method=zipfile.ZIP_LZMA), "method 14"),
        (zipped(("a", b"1"), method=zipfile.ZIP_BZIP2), "method 12"),
        (zipped(("a", b"1")) + b"rubbish", "something follows"),
        (b"#!/bin/sh\n" + zipped(("a", b"1")), "no .zip"),
        (zipped(("a", b"1")) + zipped(("b", b"2")), "belong to none"),
        (raw_zip((b"a", b"1")).replace(struct.pack("<L", zlib.crc32(b"1")), b"????"), "damaged"),
        (raw_zip((b"a", b"1"))[:-30], "damaged"),
        (b"PK\3\4" + bytes(100), "damaged"),
        (b"PK\5\6" + bytes(18), "no file in it"),
        (zipped(*((str(number), b"") for number in range(51))), "more than 50"),
        (zipped(("a/b/c/d/e", b""), *((f"b{number}/c", b"") for number in range(24))), "one too many"),
        (zipped(*((str(number) * 60, b"") for number in range(2000))), "directory"),
    ],
)
def test_a_zip_is_refused_by_the_rule(tmp_path: Path, data: bytes, words: str) -> None:
    assert words.casefold() in refusal(tmp_path, data, "a.zip").casefold()


def test_members_of_a_zip_may_not_share_bytes(tmp_path: Path) -> None:
    data = raw_zip((b"a", b"1" * 90), (b"a", b"1" * 90))
    second = data.index(b"PK\3\4", 4)
    overlapping = data.replace(struct.pack("<L", second) + b"a", struct.pack("<L", 0) + b"a")

    assert "overlap" in refusal(tmp_path, overlapping, "a.zip")


def test_a_zip_with_a_comment_and_descriptors_is_one(tmp_path: Path) -> None:
    file = io.BytesIO()

    class OneWay(io.RawIOBase):
        """What a zip is written to that cannot go back, and so describes members after them."""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            return file.write(data)

    with zipfile.ZipFile(OneWay(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"1" * 99)
        archive.writestr("b", b"2")
        archive.comment = b"4f2a"
    opened(tmp_path, file.getvalue(), "a.zip")

    assert tree(tmp_path / "new") == {"a": b"1" * 99, "b": b"2"}


def test_what_was_killed_is_taken_away_and_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "new.new").mkdir()
    (tmp_path / "new.new/half").write_text("x")
    opened(tmp_path, tarred(("a", b"1")))

    assert sorted(os.listdir(tmp_path)) == ["a.tar", "new"]
    with pytest.raises(FileExistsError):
        opened(tmp_path, tarred(("b", b"1")))
    assert os.listdir(tmp_path / "new") == ["a"]


def test_the_time_is_bounded(tmp_path: Path) -> None:
    assert "after 0 seconds" in refusal(tmp_path, tarred(("a", b"1")), bounds=Bounds(time_s=0))


PARTS = st.sampled_from(["a", "b", "A", "..", ".", "", "c\\d", "C:", "é", "e\u0301", "\udcff", "\x07", "x" * 60])
NAMES = st.lists(PARTS, min_size=1, max_size=6).map("/".join)
CONTENTS = st.one_of(
    st.binary(max_size=600),
    st.integers(1 << 17, 1 << 19).map(bytes),
    NAMES.map(lambda name: f"-> {name}"),
    NAMES.map(lambda name: f"= {name}"),
    st.sampled_from(["3", "4", "5", "6", "7", "S", "x", "L"]),
)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(NAMES, CONTENTS), max_size=12),
    st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]),
    st.lists(st.tuples(st.integers(0, 1 << 14), st.binary(min_size=1, max_size=12)), max_size=2),
    st.sampled_from(list(PACKINGS)),
)
def test_nothing_is_ever_written_outside_and_the_bounds_hold(
    members: list[tuple[str, bytes | str]], form: int, damages: list[tuple[int, bytes]], name: str
) -> None:
    data = bytearray(tarred(*members, form=form))
    for place, change in damages:
        data[place : place + len(change)] = change
    check(PACKINGS[name](bytes(data)), name)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(NAMES.map(os.fsencode), st.binary(max_size=600)), max_size=12),
    st.sampled_from([0, 0x800, 1, 8]),
    st.one_of(st.just(b""), st.builds(unicode_path, NAMES.map(os.fsencode), NAMES.map(os.fsencode))),
    st.lists(st.tuples(st.integers(0, 1 << 11), st.binary(min_size=1, max_size=12)), max_size=2),
)
def test_nothing_of_a_zip_is_ever_written_outside(
    members: list[tuple[bytes, bytes]], flags: int, extra: bytes, damages: list[tuple[int, bytes]]
) -> None:
    data = bytearray(raw_zip(*members, flags=flags, extra=extra))
    for place, change in damages:
        data[place : place + len(change)] = change
    check(bytes(data), "a.zip")


def check(data: bytes, name: str) -> None:
    """Unpack it in a folder below others, and look at all of them afterwards."""
    with TemporaryDirectory() as outermost:
        inner = Path(outermost, "one/two")
        inner.mkdir(parents=True)
        try:
            unpacked = opened(inner, data, name)
        except BadArchive:
            assert os.listdir(inner) == [name]
        else:
            kept = list((inner / "new").rglob("*"))
            assert sorted(os.listdir(inner)) == [name, "new"]
            assert len(kept) <= BOUNDS.members
            assert sum(path.lstat().st_size for path in kept if not path.is_dir()) <= BOUNDS.total_bytes + 200 * 50
            assert unpacked.files == sum(path.is_symlink() or path.is_file() for path in kept)
            for path in kept:
                assert stat.S_IFMT(path.lstat().st_mode) in {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
                assert Path(os.path.realpath(path)).is_relative_to((inner / "new").resolve())
        assert os.listdir(outermost) == ["one"]
        assert os.listdir(Path(outermost, "one")) == ["two"]
