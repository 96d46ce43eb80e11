"""What lies beside the store of a run about versions of bots: what builds said, and the letters of checks."""

import stat
from contextlib import suppress
from pathlib import Path

from referee.entries.built import read_log
from referee.entries.shelf import Shelf
from referee.entries.versions import short

LETTERS = ".checks"
"""What the folder of the letters has after the name of the config, whose store has that name too."""

MOST_BYTES = 1 << 20
_MOST_LETTERS = 10_000


def kept_texts(run: Path, bot: str, version: str) -> dict[str, bytes]:
    """By the end of a file's name what is kept about this version of a bot of the run in this store."""
    texts = {"build.log": read_log(Shelf(run.absolute().parent), version), "check.txt": _letter(run, bot, version)}
    return {name: text for name, text in texts.items() if text is not None}


def _letter(run: Path, bot: str, version: str) -> bytes | None:
    """The letter about the check of this version, as `golfref check CONFIG` wrote it. None where there is none."""
    folder = run.with_name(run.stem + LETTERS)
    first = f"Check of the bot `{bot}` for the competition `".encode()
    told = f"version         {short(version)}\n".encode()
    with suppress(OSError):
        for path in sorted(folder.glob("*.txt"))[:_MOST_LETTERS]:
            about = path.stat()
            if stat.S_ISREG(about.st_mode) and about.st_size <= MOST_BYTES:
                text = path.read_bytes()
                if text.startswith(first) and told in text:
                    return text
    return None
