"""Checking the bundle of a run that goes on: its key is secret, so that neither its plan nor its deals can be followed.

What can be checked without the key is: that the rows and records are those of the published hashes, that each match
replays, on the terms of the config of its time where that is told, and that the results are those of the records.
"""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from protocol.text import printable
from referee.competition.publishing.bundle import HASHES, INFO, RESULTS, BundleInfo
from referee.competition.publishing.reading import Broken, BundleFolder
from referee.competition.publishing.stored import MOST_HASH_LINE, StoredRow, stored_rows
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.config.run_config import RunConfig
from referee.tournament.orders import result_of
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.results import Result
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import committed_match
from referee.tournament.verify.compare import differences
from referee.tournament.verify.match import check_terms
from referee.tournament.verify.published import Comparison, Published
from referee.tournament.verify.replay import check_record
from referee.tournament.verify.run import Checked


class GoingOn:
    """A bundle of a run that goes on, while it is checked."""

    def __init__(self, folder: BundleFolder, info: BundleInfo, summary: dict[str, Any]) -> None:
        """`summary` is what its standings.json holds."""
        self._folder, self._info, self._summary = folder, info, summary
        self._facts: RunConfig | None = None
        """The config of now. None where it is held back, since the seed in it would tell the key."""
        self._former: list[tuple[int, RunConfig]] = []
        """Each config of before, with how many matches had been committed when it was amended."""
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
        yield from self._look_through()
        for one in stored_rows(self._folder):
            if one.kind == "match" and one.row is not None:
                self.matches += 1
                yield from (f"{one.name}: {text}" for text in self._match(one, results))
        yield from self._compare(results)

    def checked(self, findings: tuple[str, ...], earlier: Comparison) -> Checked:
        """What came of it, after all findings."""
        extent, held = self._info.extent, self._held
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        left_out = {
            "its plan, deals and seeds, which follow from the key": 1,
            "its config, whose seed would tell the key": held["run"],
            f"{held['event']} amendments, which tell the config of before": held["event"],
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

    def _look_through(self) -> Iterator[str]:
        """Look at the rows of what the run is and was, and at each row against its hash."""
        digest = sha256()
        with self._folder.open(HASHES) as hashes:
            while line := hashes.readline(MOST_HASH_LINE):
                digest.update(line)
        if digest.hexdigest() != self._info.digest:
            yield f"{HASHES}: its SHA-256 is not the digest in {INFO}"
        for one in stored_rows(self._folder, with_records=False):
            self._rows[one.kind] += 1
            self._held[one.kind] += one.is_held_back
            if one.problem:
                yield f"{one.name}: {one.problem}"
            elif one.is_held_back and one.kind != "event" and one.name != "run facts":
                yield f"{one.name}: its row is missing"
            elif one.row is not None and one.kind in ("run", "event"):
                yield from self._look_at(one, one.row)

    def _look_at(self, one: StoredRow, row: dict[str, Any]) -> Iterator[str]:
        try:
            if one.name == "run facts":
                self._facts = msgspec.json.decode(row["value"], type=RunConfig)
            elif one.name == "run commitment" and row["value"] != f'"{self._info.commitment}"':
                yield f"{INFO}: `commitment` is not that of the run"
            elif one.kind == "event" and row["facts"] is not None:
                self._former.append((int(row["after"]), msgspec.json.decode(row["facts"], type=RunConfig)))
        except (msgspec.MsgspecError, RecursionError, LookupError, TypeError, ValueError) as error:
            yield f"{one.name}: it cannot be read ({error})"

    def _match(self, one: StoredRow, results: dict[int, Result]) -> Iterator[str]:
        """What is wrong with a match that is there."""
        try:
            match = committed_match(one.row or {})
            record = read_record(one.record or b"")
        except (NoRecord, msgspec.MsgspecError, RecursionError, LookupError, TypeError, ValueError) as error:
            yield f"it cannot be read ({error})"
            return
        try:
            yield from self._check(match, record, results.pop(match.id, None))
        except Exception as error:  # a fault of ours must not end the check of the other matches, nor pass as theirs
            yield f"golfref failed to check it, which is a fault of golfref ({type(error).__name__}: {error})"

    def _check(self, match: CommittedMatch, record: Record, told: Result | None) -> Iterator[str]:
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
        result = result_of(fixture, record)
        if result != match.result:
            yield "the result that the standings use is not the record's"
        if match.number is not None and (match.number != match.result.number or match.number in self._places):
            yield f"its number in the plan, {match.number}, is that of another match"
        self._places.add(-1 if match.number is None else match.number)
        if match.number is not None and told != msgspec.structs.replace(result, commit=match.id):
            yield f"its result is not the one in {RESULTS}"
        facts = next((facts for after, facts in self._former if match.id <= after), self._facts)
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
        digest = sha256()
        ends = {}
        for place, line in enumerate(lines, 1):
            digest.update(f"{line}\n".encode())
            ends[digest.hexdigest()] = place
        count = ends.get(published.digest)
        if count is None:
            findings.append(f"the digest is not the published one: {digest.hexdigest()}")
        else:
            same.append(_of_then("the digest is that", lines[:count]))
    if published.hashes is not None:
        here = dict(line.rsplit(" ", 1) for line in lines if " " in line)
        then = published.hashes
        wrong = [name for name in then if here.get(name) != then[name]]
        findings += (f"{printable(name, 100)}: it is not the published one (hash)" for name in wrong)
        if not wrong and list(here)[: len(then)] != list(then):
            findings.append(f"{HASHES}: the rows stand in another order than was published")
        elif not wrong:
            same.append(_of_then("the hashes are those", [*then]))
    if published.summary is not None:
        findings += differences(published.summary, summary, ("published", "in the bundle"))
        same += ["the results are the published ones"] * (not findings)
    return Comparison(findings=tuple(findings), same=tuple(same))


def _hash_lines(folder: BundleFolder) -> Iterator[bytes]:
    with folder.open(HASHES) as hashes:
        yield from iter(lambda: hashes.readline(MOST_HASH_LINE), b"")


def _of_then(what: str, lines: list[str]) -> str:
    count = sum(line.startswith("match ") for line in lines)
    return f"{what} of the run when {count} matches had been committed"
