"""The bound on what a file of strangers may cost whoever reads it."""

import resource
import signal
import sys
from pathlib import Path

import pytest

from referee.commands import bounded as room
from referee.commands.bounded import bounded, size_of
from referee.errors import CommandError


def test_what_computes_without_end_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SECONDS", 0.01)
    told = r"^run\.golfref: to read it takes more than 0\.01 s of computing"
    with pytest.raises(CommandError, match=told), bounded("run.golfref", 999_999):
        all(iter(lambda: True, False))
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds what a process keeps in memory")
def test_what_needs_too_much_memory_is_refused_in_a_sentence() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    told = r"^run\.golfref: to read it takes more than 2\.1 GB of memory"
    with pytest.raises(CommandError, match=told), bounded("run.golfref", 0):
        bytearray(1 << 32)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_the_size_of_a_folder_of_any_depth_is_found_without_its_links(tmp_path: Path) -> None:
    places = [tmp_path / "/".join(["d"] * depth) for depth in range(1, 1201)]
    for place in places:
        place.mkdir()
    file, link = places[-1] / "file", places[-1] / "link"
    file.write_bytes(bytes(range(256)) * 32)
    link.symlink_to(tmp_path)
    try:
        assert size_of(tmp_path) >= 8192
    finally:  # pytest removes only folders that it can recurse into
        link.unlink()
        file.unlink()
        for place in reversed(places):
            place.rmdir()
