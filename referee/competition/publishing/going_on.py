"""Checking the bundle of a run that goes on: its key is secret, so that neither its plan nor its deals can be followed.

What can be checked without the key is: that the rows and records are those of the published hashes, that each match
replays, on the terms of the config of its time where that is told, and that the results are those of the records.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec.structs import replace

from protocol.text import printable
from referee.competition.publishing.bundle import HASHES, INFO, RESULTS, BundleInfo
from referee.competition.publishing.reading import Broken, BundleFolder
from referee.competition.publishing.rows import HELD_BACK
from referee.competition.publishing.stored import MOST_HASH_LINE, StoredRow, stored_rows
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.config.run_config import RunConfig
from referee.tournament.orders import result_of
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.results import NOT_PLANNED, Result
from referee.tournament.store.journal import BEFORE_FIRST, chained
from referee.tournament.store.rows import Amended, Begin, CommittedMatch
from referee.tournament.store.store import committed_match
from referee.tournament.verify.compare import differences
from referee.tournament.verify.match import check_terms
from referee.tournament.verify.published import Comparison, Published
from referee.tournament.verify.replay import check_record
from referee.tournament.verify.run import Checked

CONFIGS = ("begin", "amendment")
"""The kinds of rows that say which config holds from then on."""


class GoingOn:
    """A bundle of a run that goes on, while it is checked."""

    def __init__(self, folder: BundleFolder, info: BundleInfo, summary: dict[str, Any]) -> None:
        """`summary` is what its standings.json holds."""
        self._folder, self._info, self._summary = folder, info, summary
        self._facts: RunConfig | None = None
        """The config as of the row that is looked at. None where it is held back, for its seed would tell the key."""
        self._held: Counter[str] = Counter()
        """How many rows are held back, by kind."""
        self._rows: Counter[str] = Counter()
        self._places: set[int] = set()
        """The numbers in the plan that matches have."""
        self.matches = 0
        """How many matches were replayed."""

    def findings(self) -> Iterator[str]:
        """All that is wrong, one text for each finding. Raises Broken where nothing more can be read."""
        results = self._results()
        digest = BEFORE_FIRST
        for one in stored_rows(self._folder):
            digest = chained(digest, *one.line.split(" ")[1:])
            yield from self._look_at(one)
            if one.kind == "match" and one.body is not None:
                self.matches += 1
                yield from (f"{one.name}: {text}" for text in self._match(one, results))
        if digest != self._info.digest:
            yield f"{HASHES}: the hashes do not come to the digest in {INFO}"
        yield from self._compare(results)

    def checked(self, findings: tuple[str, ...], earlier: Comparison) -> Checked:
        """What came of it, after all findings."""
        extent, held = self._info.extent, self._held
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        left_out = {
            "its plan, deals and seeds, which follow from the key": 1,
            "its config, whose seed would tell the key": sum(held[kind] for kind in HELD_BACK),
            "the tables, texts and pages about the run": 1,
        }
        return Checked(
            findings=findings,
            compared=(f"{matches} replayed", "rows and records are those of the hashes", *earlier.same),
            unchecked=(*(text for text, count in left_out.items() if count), *earlier.uncovered),
            missing=max(0, extent.planned - extent.matches),
            planned=extent.planned,
            goes_on=True,
        )

    def _look_at(self, one: StoredRow) -> Iterator[str]:
        """Look at a row against its hash, and at what the run is by it."""
        self._rows[one.kind] += 1
        self._held[one.kind] += one.is_held_back
        if one.problem:
            yield f"{one.name}: {one.problem}"
        elif one.is_held_back and one.kind not in HELD_BACK:
            yield f"{one.name}: its row is missing"
        if one.kind in CONFIGS:
            self._facts = one.row.config if isinstance(one.row, Begin | Amended) else None
        if isinstance(one.row, Begin) and one.row.commitment != self._info.commitment:
            yield f"{INFO}: `commitment` is not that of the run"

    def _match(self, one: StoredRow, results: dict[int, Result]) -> Iterator[str]:
        """What is wrong with a match that is there."""
        published = results.pop(one.id, None)
        try:
            number, block = (None, None) if published is None else (published.number, published.block)
            match = committed_match(one.id, number, block, one.body or b"")
            record = read_record(one.record or b"")
        except (NoRecord, msgspec.MsgspecError, RecursionError, TypeError, ValueError) as error:
            yield f"it cannot be read ({error})"
            return
        try:
            yield from self._check(match, record, published)
        except Exception as error:  # a fault of ours must not end the check of the other matches, nor pass as theirs
            yield f"golfref failed to check it, which is a fault of golfref ({type(error).__name__}: {error})"

    def _check(self, match: CommittedMatch, record: Record, published: Result | None) -> Iterator[str]:
        where = match.identity
        if (tuple(seat.name for seat in record.seats), record.name) != (where.bots, where.variant):
            yield "the bots and the game of its record are not those of its row"
        fixture = PlannedMatch(
            number=match.result.number,
            variant=where.variant,
            block=match.result.block,
            lineup=(),
            rotation=where.rotation,
            deal=where.deal,
            deal_key=b"",
            redeals=match.result.redeals,
            versions_before=match.result.versions_before,
        )
        result = replace(result_of(fixture, record), commit=match.id)
        if result != match.result:
            yield "the result that the standings use is not the record's"
        if published is not None:
            if published.number in self._places or published.number == NOT_PLANNED:
                yield f"its number in the plan, {published.number}, is that of another match"
            self._places.add(published.number)
            if published != result:
                yield f"its result is not the one in {RESULTS}"
        facts = self._facts
        if facts is not None:
            yield from check_terms(facts, where, record)
        yield from check_record(record)

    def _results(self) -> dict[int, Result]:
        """By id the results that standings.json tells. Raises Broken."""
        try:
            results = msgspec.convert(self._summary["results"], list[Result])
        except (msgspec.MsgspecError, LookupError) as error:
            raise Broken(f"{RESULTS}: expected results as `standings --json` prints them ({error})") from None
        return {result.commit: result for result in results}

    def _compare(self, left: dict[int, Result]) -> Iterator[str]:
        """What the bundle says of itself, against its rows; `left` are the results of matches that are not there."""
        extent, rows = self._info.extent, self._rows
        if extent.is_complete:
            yield f"{INFO}: it says that the run is complete, but it does not tell the key"
        counts = {
            "matches": (extent.matches + extent.out_of_standings, rows["match"]),
            "voids": (extent.voids, rows["void"]),
        }
        for name, (told, there) in counts.items():
            if told != there:
                yield f"{INFO}: `{name}` says {told}, and there are {there}"
        if left:
            yield f"{RESULTS}: it has results of {len(left)} matches that the run does not have"
        for name in ("commitment", "digest"):
            if self._summary.get(name) != getattr(self._info, name):
                yield f"{RESULTS}: `{name}` is not the one in {INFO}"


def compare_earlier(folder: BundleFolder, published: Published, summary: dict[str, Any]) -> Comparison:
    """Compare the bundle with what was published of the run before, as `compare_published` does with a store."""
    findings: list[str] = []
    same: list[str] = []
    lines = [line.decode(errors="replace").rstrip("\n") for line in _hash_lines(folder)]
    if published.digest:
        digest, ends = BEFORE_FIRST, {}
        for place, line in enumerate(lines, 1):
            digest = chained(digest, *[*line.split(" "), "", ""][1:3])
            ends[digest] = place
        count = ends.get(published.digest)
        if count is None:
            findings.append(f"the digest is not the published one: {digest}")
        else:
            same.append(_of_then("the digest is that", lines[:count]))
    if published.hashes is not None:
        then = published.hashes
        wrong = [line for line, here in zip_longest(then, lines[: len(then)]) if line != here]
        findings += (f"{printable(str(line), 100)}: it is not there, but was published" for line in wrong)
        if not wrong:
            same.append(_of_then("the hashes are those", then))
    if published.summary is not None:
        findings += differences(published.summary, summary, ("published", "in the bundle"))
        same += ["the results are the published ones"] * (not findings)
    return Comparison(findings=tuple(findings), same=tuple(same))


def _hash_lines(folder: BundleFolder) -> Iterator[bytes]:
    with folder.open(HASHES) as hashes:
        yield from iter(lambda: hashes.readline(MOST_HASH_LINE), b"")


def _of_then(what: str, lines: Sequence[str]) -> str:
    count = sum(" match " in line for line in lines)
    return f"{what} of the run when {count} matches had been committed"
