"""What stands before a submission: the config, who is entered, whose each entry is, and where a new one goes."""

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from protocol.text import folded, label_problem, printable
from referee.competition.submissions.history import Submission
from referee.entries.owners import IN_PLACE
from referee.tournament.config.bots import EntryTable
from referee.tournament.config.config import Config, ConfigError, Survey, survey
from referee.versions.bot_toml import LONGEST_OWNER
from referee.versions.entry import Entry

_NAMED = 5
"""So many entries of an owner are named."""


def standing(config: Path) -> "Standing":
    """What the config says now. Raises ConfigError, also where it takes no folders."""
    found = survey(config)
    if found.frame is None:
        raise ConfigError(found.lines)
    new = _new_place(found.entrants.tables, found.frame.folder)
    if new is None:
        text = f'{config}: no [[bots]] of it takes new entries; add one with entries = "entries/*"'
        raise ConfigError([text])
    return Standing(found, found.frame, *new)


class Standing:
    """A competition as it is."""

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
                    f"the owner `{printable(entry.owner, 100)}` is written `{one.owner}` for `{one.name}`; write it in "
                    "the same way, or take another name"
                )
        problem = label_problem(entry.owner, LONGEST_OWNER)
        return f"the owner `{printable(entry.owner, 100)}`: {problem}" if problem else ""

    def full_for(self, entry: Entry, per_owner: int | None) -> str:
        """Why the owner of a new entry may have no more of them; empty: it may."""
        tables = {table.index for table in self.survey.entrants.tables}
        own = [one.name for one in self.survey.entrants.all if one.table in tables and one.owner == entry.owner]
        if per_owner is None or not entry.owner or entry.name in own or len(own) < per_owner:
            return ""
        some = ", ".join(own[:_NAMED]) + ", ..." * (len(own) > _NAMED)
        return (
            f"{printable(entry.owner, 100)} has {len(own)} {'entry' if len(own) == 1 else 'entries'} ({some}), and "
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


def _new_place(tables: Sequence[EntryTable], folder: str) -> tuple[EntryTable, Path] | None:
    """Where new entries go: the first [[bots]] with a pattern FOLDER/*."""
    for table in tables:
        above = table.pattern.removesuffix("/*")
        if above != table.pattern and above and not glob.has_magic(above):
            return table, Path(os.path.normpath(os.path.join(folder, above)))
    return None
