"""verify: whether a record, or a whole run, can be believed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.bundle.sign import read_public_keys
from referee.bundle.verify import verify_bundle
from referee.commands.bounded import bounded, size_of
from referee.commands.console import put, say
from referee.commands.recorded.records import Place, decode, lines_of, open_match, place_of
from referee.errors import CHECK_FAILED, DONE, NOT_ALL_CHECKED
from referee.rules.record import NoRecord, Record
from referee.tournament.verify.published import NOTHING, Published, read_published
from referee.tournament.verify.replay import check_record
from referee.tournament.verify.run import VerifyReport, check_store

_IN_ITSELF = (
    "note: the run was checked in itself. Whoever can write to a store can make all of it anew: only --digest and "
    "--results tell whether it is the run that was published"
)


def verify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RUN|RECORD|BUNDLE",
            help="A run's store, a match of it as RUN:17, a record file, a game of it as FILE:1, or a bundle.",
        ),
    ],
    digest: Annotated[
        str | None,
        typer.Option(metavar="HEX|FILE", help="The run's published digest, or hashes as `standings --hashes` prints."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Published results, as `standings --json` prints them.")
    ] = None,
    signer: Annotated[
        Path | None, typer.Option(metavar="FILE.pub", help="The public key of whoever must have signed the bundle.")
    ] = None,
) -> int:
    """Check every deal, answer and score of a run or of records again, and what passed between referee and bots.

    Each finding is printed on a line of its own, and the verdict on the last line.
    Example: golfref verify cup.golfref
    """
    published = read_published(digest, results)
    try:
        with bounded(what, size_of(Path(what))):
            if Path(what).is_dir():
                keys = None if signer is None else read_public_keys(signer)
                checked = verify_bundle(Path(what), keys, published)
            elif signer is not None:
                raise NoRecord(f"{what}: --signer needs a bundle; name its folder")
            else:
                checked = _checked(what, published)
    except KeyboardInterrupt as interrupted:
        interrupted.add_note("nothing was found out")
        raise
    put(*checked.notes, *checked.findings, f"{what}: {verdict_of(checked)}")
    if checked.findings or checked.missing or checked.goes_on:
        return CHECK_FAILED
    return NOT_ALL_CHECKED if checked.unchecked else DONE


def verdict_of(checked: VerifyReport) -> str:
    """The verdict on a record or a run in one line, with what was compared."""
    compared = "; ".join(checked.compared)
    missing = f"{checked.missing} of {checked.planned} matches have no result yet"
    unchecked = f"; not checked: {', and '.join(checked.unchecked)}" * bool(checked.unchecked)
    if checked.findings:
        count = len(checked.findings)
        return f"{count} finding{'s' * (count > 1)}" + f"; {missing}" * (checked.missing > 0)
    if checked.missing or checked.goes_on:
        if not checked.missing:
            missing = "what is played next has not been drawn"
        return f"not finished: {missing}; what is there holds: {compared}{unchecked}"
    if checked.unchecked:
        return f"what could be checked holds: {compared}{unchecked}"
    return f"all holds: {compared}"


def _checked(where: str, published: Published) -> VerifyReport:
    if where.endswith(".tar.gz"):
        raise NoRecord(f"{where}: an archive; unpack it by `tar xzf`, and verify the folder")
    place = place_of(where)
    if place.is_store and place.number is None:
        return _checked_run(place, published)
    if published != NOTHING:
        raise NoRecord(f"{where}: --digest and --results are of a whole run; name its store")
    if place.number is None and len(lines := lines_of(place.path)) > 1:
        return _checked_file(place.path, lines)
    record = open_match(where).record()
    return VerifyReport(
        findings=tuple(check_record(record)),
        compared=("1 match replayed",),
    )


def _checked_run(place: Place, published: Published) -> VerifyReport:
    checked = check_store(place.path, published)
    if published == NOTHING and not checked.findings:
        say(_IN_ITSELF)
    return checked


def _checked_file(path: Path, lines: Sequence[bytes]) -> VerifyReport:
    """Check every record of a file with several; raises NoRecord where no line is a record."""
    records: list[Record] = []
    findings: list[str] = []
    for number, line in enumerate(lines):
        where = f"{path}:{number}"
        try:
            records.append(decode(where, line))
        except NoRecord as problem:
            findings.append(str(problem))
        else:
            findings += (f"{where}: {finding}" for finding in check_record(records[-1]))
    if not records:
        raise NoRecord(findings[0])
    return VerifyReport(
        findings=tuple(findings),
        compared=(f"{len(records)} matches replayed",),
    )
