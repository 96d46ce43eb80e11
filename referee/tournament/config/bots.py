"""The bots of a config: their commands and folders, whose they are, and whether they may play under its isolation.

Some are entered one by one, others as folders of which each is an entry.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Clocks
from protocol.text import folded
from referee.play.sandbox.cell import can_read, cell_of, readable_places
from referee.play.sandbox.problems import find_problem
from referee.play.spec import BUILTIN, LONGEST_NAME, BadBot, BotSpec, Isolation, builtin_bot
from referee.toml.document import line_of
from referee.toml.reader import KeyPath, Reader
from referee.tournament.config.entry_folders import find_entry_folders, is_passed_over
from referee.tournament.config.entry_owners import settled_owners
from referee.tournament.config.tables import BotTime, check_env, own_clocks
from referee.tournament.plan.keys import Rotations
from referee.versions.bot_toml import LONGEST_OWNER, Allowance, BadEntry, read_entry
from referee.versions.entry import Builds, Entry
from referee.versions.store import SOURCE, VersionStore
from referee.versions.version import short

_SHOWN = 5
"""How many paths are told of those that are no entries."""

_NOT_WITH_ENTRIES = {
    **dict.fromkeys(("name", "command", "builtin", "dir", "env", "owner"), "each entry says it in its bot.toml"),
    **dict.fromkeys(("network", "time"), "give a bot of which this holds a [[bots]] table with `command`"),
}
"""By key that does not go with `entries`, what to do instead."""


class GivenBot(Struct, frozen=True, kw_only=True):
    """[[bots]] as it is written."""

    name: str | None = None
    """Its name in the tournament; a shipped bot needs none."""
    command: tuple[str, ...] | None = None
    """The program and its arguments."""
    builtin: str | None = None
    """A shipped bot, in place of `command`."""
    dir: str | None = None
    """Its folder, where its process starts, relative to the config. Default: the config's folder."""
    env: dict[str, str] = {}
    """Variables besides PATH, HOME, LANG, LC_ALL, LC_CTYPE, TZ and TMPDIR."""
    reads: tuple[str, ...] = ()
    """Paths that the bot may read under `bwrap`, besides its folder and its interpreter."""
    owner: str | None = None
    """The person or team whose bot it is."""
    entries: str | None = None
    """A pattern of folders, each of which is an entry. `reads`, `owners` and `qualify` may stand beside it."""
    owners: dict[str, str] = {}
    """By the name of an entry, its owner, in place of `owner` in its bot.toml."""
    qualify: bool = True
    """With false the bot takes part without `qualify` of [tournament]."""
    network: bool = False
    """With true the bot has the host's network under `bwrap`."""
    time: BotTime | None = None
    """`move_s`, `bank_s` or both, in place of those of [time]."""


class EntryTable(Struct, frozen=True, kw_only=True):
    """A [[bots]] table that takes folders."""

    index: int
    """The number of the table in the file, from 0."""
    pattern: str
    """As it is written."""
    reads: tuple[str, ...]
    """Absolute paths that its entries may ask to read."""
    owners: dict[str, str]
    """By the name of an entry, whose it is, as the config says."""
    is_exempt: bool = False
    """Whether they take part whatever `qualify` says."""

    def allowance(self, folder: str, builds: Builds, *, owner: str = "") -> Allowance:
        """What an entry may ask for. `folder` is that of the config, `owner` is empty if the entry itself says it."""
        return Allowance(
            folder=folder,
            owner=owner,
            reads=self.reads,
            network=builds.network,
            bounds=builds.entry_bounds,
        )


class BrokenEntry(Struct, frozen=True, kw_only=True):
    """A folder that is meant to be an entry, and what keeps it from being one."""

    name: str
    folder: str
    lines: tuple[str, ...]


class BotEntry(Struct, frozen=True, kw_only=True):
    """Somebody who is to take part, as far as that can be made out."""

    name: str
    table: int
    """The number of its [[bots]] table, from 0."""
    owner: str = ""
    is_shipped: bool = False
    is_exempt: bool = False
    """Whether it takes part whatever `qualify` says."""
    spec: BotSpec | None = None
    """None where something is wrong with it."""


