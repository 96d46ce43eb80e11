"""The viewer makes of the small files of a match the very documents that `golfref replay --json` tells."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from needs import lacking
from old_records import BY_PRESET

import referee
from referee.film.documents import Documents
from referee.film.packed import Packer
from referee.rules.book.presets import PRESETS

pytestmark = pytest.mark.browser

UNPACK = Path(referee.__file__).parent / "site/assets/viewer/unpack.js"

SCRIPT = """
import { readFileSync } from "node:fs";
const { documentOf } = await import(process.argv[1]);
const [shared, ...files] = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify([shared, ...files].map((file) => documentOf(file, shared))));
"""


def unpacked(files: list[bytes]) -> Any:
    """What unpack.js makes of the packed files of a match, the public one first."""
    node = shutil.which("node")
    if node is None:
        lacking("node is not installed")
    done = subprocess.run(
        [node, "--input-type=module", "-e", SCRIPT, UNPACK.as_uri()],
        input=b"[" + b",".join(files) + b"]",
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_unpacked_is_what_was_packed(preset: str) -> None:
    documents = Documents(BY_PRESET[preset])
    packer = Packer(documents)
    expected = [documents.public, *map(documents.additions, documents.viewers)]

    found = unpacked([packer.packed(viewer) for viewer in (None, *documents.viewers)])

    assert found == json.loads(msgspec.json.encode(expected))
