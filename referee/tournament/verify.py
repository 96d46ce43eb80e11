"""Checking again everything that a result claims: key -> deals, record -> replay -> scores, records -> run.

Nothing here trusts a stored outcome; what is wrong is told in words, match by match.
"""

from collections.abc import Iterator
from hashlib import sha256

import msgspec

from protocol.actions import Slap
from referee.rules.asks import Window
from referee.rules.chance import BadDeck, Chance, Keyed, Recorder, Stacked
from referee.rules.game import Game
from referee.rules.options import BadOptions
from referee.rules.record import BrokenRecord, GivenSlaps, Record, walk
from referee.rules.slaps import order_slaps
from referee.rules.streams import bot_seed
from referee.rules.variants import UnknownVariant, Variant, restored
from referee.tournament.keys import commitment
from referee.tournament.run import result_of
from referee.tournament.schedule import Entry, Fixture, Plan
from referee.tournament.store import Meta, Store, StoreError


def check_record(record: Record) -> Iterator[str]:
    """What is wrong with a record, one text for each finding; nothing when all of it holds.

    The match is played again with the chance outcomes that the deal key gives, not with those of the record.
    """
    try:
        variant = restored(record.preset, record.options)
        chance = Recorder(_chance(record, variant))
    except (UnknownVariant, BadOptions, BadDeck, msgspec.ValidationError, ValueError) as error:
        yield f"it cannot be set up: {error}"
        return
    decks = [chance.deck(number) for number in range(1, len(record.rounds) + 1)]
    wrong = [number for number, deck in enumerate(decks, 1) if deck != record.rounds[number - 1].deck]
    if wrong:
        yield from (f"round {number}: the deck is not the one that the deal key gives" for number in wrong)
        return
    chance.rounds.clear()
    game = None
    try:
        for game, move in walk(record, chance):
            if isinstance(move, GivenSlaps):
                yield from _check_window(game, move, chance)
    except BrokenRecord as error:
        yield str(error)
        return
    if tuple(chance.rounds) != record.rounds:
        yield "a shuffle during play is not the one that the deal key gives"
    if game is not None and game.result != record.result:
        yield f"the match ends {game.result.totals}, ranks {game.result.ranks}; the record claims otherwise"


def _check_window(game: Game, move: GivenSlaps, chance: Chance) -> Iterator[str]:
    """CAC-25: were the lots those of the key, and does the order follow from lots and times?"""
    where = f"round {move.round}, window {move.window}"
    window = game.question
    if not isinstance(window, Window) or (game.table.round, window.number) != (move.round, move.window):
        yield f"{where}: no such window is open here"
        return
    if move.lots != chance.lots(move.round, move.window):
        yield f"{where}: the lots are not those that the deal key gives"
    slaps = {reaction.seat: Slap(target=reaction.target) for reaction in move.reactions if reaction.target is not None}
    times = {reaction.seat: reaction.corrected_us or 0.0 for reaction in move.reactions}
    order = order_slaps(game.table.options, window, slaps, times, move.lots)
    if tuple(slap.seat for slap in order.slaps) != move.order:
        yield f"{where}: the order does not follow from the times and the lots"


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


def _chance(record: Record, variant: Variant) -> Chance:
    """The chance outcomes that the key gives; a given deck can only be taken as it is."""
    key, seats = bytes.fromhex(record.deal_key), len(record.seats)
    if record.stacked:
        return Stacked(key, variant, seats, [outcomes.deck for outcomes in record.rounds])
    return Keyed(key, variant, seats)
