"""The parts of the authors: for each owner all matches of its bots, what was wrong in them, and what its builds said.

A part holds nothing of other owners but what the public bundle tells of them too.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from heapq import heappush, heappushpop
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from protocol.text import harmless, printable
from referee.competition.publishing.bundle import MATCHES, PART, README, BundleInfo, NotPublished, PartInfo, file_names
from referee.competition.publishing.folders import FOLDER_MODE, NewBundle
from referee.competition.publishing.rows import packed
from referee.competition.publishing.shelved import kept_texts
from referee.competition.publishing.words import commands_for, part_readme
from referee.reports.blame import FaultLog, explain
from referee.reports.bot_match import BotMatch, bot_matches, run_place
from referee.reports.bot_results import MOST_SHOWN, OwnResult, own_result
from referee.reports.one_bot import one_bot, one_bot_report
from referee.reports.own_matches import bots_of_run
from referee.reports.tables.ratings import rating_figure
from referee.reports.tables.rows import APART
from referee.reports.whole import standings_of_summary
from referee.rules.record import BrokenRecord, NoRecord, Record, read_record
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, summary_of
from referee.versions.version import short

WIDTH = 100
MOST_EXPLAINED = 20
"""Of how many matches of a bot it is told where it was at fault, and how."""

MOST_OPEN = 200
"""How many files of matches are written at a time."""


class Author(Struct, frozen=True, kw_only=True):
    """Whose part it is."""

    owner: str
    """Empty where the bot has no owner."""
    folder: str
    bots: dict[str, str]
    """By bot how the names of its files begin."""

    @property
    def title(self) -> str:
        """The owner, or the bot where it has none."""
        return self.owner or next(iter(self.bots))


class _Gathered:
    """What is told of one bot, gathered match by match."""

    def __init__(self) -> None:
        self.matches = 0
        self.versions: dict[str, None] = {}
        """All versions that played, in order."""
        self.faults = FaultLog("match", "matches")
        self.explained: list[str] = []
        """Lines about faults and late slaps in the first matches that had any."""
        self._explained = 0
        self._worst: list[tuple[bool, float, int, int, OwnResult]] = []
        """A heap, of which the least bad match is the first."""

    @property
    def has_more_faults(self) -> bool:
        """Whether there are more matches with faults or late slaps than it is told of."""
        return self._explained > MOST_EXPLAINED

    @property
    def worst(self) -> Iterator[OwnResult]:
        """Its worst matches, the worst first."""
        return (own for *_, own in sorted(self._worst, reverse=True))

    def add(self, bot: str, row: CommittedMatch, seat: int, record: Record) -> None:
        """Take in a match that the author may know. Raises BrokenRecord."""
        self.matches += 1
        self.versions[row.identity.versions[seat]] = None
        if row.number is not None:
            self.faults.note(row.number, [bot], [row.result.faults[seat]])
            own = own_result(row.result, seat)
            one = (own.forfeited, -own.beaten, own.behind, -own.match, own)
            (heappush if len(self._worst) < MOST_SHOWN else heappushpop)(self._worst, one)
        if row.result.faults[seat] or row.result.late_slaps[seat]:
            self._explained += 1
            if self.has_more_faults:
                return
            name = f"match #{row.id} (out of the standings)" if row.number is None else f"match {row.number}"
            self.explained += explain(record, seat, name)


def authors_of(store: Store) -> list[Author]:
    """All owners of bots that play in the run or have played in it, and the bots that have none. Raises StoreError."""
    owners = dict.fromkeys(bots_of_run(store), "")
    for facts in store.configs():
        owners |= {bot.name: bot.owner for bot in facts.bots}
    named = {owner for owner in owners.values() if owner}
    bots: dict[tuple[str, str], list[str]] = {}
    """By title and owner."""
    for bot, owner in sorted(owners.items()):
        title = owner or bot
        while not owner and (title in named or (title, "") in bots):
            title += " (bot)"
        bots.setdefault((title, owner), []).append(bot)
    folders = file_names(title for title, _ in bots)
    return [
        Author(owner=owner, folder=folders[title], bots=file_names(theirs)) for (title, owner), theirs in bots.items()
    ]


def write_parts(bundle: NewBundle, store: Store, info: BundleInfo, run: Path) -> list[Path]:
    """Write the parts of all authors; returns their folders. `run` is the store of the run, beside that of versions.

    Raises NotPublished where a record does not replay, and StoreError.
    """
    authors = authors_of(store)
    places: dict[str, Path] = {}
    for author in authors:
        place = bundle.authors / author.folder
        place.mkdir()
        place.chmod(FOLDER_MODE)
        places |= {bot: place / begin for bot, begin in author.bots.items()}
    gathered = {bot: _Gathered() for bot in places}
    for some in _batched(places, MOST_OPEN):
        _write_matches(bundle, store, {bot: (places[bot], gathered[bot]) for bot in some})
    summary = summary_of(store, with_results=False)
    for author in authors:
        place = bundle.authors / author.folder
        part = PartInfo(
            run=info.run,
            owner=author.owner,
            bots=author.bots,
            commitment=info.commitment,
            digest=info.digest,
            made=info.made,
        )
        bundle.write(place / PART, [msgspec.json.format(msgspec.json.encode(part), indent=2), b"\n"])
        bundle.write(place / README, [part_readme(part, {bot: gathered[bot].matches for bot in author.bots}).encode()])
        for bot, begin in author.bots.items():
            bundle.write(place / f"{begin}.txt", [_bot_text(bot, begin, gathered[bot], info, summary).encode()])
            for version in gathered[bot].versions:
                for name, text in kept_texts(run, bot, version).items():
                    bundle.write(place / f"{begin}.{short(version)}.{name}", [text])
    return [bundle.authors / author.folder for author in authors]


def _write_matches(bundle: NewBundle, store: Store, bots: Mapping[str, tuple[Path, _Gathered]]) -> None:
    """Write the matches of these bots as `golfref export-bot` does, and gather what else is told of them."""
    run = store.meta().facts.name
    with ExitStack() as opened:
        files: dict[str, BinaryIO] = {}
        for row, data in store.with_records():
            bundle.check()
            seats = {bot: seat for seat, bot in enumerate(row.identity.bots) if bot in bots}
            try:
                record = read_record(data)
                for bot, match in zip(seats, _matches(record, run, row, seats), strict=True):
                    if bot not in files:
                        path = bots[bot][0].with_name(bots[bot][0].name + MATCHES)
                        files[bot] = opened.enter_context(packed(opened.enter_context(bundle.file(path))))
                    files[bot].write(msgspec.json.encode(match) + b"\n")
                    bots[bot][1].add(bot, row, seats[bot], record)
            except (NoRecord, BrokenRecord, msgspec.MsgspecError, LookupError, ValueError) as error:
                what = f"the record of match #{row.id} does not replay: {error}"
                raise NotPublished(f"{store.path}: {what}; `golfref verify` says more") from None


def _matches(record: Record, run: str, row: CommittedMatch, seats: Mapping[str, int]) -> Iterator[BotMatch]:
    return bot_matches(record, {seat: run_place(run, row, seat) for seat in seats.values()})


def _bot_text(bot: str, begin: str, gathered: _Gathered, info: BundleInfo, summary: RunSummary) -> str:
    """What is told of a bot to its author."""
    name = printable(bot, 100)
    lines = [f"{name} in {printable(info.run, 200)}, as of {info.made.when}", ""]
    lines += [f"version {short(version)}" for version in gathered.versions]
    lines.append(f"{gathered.matches} matches are in {begin}{MATCHES}")
    own = one_bot(bot, standings_of_summary(summary), [*gathered.worst])
    more = [rating_figure(summary.ratings)] if summary.ratings else []
    figures = None if summary.order == "means" else [*more, *APART]
    for piece in one_bot_report(own, WIDTH, len(summary.standings), figures):
        lines += ["", piece]
    if gathered.explained:
        some = f" in the first {MOST_EXPLAINED} of such matches" * gathered.has_more_faults
        lines += ["", f"What was wrong{some}", ""]
        lines += [f"{name}: {words}"] if (words := gathered.faults.in_words(bot)) else []
        lines += gathered.explained
    if gathered.matches:
        example = next((own.match for own in gathered.worst), 0)
        lines += ["", *commands_for(f"{begin}{MATCHES}", example)]
    return "".join(f"{harmless(line)}\n" for text in lines for line in text.split("\n"))


def _batched(names: Iterable[str], size: int) -> Iterator[list[str]]:
    """The names, so many at a time."""
    left = iter(names)
    while some := list(islice(left, size)):
        yield some