class BotEntries(Struct, frozen=True, kw_only=True):
    """All who are entered, in the order of the file, and of names within a table."""

    all: tuple[BotEntry, ...]
    entries: tuple[Entry, ...]
    broken: tuple[BrokenEntry, ...]
    tables: tuple[EntryTable, ...]
    notes: tuple[str, ...]
    """What is no mistake, but should be known."""

    @property
    def bots(self) -> tuple[BotSpec, ...]:
        """Those with whom nothing is wrong."""
        return tuple(one.spec for one in self.all if one.spec is not None)


def read_bots(  # noqa: PLR0913 - all that the tables of bots depend on
    given: Sequence[GivenBot] | None,
    file: str,
    isolation: Isolation,
    builds: Builds,
    reader: Reader,
    *,
    clocks: Clocks,
    adding: tuple[EntryTable, Entry] | None = None,
    without: frozenset[str] = frozenset(),
) -> BotEntries:
    """The bots of the config in `file`, as far as they can be made out. What is wrong with them is noted.

    `file` is as the config is named. Bots `without` which they are to be made out are not looked at. An entry that is
    `adding` is taken as if it lay there already. What is wrong within an entry stands in `broken`. Raises BadDocument
    where the owners of entries cannot be read.
    """
    if given is None:
        reader.missing(("bots",), "expected at least one [[bots]]")
    found = _Found(file, isolation, builds, reader, clocks)
    for index, bot in enumerate(given or ()):
        if bot.entries is None and bot.name not in without:
            found.enter(bot, index)
        elif bot.entries is not None:
            found.enter_folders(bot, bot.entries, index, without)
    if adding is not None:
        found.replace(*adding)
    reader.check_unique("bots", given or (), "builtin")
    found.check_alike()
    entrants = found.entrants()
    if isolation == "bwrap" and not reader.problems:
        bots = [(one.table, one.spec) for one in entrants.all if one.spec is not None]
        check_folders([pair for pair in bots if not pair[1].entry], bots, os.path.abspath(file), reader)
    return entrants


