"""The answer to a submission: a text that the organiser can send to the author as it is."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from protocol.text import harmless
from referee.competition.history import Submission
from referee.competition.letters import SUFFIX, file_names
from referee.versions.store import VersionStore, open_folder, write_whole
from referee.versions.version import short

_FOLDER = "answers"

_MOST = 100
"""So many of the latest answers to each owner are kept, whatever others hand in."""

_NAME_BYTES = 120
"""So much of a name stands in that of an answer's file."""

_WORDS = {
    "accepted": "It is accepted, and in place.",
    "same": "Nothing has changed: this version is in place already.",
    "refused": "It is refused. What was in place before stays.",
    "limited": "It is not looked at.",
    "restored": "The organiser has put this version back in place.",
    "found": "This version was in place before.",
}


def answer(line: Submission, lines: Sequence[str], letter: str | None) -> str:
    """The text for the author. `lines` are the problems in detail, `letter` is the result of the check."""
    owner = f" of {line.owner}" if line.owner else ""
    version = f", version {short(line.version)}" if line.version else ""
    found = [f"Submission of {line.file or line.entry} for the entry `{line.entry}`{owner}{version}, {line.time}", ""]
    found.append(_WORDS[line.outcome])
    if line.reason:
        found += ["", f"{line.reason[0].upper()}{line.reason[1:]}."]
    found += [f"  | {one}" for one in lines]
    text = "\n".join(map(harmless, found)) + "\n"
    return text if letter is None else f"{text}\n{'-' * 100}\n{letter}"


def file_of(name: str) -> str:
    """The name of the file with the answer about an entry or owner of this name, as file systems can take it."""
    short_name = name.encode(errors="replace")[:_NAME_BYTES].decode(errors="ignore")
    return file_names([short_name])[short_name]


def keep_answer(versions: VersionStore, line: Submission, text: str) -> Path:
    """Keep an answer in the folder of its owner; returns its path. Raises OSError."""
    folder = versions.folder / _FOLDER
    open_folder(folder)
    if line.owner:
        folder /= file_of(line.owner).removesuffix(SUFFIX)
        open_folder(folder)
    path = folder / f"{line.id}-{file_of(line.entry)}"
    write_whole(path, text.encode(errors="replace"))
    for name in sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))[:-_MOST]:
        with contextlib.suppress(OSError):
            os.unlink(folder / name)
    return path
