"""Archives of real tools give the files that were packed."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needs import lacking

from referee.versions.archive import open_archive, unpack
from referee.versions.files import Bounds

FILES = {"bot.sh": b"#!/bin/sh\n", "lib/one.py": b"1\n" * 5000, "lib/über.txt": b"\xfc"}

_ADDED = "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm a && git archive"
_PYTHON = shlex.quote(sys.executable)

COMMANDS = {
    "zip": (
        "zip -qr ../a.zip .",
        "cd .. && zip -qr a.zip bot",
        "zip -qry ../a.zip .",
        "zip -qr0 ../a.zip .",
        "zip -qrX ../a.zip .",
        "zip -qrD ../a.zip .",
        "zip -qr - . | cat > ../a.zip",
        "zip -qr -fz ../a.zip .",
        "zip -qr ../a.zip . && echo note | zip -qz ../a.zip",
        "LC_ALL=C zip -qr ../a.zip .",
        "zip -qr ../a.zip lib && zip -q ../a.zip bot.sh",
    ),
    "7z": (
        "7z a -tzip ../a.zip .",
        "cd .. && 7z a -tzip a.zip bot",
        "7z a -tzip -mx=0 ../a.zip .",
        "7z a -tzip -mcu=on ../a.zip .",
        "7z a -ttar ../a.tar .",
        "7z a -ttar ../b.tar . && 7z a -tgzip ../a.tgz ../b.tar",
    ),
    "bsdtar": (
        "bsdtar -acf ../a.zip .",
        "bsdtar -acf ../a.zip --options zip:compression=store *",
        "bsdtar -cf ../a.tar --format ustar .",
        "bsdtar -czf ../a.tar.gz .",
        "bsdtar -czf ../a.tar.gz --format gnutar .",
        "bsdtar -czf ../a.tar.gz --format pax *",
        "bsdtar -czf ../a.tar.gz --format v7 .",
    ),
    "tar": (
        "tar cf ../a.tar .",
        "tar cf ../a.tar --format=v7 .",
        "tar cf ../a.tar bot.sh && tar rf ../a.tar lib",
        "tar czf ../a.tar.gz .",
        "tar czf ../a.tgz *",
        "cd .. && tar czf a.tar.gz bot",
        "tar czf ../a.tar.gz --format=pax --xattrs .",
        "tar czf ../a.tar.gz --format=ustar .",
        "tar czf ../a.tar.gz --format=oldgnu .",
        "tar czf ../a.tar.gz -b 1 .",
        "tar cf ../b.tar . && split -b 9000 --filter gzip ../b.tar > ../a.tar.gz",
    ),
    "busybox": ("busybox tar cf ../a.tar .", "busybox tar czf ../a.tar.gz ."),
    "git": (
        f"{_ADDED} -o ../a.zip HEAD",
        f"{_ADDED} --prefix bot/ -o ../a.zip HEAD",
        f"{_ADDED} -o ../a.tar HEAD",
        f"{_ADDED} -o ../a.tar.gz HEAD",
    ),
    "jar": ("jar cf ../a.zip -C . bot.sh -C . lib", "jar cMf0 ../a.zip ."),
    "cmake": ("cmake -E tar cf ../a.zip --format=zip .", "cmake -E tar czf ../a.tar.gz ."),
    "python3": (
        f"{_PYTHON} -m zipfile -c ../a.zip *",
        f"{_PYTHON} -m tarfile -c ../a.tar.gz *",
        f'{_PYTHON} -c \'import shutil; shutil.make_archive("../a", "zip")\'',
        f'{_PYTHON} -c \'import shutil; shutil.make_archive("../a", "gztar")\'',
    ),
}
"""By tool, what is run in the folder `bot` and leaves `a.zip` or the like beside it."""


@pytest.mark.parametrize(("tool", "command"), [(tool, command) for tool in COMMANDS for command in COMMANDS[tool]])
def test_an_archive_of_a_tool_gives_the_files_that_were_packed(tmp_path: Path, tool: str, command: str) -> None:
    if shutil.which(tool) is None:
        lacking(f"no {tool}")
    for name, content in FILES.items():
        (tmp_path / "bot" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bot" / name).write_bytes(content)
    subprocess.run(["sh", "-c", command], cwd=tmp_path / "bot", check=True, capture_output=True)
    (path,) = tmp_path.glob("a.*")

    with open_archive(path) as archive:
        unpack(archive, tmp_path / "new", Bounds(total_bytes=1 << 20))

    found = {file: file.read_bytes() for file in (tmp_path / "new").rglob("*") if file.is_file()}
    top = tmp_path / "new/bot" if (tmp_path / "new/bot").is_dir() else tmp_path / "new"
    found.pop(top / "META-INF/MANIFEST.MF", None)
    assert {os.fspath(file.relative_to(top)): content for file, content in found.items()} == FILES
