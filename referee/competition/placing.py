"""A version from the store becomes the entry: `entries/NAME` is a link to it, replaced in one step.

The lines of the history are written before. So whoever is killed leaves the older version or the newer one, with the
owner that it has.
"""

import os
from pathlib import Path

from referee.competition.history import Refused, Submission, add, found_before, lines, versions_of
from referee.versions.entry import Entry
from referee.versions.store import VersionStore

_OLD = ".old"
"""What the name of a folder ends with that was replaced. No such folder is an entry."""


def check_place(place: Path, *, replaces: bool) -> None:
    """Raise Refused if somebody put a folder there by hand and it is not to be replaced."""
    if place.is_symlink() or not place.exists():
        return
    name = f"{place.parent.name}/{place.name}"
    if not replaces:
        text = f"{name} is a folder that was put there by hand, and stays; the organiser replaces it by `--replace`"
        raise Refused(f"{text}, which renames it to {name}{_OLD}")
    if os.path.lexists(_aside(place)):
        raise Refused(f"{name}{_OLD} is there already, to which {name} would be renamed; remove or rename it first")


def put_in_place(versions: VersionStore, place: Path, line: Submission, before: Entry | None) -> None:
    """Let the version of this line play, and keep the one `before` it. A folder that was put there by hand is renamed.

    Raises NotStored and OSError.
    """
    if before is not None:
        versions.add(before)
        if before.version not in versions_of(lines(versions), before.name):
            add(versions, found_before(line, before))
    add(versions, line)
    versions.link(place, line.version, aside=_aside(place))


def _aside(place: Path) -> Path:
    return place.with_name(place.name + _OLD)
