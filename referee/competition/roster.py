"""The entries of a competition, with their owners and their places, before and after a submission."""

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import folded, label_problem, printable
from referee.competition.history import Refused, Submission
from referee.tournament.config.bots import EntryTable
from referee.tournament.config.config import Config, ConfigError, Survey, survey
from referee.tournament.config.entry_owners import IN_PLACE
from referee.versions.bot_toml import LONGEST_OWNER
from referee.versions.entry import Entry

_NAMED = 5
"""So many entries of an owner are named."""


def read_roster(config: Path) -> "Roster":
    """The roster of a config as it is now. Raises ConfigError, also if no [[bots]] of it takes new entries."""
    found = survey(config)
    if found.frame is None:
        raise ConfigError(found.lines)
    new = _new_place(found.entrants.tables, found.frame.folder)
    if new is None:
        text = f'{config}: no [[bots]] of it takes new entries; add one with entries = "entries/*"'
        raise ConfigError([text])
    return Roster(found, found.frame, *new)


class Roster:
    """The entries of a competition as they are."""

    def __init__(self, found: Survey, config: Config, new_table: EntryTable, new_folder: Path) -> None:
        """New entries go into `new_folder`, from which `new_table` takes them."""
        self.survey, self.config = found, config
        self._new_table, self._new_folder = new_table, new_folder

    def entry(self, name: str) -> Entry | None:
        """The entry of this name that is in place, if it can be read."""
        return next((one for one in self.survey.entrants.entries if one.name == name), None)

    def place(self, name: str) -> Path:
        """The folder of an entry, whether or not it is there."""
        found = self.survey.entrants
        folders = {one.name: one.folder for one in found.broken} | {one.name: one.folder for one in found.entries}
        return Path(folders[name]) if name in folders else self._new_folder / name

    def table_for(self, name: str) -> EntryTable:
        """The [[bots]] that takes an entry of this name."""
        number = next((one.table for one in self.survey.entrants.all if one.name == name), None)
        return next((table for table in self.survey.entrants.tables if table.index == number), self._new_table)

    def taken_by(self, name: str) -> str:
        """Who has this name, or one that cannot be told from it, and is not the entry itself; empty: nobody."""
        tables = {table.index for table in self.survey.entrants.tables}
        for one in self.survey.entrants.all:
            if one.name == name and one.table in tables:
                continue
            if folded(one.name) == folded(name):
                return f"the bot `{one.name}`"
        place = self.place(name)
        if os.path.lexists(place) and not place.is_dir() and not place.is_symlink():
            return f"a file of this name in {place.parent.name}/"
        return ""

    def owner(self, name: str, history: Sequence[Submission]) -> str | None:
        """Whose the entry of this name is, or was when it was in place; None where there never was one."""
        entry = self.entry(name)
        if entry is not None:
            return entry.owner
        twin = folded(name)
        known = [line.owner for line in history if folded(line.entry) == twin and line.outcome in IN_PLACE]
        if any(one.name == name for one in self.survey.entrants.broken):
            return self.table_for(name).owners.get(name) or (known[-1] if known else "")
        return known[-1] if known else None

    def owner_problem(self, entry: Entry) -> str:
        """Why the owner of this entry cannot be written so; empty: it can, or nobody owns it."""
        if not entry.owner:
            return ""
        for one in self.survey.entrants.all:
            if one.name != entry.name and one.owner != entry.owner and folded(one.owner) == folded(entry.owner):
                return (
                    f"the owner `{_shown(entry.owner)}` is written `{one.owner}` for `{one.name}`; write it in "
                    "the same way, or take another name"
                )
        problem = label_problem(entry.owner, LONGEST_OWNER)
        return f"the owner `{_shown(entry.owner)}`: {problem}" if problem else ""

    def full_for(self, entry: Entry, per_owner: int | None) -> str:
        """Why the owner of a new entry may have no more of them; empty: it may."""
        tables = {table.index for table in self.survey.entrants.tables}
        own = [one.name for one in self.survey.entrants.all if one.table in tables and one.owner == entry.owner]
        if per_owner is None or not entry.owner or entry.name in own or len(own) < per_owner:
            return ""
        some = ", ".join(own[:_NAMED]) + ", ..." * (len(own) > _NAMED)
        return (
            f"{_shown(entry.owner)} has {len(own)} {'entry' if len(own) == 1 else 'entries'} ({some}), and "
            f"`per_owner` in [submissions] allows no more; hand in a new version under the name of one of them"
        )

    def with_entry(self, entry: Entry) -> Config:
        """The config with this entry in place. Raises ConfigError with what it says against that, which the organiser
        must settle. Where the config cannot be played without the entry either, such as by too few bots, only problems
        of bots and their owners count.
        """
        entry = replace(entry, folder=str(self.place(entry.name)))
        found = survey(self.config.file, adding=(self.table_for(entry.name), entry))
        before = {problem.path for problem in self.survey.problems}
        lines = [
            f"{self.config.file}: {one.text}"
            for one in found.problems
            if one.path not in before and (not before or one.path[0] == "bots" or one.path[-1] == "isolation")
        ]
        if lines or found.frame is None:
            raise ConfigError(lines or found.lines)
        return found.frame


class Claims(Struct, frozen=True, kw_only=True):
    """The owners of a new version by different sources; each is empty if its source names none."""

    by_config: str
    """`owners` in [[bots]]."""
    by_organiser: str
    """`--owner`."""
    sender: str
    """The owner of the folder in the inbox, to which nobody else can write."""
    said: str
    """`owner` in bot.toml."""
    is_new: bool
    """True if there never was an entry of this name."""
    current: str
    """The owner of the entry that is in place, or was."""


def owner_of(name: str, claims: Claims) -> str:
    """The owner of the new version; empty: none. Raises Refused if the entry is somebody else's.

    An entry keeps its owner, whoever hands in and whatever bot.toml says; only the organiser may give it to another.
    """
    sender = claims.sender
    if claims.by_config:
        for other, which in ((claims.by_organiser, "`--owner`"), (sender, "the folder through which it came")):
            if other and other != claims.by_config:
                raise Refused(
                    f"the entry `{name}` is {_shown(claims.by_config)}'s by the organiser's config, and {which} says "
                    f"{_shown(other)}"
                )
        return claims.by_config
    if claims.by_organiser:
        return claims.by_organiser
    if not claims.is_new:
        for other, which in ((sender, "this came from"), (claims.said, "its bot.toml says")):
            if other and other != claims.current:
                whose = f"{_shown(claims.current)}'s" if claims.current else "the organiser's own"
                raise Refused(
                    f"the entry `{name}` is {whose}, and {which} {_shown(other)}; take another name for yours, or ask "
                    "the organiser, who can give the entry to another by `--owner`"
                )
        return claims.current
    if sender and claims.said and claims.said != sender:
        raise Refused(
            f"its bot.toml says that it is {_shown(claims.said)}'s, and it came from {_shown(sender)}; take `owner` "
            "out of bot.toml, or put yourself there"
        )
    return sender or claims.said


def _shown(owner: str) -> str:
    return printable(owner, 100)


def _new_place(tables: Sequence[EntryTable], folder: str) -> tuple[EntryTable, Path] | None:
    """Where new entries go: the first [[bots]] with a pattern FOLDER/*."""
    for table in tables:
        above = table.pattern.removesuffix("/*")
        if above != table.pattern and above and not glob.has_magic(above):
            return table, Path(os.path.normpath(os.path.join(folder, above)))
    return None
