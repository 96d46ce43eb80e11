"""Checking a whole run again: the commitment, the plan, every record and its row, and what is missing.

Nothing here trusts a stored outcome; what is wrong is told in words, match by match.
"""

from collections.abc import Iterator
from hashlib import sha256

import msgspec

from referee.rules.record import Record
from referee.rules.streams import bot_seed
from referee.tournament.keys import commitment
from referee.tournament.recheck import check_record
from referee.tournament.run import result_of
from referee.tournament.schedule import Entry, Fixture, Plan
from referee.tournament.store import Meta, Store, StoreError


def check_run(store: Store) -> Iterator[str]:
    """What is wrong with a run: commitment, plan, every record and its row, and what is missing."""
    meta = store.meta()
    key = bytes.fromhex(meta.master_key)
    if commitment(key) != meta.commitment:
        yield "the master key does not match the commitment"
    plan = plan_of(meta, key)
    results = {result.number: result for result in store.results()}
    for number, stored_hash in store.hashes():
        where = f"match {number}"
        try:
            data = store.record(number)
            record = msgspec.json.decode(data, type=Record)
            fixture = plan[number]
        except (StoreError, msgspec.MsgspecError, IndexError) as error:
            yield f"{where}: {error}"
            continue
        if sha256(data).hexdigest() != stored_hash:
            yield f"{where}: the record is not the one that was committed (hash)"
        yield from (f"{where}: {finding}" for finding in _check_fixture(meta, fixture, record))
        yield from (f"{where}: {finding}" for finding in check_record(record))
        if result_of(fixture, record) != results[number]:
            yield f"{where}: the result that the standings use is not the record's"
    missing = len(plan) - len(results)
    if missing:
        yield f"{missing} of {len(plan)} matches have no result yet"


def plan_of(meta: Meta, key: bytes) -> Plan:
    """The plan that a stored config and a key make."""
    facts = meta.facts
    return Plan(
        master_key=key,
        bots=[bot["name"] for bot in facts["bots"]],
        entries=[Entry(variant=entry["name"], seats=entry["seats"]) for entry in facts["variants"]],
        deals=facts["deals"],
        lineups=facts["lineups"],
    )


def _check_fixture(meta: Meta, fixture: Fixture, record: Record) -> Iterator[str]:
    """Does the record tell the match that the plan has under this number?"""
    names = [meta.facts["bots"][bot]["name"] for bot in fixture.lineup]
    if record.deal_key != fixture.deal_key.hex():
        yield "the deal key is not the one that the master key gives"
    if record.stacked:
        yield "the deck was given, not dealt from the key"
    if [seat.name for seat in record.seats] != names:
        yield f"played by {', '.join(seat.name for seat in record.seats)}; the plan has {', '.join(names)}"
    if record.name != fixture.variant:
        yield f"played as {record.name}; the plan has {fixture.variant}"
    seeds = [bot_seed(fixture.deal_key, fixture.rotation, seat) for seat in range(len(names))]
    if [seat.seed for seat in record.seats] != seeds:
        yield "the bots' seeds are not those that the deal key gives"
