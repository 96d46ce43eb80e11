"""The shelf: where the versions of entries are kept, by content, beside the config of a competition.

A version that has been put here never changes, whatever its author does to the entry's folder meanwhile. Each has a
folder of its own:

    .golfref/versions/VERSION/source/   the files of the entry as they were
    .golfref/versions/VERSION/built/    the same after its build, where it has one
    .golfref/versions/VERSION/build.log what the build said
    .golfref/versions/VERSION/kept.json what is known of it; a version without this file is not whole
"""

from pathlib import Path

from referee.entries.entry import Entry

SHELF = ".golfref"
"""The name of the shelf's folder."""


class Shelf:
    """The shelf of one competition."""

    def __init__(self, folder: str | Path) -> None:
        """`folder` is that of the config."""
        self.folder = Path(folder, SHELF)

    def place(self, version: str) -> Path:
        """The folder of a version, whether or not it is there."""
        return self.folder / "versions" / version

    def files(self, entry: Entry) -> Path:
        """The folder in which this version of a bot starts, whether or not it is there yet."""
        return self.place(entry.version) / ("built" if entry.build else "source")
