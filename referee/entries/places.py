"""Which folders the organiser's config means by `entries`."""

import glob
import os

from msgspec import Struct

_NOT_ENTRIES = (".new", ".old")
"""How names of folders end that are being put in place, or were taken out of it."""


class Places(Struct, frozen=True, kw_only=True):
    """What a pattern finds."""

    folders: tuple[str, ...]
    """Paths of the folders that are entries, in the order of their names."""
    skipped: tuple[str, ...] = ()
    """Paths of what is neither a folder nor a plain file."""
    passed_over: tuple[str, ...] = ()
    """Paths of all else that the pattern finds, which is no entry."""


def find_places(pattern: str, folder: str) -> Places:
    """What a pattern finds from this folder on; without `*`, `?` or `[` it names one folder.

    Hidden names and plain files are no entries, nor are folders whose names end with `.new` or `.old`.
    """
    if not glob.has_magic(pattern):
        path = os.path.normpath(os.path.join(folder, pattern))
        return Places(folders=(path,) if os.path.isdir(path) else ())
    found = sorted(glob.glob(pattern, root_dir=folder))
    paths = [os.path.normpath(os.path.join(folder, path)) for path in found]
    named = [path for path in paths if not is_passed_over(os.path.basename(path))]
    folders = [path for path in named if os.path.isdir(path)]
    skipped = [path for path in named if not os.path.isdir(path) and not os.path.isfile(path)]
    passed_over = [path for path in paths if path not in folders and path not in skipped]
    return Places(folders=tuple(folders), skipped=tuple(skipped), passed_over=tuple(passed_over))


def is_passed_over(name: str) -> bool:
    """Whether a folder of this name is no entry."""
    return name.startswith(".") or name.endswith(_NOT_ENTRIES)
