"""Which folders the organiser's config means by `entries`."""

import glob
import os

from msgspec import Struct

from referee.versions.store import VersionStore

_NOT_ENTRIES = (".new", ".old")
"""How names of folders end that somebody takes out of the way, or that are not whole yet."""


class EntryFolders(Struct, frozen=True, kw_only=True):
    """What a pattern finds."""

    folders: tuple[str, ...]
    """Paths of the folders that are entries, in the order of their names."""
    skipped: tuple[str, ...] = ()
    """Paths of what is neither a folder nor a plain file."""
    passed_over: tuple[str, ...] = ()
    """Paths of all else that the pattern finds, which is no entry."""


def find_entry_folders(pattern: str, folder: str) -> EntryFolders:
    """What a pattern finds from this folder on; without `*`, `?` or `[` it names one folder.

    Hidden names and plain files are no entries, nor are folders whose names end with `.new` or `.old`.
    """
    if not glob.has_magic(pattern):
        path = os.path.normpath(os.path.join(folder, pattern))
        return EntryFolders(folders=(path,) if _is_entry(path, folder) else ())
    found = sorted(glob.glob(pattern, root_dir=folder))
    paths = [os.path.normpath(os.path.join(folder, path)) for path in found]
    named = [path for path in paths if not is_passed_over(os.path.basename(path))]
    folders = dict.fromkeys(path for path in named if _is_entry(path, folder))
    skipped = dict.fromkeys(path for path in named if path not in folders and not os.path.isfile(path))
    passed_over = [path for path in paths if path not in folders and path not in skipped]
    return EntryFolders(folders=tuple(folders), skipped=tuple(skipped), passed_over=tuple(passed_over))


def _is_entry(path: str, folder: str) -> bool:
    """Whether this is a folder, or a link to a version, be it one that is not there any more."""
    return os.path.isdir(path) or bool(VersionStore(folder).linked_version(path))


def is_passed_over(name: str) -> bool:
    """Whether a folder of this name is no entry."""
    return name.startswith(".") or name.endswith(_NOT_ENTRIES)