class _Found:
    """Who was found so far."""

    def __init__(self, file: str, isolation: Isolation, builds: Builds, reader: Reader, clocks: Clocks) -> None:
        self._beside = os.path.dirname(file)
        self._folder = os.path.dirname(os.path.abspath(file))
        self._isolation = isolation
        self._builds = builds
        self._clocks = clocks
        self._versions = VersionStore(self._folder)
        self._settled = settled_owners(self._versions)
        self._reader = reader
        self._all: list[BotEntry] = []
        self._entries: list[Entry] = []
        self._broken: list[BrokenEntry] = []
        self._tables: list[EntryTable] = []
        self._notes: list[str] = []

    def entrants(self) -> BotEntries:
        """All of them."""
        return BotEntries(
            all=tuple(self._all),
            entries=tuple(self._entries),
            broken=tuple(self._broken),
            tables=tuple(self._tables),
            notes=tuple(self._notes),
        )

    def enter(self, given: GivenBot, index: int) -> None:
        """Take a bot that has a table of its own."""
        spec = _bot(given, ("bots", index), self._folder, self._isolation, self._reader)
        if spec is not None:
            spec = replace(spec, network=given.network, clocks=own_clocks(self._clocks, given.time))
        self._all.append(
            BotEntry(
                name=given.name or given.builtin or "",
                table=index,
                owner=given.owner or "",
                is_shipped=given.builtin is not None,
                is_exempt=not given.qualify,
                spec=spec,
            )
        )

    def enter_folders(self, given: GivenBot, pattern: str, index: int, without: frozenset[str]) -> None:
        """Take the entries of a table, but for those of these names."""
        path: KeyPath = ("bots", index)
        for key, instead in _NOT_WITH_ENTRIES.items():
            if getattr(given, key):
                self._reader.add((*path, key), f"does not go with `entries`; {instead}", at_key=True)
        for name, owner in given.owners.items():
            self._reader.check_label((*path, "owners", name), owner, LONGEST_OWNER)
        reads = _absolute(given.reads, path, self._folder, self._reader)
        table = EntryTable(
            index=index,
            pattern=pattern,
            reads=reads,
            owners=given.owners,
            is_exempt=not given.qualify,
        )
        self._tables.append(table)
        places = find_entry_folders(pattern, self._folder)
        self._notes += [
            f"{self._shown(place)} is neither a folder nor a file, and no entry" for place in places.skipped
        ]
        if not places.folders:
            text = f"finds no folder in {self._folder}; expected a folder for each entry, such as entries/NAME"
            text += "; `golfref submit` puts the first one there"
            if places.passed_over:
                text += f"; passed over: {', '.join(map(self._shown, places.passed_over[:_SHOWN]))}"
            self._reader.add((*path, "entries"), text)
        names = {os.path.basename(place) for place in places.folders}
        lost = sorted(given.owners.keys() - names) if places.folders else []
        self._notes += [f"bots[{index}].owners names `{name}`, which is not entered there" for name in lost]
        for place in places.folders:
            if os.path.basename(place) not in without:
                self._enter_folder(place, table)

    def _enter_folder(self, place: str, table: EntryTable) -> None:
        name = os.path.basename(place)
        version = self._versions.linked_version(place)
        owner = table.owners.get(name) or self._settled.get((name, version), "")
        try:
            if is_passed_over(name):
                text = f"{self._shown(place)}: a folder of such a name is no entry; give it another name"
                raise BadEntry([text])
            entry = self._read(place, version, table.allowance(self._folder, self._builds, owner=owner))
        except BadEntry as error:
            self._broken.append(BrokenEntry(name=name, folder=place, lines=error.lines))
            self._all.append(BotEntry(name=name, table=table.index, owner=owner, is_exempt=table.is_exempt))
        else:
            self._enter(table, entry)

    def _read(self, place: str, version: str, allowance: Allowance) -> Entry:
        """The entry in this place, which is a link to this version unless that is empty. Raises BadEntry.

        The link is not followed again: it may lead to another version at any moment.
        """
        shown, name = self._shown(place), os.path.basename(place)
        if not version:
            return read_entry(place, allowance, shown=shown)
        source = self._versions.folder_of(version) / SOURCE
        remedy = f"hand `{name}` in again by `golfref submit`, or bring a version back by `--restore {name}`"
        if not source.is_dir():
            raise BadEntry([line_of(f"{shown}: version {short(version)} is not in {source.parents[1]}; {remedy}")])
        changed = self._versions.changed_files(version)
        try:
            entry = read_entry(str(source), allowance, name=name, shown=shown)
        except BadEntry as error:
            if not changed:
                raise
            raise BadEntry(
                [line_of(f"{shown}: {_changed_by_hand(version, changed)}; {remedy}"), *error.lines]
            ) from None
        if entry.version != version:
            raise BadEntry([line_of(f"{shown}: {_changed_by_hand(version, changed)}; {remedy}")])
        return replace(entry, folder=place)

    def replace(self, table: EntryTable, entry: Entry) -> None:
        """Take an entry in place of the one of its name that the table has already, if it has one."""
        self._all = [one for one in self._all if (one.name, one.table) != (entry.name, table.index)]
        self._entries = [one for one in self._entries if one.name != entry.name]
        self._broken = [one for one in self._broken if one.name != entry.name]
        self._enter(table, entry)

    def _enter(self, table: EntryTable, entry: Entry) -> None:
        self._entries.append(entry)
        spec = self._versions.bot_of(entry)
        self._all.append(
            BotEntry(name=entry.name, table=table.index, owner=entry.owner, is_exempt=table.is_exempt, spec=spec)
        )

    def check_alike(self) -> None:
        """No entry goes by the name of another bot, and its owner is written in one way, so that none looks alike."""
        names: dict[str, BotEntry] = {}
        owners: dict[str, BotEntry] = {}
        for one in self._all:
            other = names.setdefault(folded(one.name), one)
            if other is not one and one.name:
                alike = f"`{one.name}` and `{other.name}` are one name"
                text = alike if one.name != other.name else f"the name `{one.name}` is taken"
                self._add_alike(one, other, "name", f"{text}; give one of them another name")
            other = owners.setdefault(folded(one.owner), one)
            if other.owner != one.owner:
                both = f"the owner `{one.owner}` of `{one.name}` and the owner `{other.owner}` of `{other.name}`"
                self._add_alike(one, other, "owner", f"{both} are one name; write it in one way")

    def _add_alike(self, one: BotEntry, other: BotEntry, key: str, text: str) -> None:
        """Note it of an entry. Bots with tables of their own may have names and owners that look alike."""
        if self._is_folder(one) or self._is_folder(other):
            first = None if other.table == one.table else ("bots", other.table)
            self._reader.add(("bots", one.table, "entries" if self._is_folder(one) else key), text, first=first)

    def _is_folder(self, one: BotEntry) -> bool:
        return any(one.table == table.index for table in self._tables)

    def _shown(self, place: str) -> str:
        """A folder as it is told: from where the config's file is named."""
        return os.path.normpath(os.path.join(self._beside, os.path.relpath(place, self._folder)))


