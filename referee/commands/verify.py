"""verify: whether a record, or a whole run, can be believed."""

from collections.abc import Sequence
from pathlib import Path

from referee.bundle.sign import BadKey, read_public_keys
from referee.bundle.verify import NoBundle, verify_bundle
from referee.commands.bounded import OutOfBounds, bounded, size_of
from referee.commands.console import CHECK_FAILED, DONE, INTERRUPTED, NOT_ALL_CHECKED, USAGE, put, say
from referee.commands.records import Place, decode, lines_of, load_record, place_of
from referee.ending_signals import interruptible
from referee.rules.record import NoRecord, Record
from referee.tournament.store.disk import StoreError
from referee.tournament.verify.published import NOTHING, BadPublished, Published, read_published
from referee.tournament.verify.replay import check_record
from referee.tournament.verify.run import VerifyReport, check_store

_IN_ITSELF = (
    "note: the run was checked in itself. Whoever can write to a store can make all of it anew: only --digest and "
    "--results tell whether it is the run that was published"
)


def verify(where: str, digest: str | None, results: Path | None, signer: Path | None = None) -> int:
    """Check a record, all records of a file, a bundle, or a whole run.

    A run is also compared with what was published of it, and the signature of a bundle with the key of its signer.

    Each finding is printed on a line of its own, and the verdict on the last line.
    """
    try:
        published = read_published(digest, results)
        with bounded(where, size_of(Path(where))):
            if Path(where).is_dir():
                checked = _checked_bundle(Path(where), published, signer)
            elif signer is not None:
                raise NoRecord(f"{where}: --signer needs a bundle; name its folder")
            else:
                checked = _checked(where, published)
    except OutOfBounds as error:
        say(f"golfref: {error}")
        return USAGE
    except (NoRecord, BadPublished, BadKey, NoBundle, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    except KeyboardInterrupt:
        say("golfref verify: interrupted; nothing was found out")
        return INTERRUPTED
    put(*checked.notes, *checked.findings, f"{where}: {verdict_of(checked)}")
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


def _checked_bundle(folder: Path, published: Published, signer: Path | None) -> VerifyReport:
    keys = None if signer is None else read_public_keys(signer)
    with interruptible():
        return verify_bundle(folder, keys, published)


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
    record = load_record(where)
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
