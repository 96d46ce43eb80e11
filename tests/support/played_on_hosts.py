"""Runs whose store tells of hosts: the matches of a run that was played here, as if two hosts had played them."""

from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from referee.rules.record import read_record
from referee.tournament.orders import played
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.store.disk import locked
from referee.tournament.store.origins import Host
from referee.tournament.store.store import Store

LAB = "Linux 6.1.0 x86_64, Python 3.11.2 (cpython)"


def host_of(store: Store, name: str) -> Host:
    """A host on which the matches of this run could have been played, since their records tell of it."""
    meta = store.meta()
    return Host(name=name, golfref=meta.golfref, protocol=meta.protocol, host=meta.host, tag="x86_64-glibc", cores=4)


def retold(run: Path, into: Path) -> Path:
    """The same run in a new store: two hosts played its matches in turns, the second with another kernel."""
    with (
        closing(Store.open(run)) as told,
        locked(into) as lock,
        closing(Store.create(into, told.meta(), lock)) as store,
    ):
        first = host_of(told, "lab1")
        ids = store.add(first), store.add(replace(first, name="lab2", host=LAB))
        for turn, (row, data) in enumerate(told.with_records()):
            record = read_record(data)
            if turn % 2 == 0:
                record = replace(record, host=LAB)
            place = row.result
            planned_match = PlannedMatch(
                number=place.number,
                variant=place.variant,
                block=place.block,
                lineup=(),
                rotation=place.rotation,
                deal=place.deal,
                deal_key=b"",
                redeals=place.redeals,
                versions_before=place.versions_before,
            )
            store.commit(played(planned_match, record), row.identity, ids[1 - turn % 2])
    return into