def _changed_by_hand(version: str, changed: Sequence[str]) -> str:
    return f"somebody changed version {short(version)} after it was handed in: {', '.join(changed) or 'its files'}"


def readers(bots: Sequence[BotSpec], path: str) -> list[str]:
    """The names of the bots that could read this path from their cells."""
    return [bot.name for bot in bots if can_read(cell_of(bot), path)]


def check_owners(  # noqa: PLR0913 - all that bots of several owners may need
    entrants: Sequence[BotEntry],
    isolation: Isolation,
    rotations: Rotations | None,
    timed: Sequence[str],
    reader: Reader,
    *,
    trusted: bool,
) -> None:
    """Bots of several owners run under `bwrap`, unless the organiser says that they are `trusted`.

    Trusted or not, they have fresh cards in every match: with the same cards, one of them could carry what it saw to a
    later rotation of the deal and win it by that. And none has a network where they race each other in slap windows, in
    the `timed` games: all else on the host stands still while a bot is timed; what it reaches by the network does not.
    """
    owners = _owners(entrants)
    if len(owners) < 2:
        return
    who = f"bots of {len(owners)} owners ({', '.join(owners[:5]) + ', ...' * (len(owners) > 5)})"
    if isolation != "bwrap" and not trusted:
        text = (
            f'{who} need isolation = "bwrap", or trust = "all" if every one of them may read and change all that you '
            "can; see `golfref doctor`"
        )
        reader.add(("tournament", "isolation"), text)
    if rotations == "same":
        text = (
            f"{who} need fresh cards in every match, because a bot could carry the cards of a deal from one rotation "
            'to the next; expected "fresh" or no `rotations`, got "same"'
        )
        reader.add(("tournament", "rotations"), text)
    for one in entrants if timed else ():
        if one.spec is not None and one.spec.network:
            text = (
                f"{who} are timed in slap windows of {', '.join(timed)}, where a program elsewhere could go on for the "
                'bot while its rivals stand still; expected no `network`, or `slap_order = "lottery"` or "clockwise" '
                "in the `options` of these games"
            )
            reader.add(("bots", one.table, "network"), text)


def usual_rotations(entrants: Sequence[BotEntry]) -> Rotations:
    """The default of `rotations` (tests/benchmarks/results.txt has the measurements).

    Bots of one owner share the cards of a deal, which takes fewer matches.
    """
    return "fresh" if len(_owners(entrants)) > 1 else "same"


def _owners(entrants: Sequence[BotEntry]) -> list[str]:
    """The owners of the bots that are not shipped ones, and can be made out."""
    known = (one for one in entrants if not one.is_shipped and (one.spec is not None or one.owner))
    return sorted({one.owner or "(none)" for one in known})


def check_folders(
    bots: Sequence[tuple[int, BotSpec]], others: Sequence[tuple[int, BotSpec]], file: str, reader: Reader
) -> None:
    """A bot can read its folder, so no config, which may tell the seed, and no other owner's folder may lie in it.

    The same holds for what it is shown besides. Each bot comes with the number of its table. `file` is the config's.
    """
    inside = _by_folder_around(others)
    around_config = {*_folders_around(file)}
    for index, bot in bots:
        key: KeyPath = ("bots", index, "reads" if bot.entry else "dir")
        places = readable_places(cell_of(bot))
        if not around_config.isdisjoint(places):
            reader.add(key, _shows_config(bot.dir))
            continue
        shown = (one for place in places for one in inside.get(place, ()) if _is_strangers(one, bot))
        if (one := next(shown, None)) is not None:
            whose = f"bots[{one.table}] (`{one.bot.name}`), which has another owner"
            what = f"`{bot.name}` can read more than its folder" if bot.entry else f"this bot can read {bot.dir}"
            reader.add(key, f"{what}, and so {whose}; give each a folder of its own")


class _OwnPlace(Struct, frozen=True):
    """A folder of a bot's own."""

    table: int
    bot: BotSpec
    version: str
    """The version of which it holds the files; empty where that does not matter."""


