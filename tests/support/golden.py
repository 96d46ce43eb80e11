"""Golden files: what a test makes now is held against a file that was read by a person when it was written."""

from collections.abc import Collection
from itertools import zip_longest
from pathlib import Path

import pytest
from msgspec import Struct

READ_IT = "read the difference before you commit it"


class Golden(Struct, frozen=True, kw_only=True):
    """Holds golden files against what a test makes, or writes them anew where pytest was called with `--write`."""

    command: str
    """Writes the golden files of the test anew."""
    writes: bool

    def check(self, path: Path, made: bytes) -> None:
        """Fail where the file is missing or differs, with the first line that does and the command that writes it."""
        if self.writes:
            path.write_bytes(made)
        before, now = self.read(path).split(b"\n"), made.split(b"\n")
        for number, (old, new) in enumerate(zip_longest(before, now, fillvalue=b"(the end)"), start=1):
            if old != new:
                pytest.fail(
                    f"{path}:{number} differs.\n  it was: {old.decode()}\n  is now: {new.decode()}\n"
                    f"If that is wanted, `{self.command}` writes the file anew; {READ_IT}",
                    pytrace=False,
                )

    def read(self, path: Path) -> bytes:
        """The golden file; fail where it is missing, with the command that writes it."""
        if not path.exists():
            pytest.fail(f"{path} is missing: `{self.command}` writes it; {READ_IT}", pytrace=False)
        return path.read_bytes()

    def check_folder(self, folder: Path, names: Collection[str]) -> None:
        """Fail where the folder holds a file of another name, which no test makes."""
        left = sorted(path.name for path in folder.iterdir() if path.name not in names)
        if left:
            pytest.fail(
                f"no test makes these files of {folder} any more, delete them: {', '.join(left)}", pytrace=False
            )
