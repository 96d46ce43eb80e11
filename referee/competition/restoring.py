"""An older version of an entry is brought back, as it was built then."""

from pathlib import Path

from msgspec.structs import replace

from referee.competition.history import Refused, Submission, lines, new_id, now, told, versions_of
from referee.competition.placing import check_place, put_in_place
from referee.competition.roster import read_roster
from referee.play.sandbox.problems import find_problem
from referee.versions.bot_toml import BadEntry, read_entry
from referee.versions.store import SOURCE, VersionStore
from referee.versions.version import short


def restore(name: str, asked: str, config: Path, *, replaces: bool = False) -> Submission:
    """Put an older version of an entry in place; `asked` is how its version begins, or empty for the one before.

    `replaces` says whether a folder that was put there by hand may give way. Nothing is built and nothing is run.
    Whoever calls this has the right to change entries. Raises ConfigError, Refused where there is no such
    version, or it cannot play, and OSError; then nothing has changed.
    """
    roster = read_roster(config)
    versions = VersionStore(roster.config.folder)
    history = lines(versions)
    before = roster.entry(name)
    place = roster.place(name)
    current = versions.linked_version(place) if before is None else before.version
    version = _chosen(name, asked, versions_of(history, name), current)
    check_place(place, replaces=replaces)
    try:
        allowance = roster.table_for(name).allowance(roster.config.folder, roster.config.builds)
        entry = read_entry(
            str(versions.folder_of(version) / SOURCE), allowance, name=name, shown=f"version {short(version)}"
        )
    except BadEntry as error:
        raise Refused(f"version {short(version)} of `{name}` is no entry any more", lines=error.lines) from None
    if entry.version != version:
        raise Refused(
            f"version {short(version)} of `{name}` is not as it was when it was handed in; submit its files again"
        )
    spec = versions.bot_of(entry)
    if problem := find_problem(spec, roster.config.isolation):
        raise Refused(f"version {short(version)} of `{name}` cannot play: {problem}; submit its files again")
    if other := roster.taken_by(name):
        raise Refused(f"the name `{name}` is taken: there is {other}; rename or remove one of them")
    owner = roster.owner(name, history) or ""
    roster.with_entry(replace(entry, owner=owner))
    moment = now()
    line = Submission(
        id=new_id(history, moment), time=told(moment), entry=name, owner=owner, version=version, outcome="restored"
    )
    put_in_place(versions, place, line, before)
    return line


def _chosen(name: str, asked: str, known: list[str], current: str) -> str:
    """The version that is meant. Raises Refused."""
    others = [version for version in known if version != current]
    some = ", ".join(short(version) for version in known[-10:])
    if not known:
        raise Refused(f"there is no version of `{name}` that was in place; `golfref submit CONFIG --list` shows all")
    if not asked:
        if not others:
            raise Refused(f"there is no other version of `{name}`")
        return others[-1]
    found = [version for version in known if version.startswith(asked.lower())]
    if not found:
        raise Refused(f"there is no version `{asked}` of `{name}` that was in place; there are {some}")
    if len(found) > 1:
        raise Refused(f"{len(found)} versions of `{name}` begin with `{asked}`: {some}; write more of it")
    if found[0] == current:
        raise Refused(f"version {short(current)} of `{name}` is in place already")
    return found[0]