def _by_folder_around(bots: Sequence[tuple[int, BotSpec]]) -> dict[str, list[_OwnPlace]]:
    """By each folder in which they lie, all folders of bots that are not shipped ones."""
    found: defaultdict[str, list[_OwnPlace]] = defaultdict(list)
    for table, bot in bots:
        if bot.builtin is not None:
            continue
        stored = os.path.dirname(os.path.realpath(bot.dir))
        for place in dict.fromkeys((bot.dir, bot.entry or bot.dir)):
            version = bot.version if os.path.dirname(os.path.realpath(place)) == stored else ""
            for folder in _folders_around(place):
                found[folder].append(_OwnPlace(table, bot, version))
    return found


def _folders_around(path: str) -> Iterator[str]:
    """The path itself and every folder in which it lies, links resolved."""
    place = Path(os.path.realpath(path))
    yield from map(str, (place, *place.parents))


def _is_strangers(one: _OwnPlace, bot: BotSpec) -> bool:
    """Whether a place belongs to another owner's bot, and not to the same version too, which has the same files."""
    is_same_version = bool(bot.version) and bot.version == one.version
    return bot.builtin is None and bot.owner != one.bot.owner and not is_same_version


def _shows_config(folder: str) -> str:
    return f"this bot can read {folder}, and so this config; give it a folder of its own"


def _bot(given: GivenBot, path: KeyPath, folder: str, isolation: Isolation, reader: Reader) -> BotSpec | None:
    """The bot, as far as it can be made out. What is wrong with it is noted."""
    if given.name is not None or given.builtin is None:
        reader.check_label((*path, "name"), given.name, LONGEST_NAME)
    if given.owner is not None:
        reader.check_label((*path, "owner"), given.owner, LONGEST_OWNER)
    if given.owners:
        reader.add((*path, "owners"), "goes with `entries` only", at_key=True)
    check_env(given.env, (*path, "env"), reader)
    if given.command is not None and given.builtin is not None:
        reader.add((*path, "builtin"), "a bot has either `builtin` or `command`, not both", at_key=True)
    elif given.builtin is not None:
        return _builtin(given, given.builtin, path, reader)
    elif given.command is not None:
        return _own(given, path, folder, isolation, reader)
    elif not reader.wrong((*path, "command")) and not reader.wrong((*path, "builtin")):
        reader.add(path, "expected `command`, `builtin` or `entries`")
    return None


def _builtin(given: GivenBot, name: str, path: KeyPath, reader: Reader) -> BotSpec | None:
    if given.dir is not None:
        reader.add((*path, "dir"), "goes with `command` only; a shipped bot starts in its own folder", at_key=True)
    try:
        bot = builtin_bot(name)
    except BadBot as error:
        reader.add((*path, "builtin"), str(error))
        return None
    return replace(bot, name=given.name or name, env=given.env, owner=given.owner or "")


def _own(given: GivenBot, path: KeyPath, folder: str, isolation: Isolation, reader: Reader) -> BotSpec | None:
    command = given.command or ()
    start = os.path.normpath(os.path.join(folder, given.dir or ""))
    reads = _absolute(given.reads, path, folder, reader)
    bot = BotSpec(
        name=given.name or "", command=command, dir=start, env=given.env, reads=reads, owner=given.owner or ""
    )
    if not os.path.isdir(start):
        reader.add((*path, "dir"), f"there is no folder {start}")
    elif command[0].startswith(BUILTIN):
        reader.add((*path, "command"), f'a shipped bot is named by `builtin = "{command[0].removeprefix(BUILTIN)}"`')
    elif isolation == "bwrap" and os.path.commonpath((start, folder)) == start:
        reader.add((*path, "dir"), _shows_config(start))
    elif not reader.wrong((*path, "dir")) and (problem := find_problem(bot, isolation)):
        reader.add((*path, "command"), problem)
    return bot


def _absolute(reads: Sequence[str], path: KeyPath, folder: str, reader: Reader) -> tuple[str, ...]:
    """What bots may read, as absolute paths. What is not there is noted."""
    places = tuple(os.path.normpath(os.path.join(folder, place)) for place in reads)
    for index, place in enumerate(places):
        if not os.path.exists(place):
            reader.add((*path, "reads", index), f"there is no {place}")
    return places
