"""Checking a record again: deals, the replay of every move, slap windows, scores, and what passed on the wire.

Nothing here trusts a stored outcome. What is wrong is told in words. Every stored fact is compared with another one
from which it must follow: the deals with the key, the moves with the rules, each answer with the line that the bot
wrote, and the whole conversation, with its events, clocks and faults, with the hash of what was sent.

What a bot said of itself stands in its `ready` line, as far as that is kept; the counts of its lines follow from them;
a fault that forfeits is that of its answer.

A record alone cannot prove that nobody has made all of it anew. And a few facts follow from nothing else in it:

- times of answers, where they change no time left that bots are told (to the millisecond), and uncharged times;
- times of slaps that change no order, the wait for a core in them, and why a measurement is in doubt;
- what a bot wrote to standard error, what it computed outside its turns, and by how much it just missed a slap window;
- lines beyond those that are kept, the line where a fault happened, and, where both places agree, the words about the
  fault that forfeits;
- names, owners, commands, host, isolation, limits and control groups. In a run all of these but the last are held
  against the config and the history (`terms.py`, `course.py`).

In a run, the hash of the record covers each of them, and the digest of the run covers the hashes. What was sent can be
compared only where a version of golfref played that sends the same bytes as this one; `unchecked` names the rest.
"""

from collections.abc import Iterator, Mapping

import msgspec

from protocol import VERSION
from protocol.actions import Slap
from protocol.text import printable
from referee.play.talk.retell import other_version
from referee.rules.book.changes import BadOptions
from referee.rules.book.variant import Variant
from referee.rules.book.variants import UnknownVariant, restored
from referee.rules.chance import BadDeck, Chance, Keyed, Recorder, Stacked
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Window
from referee.rules.record import BrokenRecord, GivenSlaps, Reaction, Record, walk
from referee.tournament.verify.compare import LONGEST_SHOWN
from referee.tournament.verify.conversation import ConversationCheck

ROUNDED_US = 0.11
"""Slap times are kept to a tenth of a microsecond."""


def check_record(record: Record) -> Iterator[str]:
    """What is wrong with a record, one text for each finding; nothing when all of it holds.

    The match is played again with the chance outcomes that the deal key gives, not with those of the record. What was
    sent is compared only where this version of golfref played the match.
    """
    try:
        variant = restored(record.preset, record.options)
        chance = Recorder(_chance(record, variant))
        conversation = ConversationCheck(record)
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
                yield from _check_window(record, game, move, chance)
            yield from conversation.step(game, move)
    except BrokenRecord as error:
        yield str(error)
        return
    if tuple(chance.rounds) != record.rounds:
        yield "a shuffle during play is not the one that the deal key gives"
    if game is not None and game.result != record.result:
        yield f"the match ends {game.result.totals}, ranks {game.result.ranks}; the record claims otherwise"
    if game is not None:
        yield from conversation.end(game)


def unchecked(played: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """What of matches cannot be checked, by how many of them each version of golfref and of the protocol played."""
    for (golfref, protocol), count in sorted(played.items()):
        if other_version(golfref, protocol) is not None:
            matches = "1 match" if count == 1 else f"{count} matches"
            spoken = "" if protocol == VERSION else f" by protocol {printable(protocol, LONGEST_SHOWN)}"
            yield f"what was sent in {matches} that golfref {printable(golfref, LONGEST_SHOWN)} played{spoken}"


def _check_window(record: Record, game: Game, move: GivenSlaps, chance: Chance) -> Iterator[str]:
    """What is wrong with a window (CAC-25): the order of asking, the lots of the key, the outcome of times and lots."""
    where = f"round {move.round}, window {move.window}"
    window, table = game.question, game.table
    if not isinstance(window, Window) or (table.round, window.number) != (move.round, move.window):
        yield f"{where}: no such window is open here"
        return
    timed = table.options.slap_order == "reaction"
    order = chance.asking(move.round, move.window) if timed else range(table.seats)
    at_fault = {reaction.seat for reaction in move.reactions if reaction.fault is not None}
    due = [seat for seat in order if record.seats[seat].wants_slaps and seat not in table.forfeited - at_fault]
    if list(move.asked) != due or [reaction.seat for reaction in move.reactions] != due:
        yield f"{where}: seats {move.asked} are asked, in this order; it should be {tuple(due)}"
    if move.lots != chance.lots(move.round, move.window):
        yield f"{where}: the lots are not those that the deal key gives"
    slaps = {reaction.seat: Slap(target=reaction.target) for reaction in move.reactions if reaction.target is not None}
    times = {reaction.seat: reaction.corrected_us or 0.0 for reaction in move.reactions}
    outcome = order_slaps(table.options, window, slaps, times, move.lots)
    if tuple(slap.seat for slap in outcome.slaps) != move.order:
        yield f"{where}: the order does not follow from the times and the lots"
    yield from (
        f"{where}, seat {one.seat}: its times contradict each other"
        for one in move.reactions
        if _contradicts_itself(one)
    )


def _contradicts_itself(reaction: Reaction) -> bool:
    """Whether the corrected time cannot come from the raw one and the wait for a core."""
    raw, wait, corrected = reaction.raw_us, reaction.wait_us, reaction.corrected_us
    if raw is None or corrected is None:
        return False
    return not raw - (wait or 0.0) - ROUNDED_US <= corrected <= raw + ROUNDED_US


def _chance(record: Record, variant: Variant) -> Chance:
    """The chance outcomes that the key gives; a given deck can only be taken as it is."""
    key, seats = bytes.fromhex(record.deal_key), len(record.seats)
    if record.stacked:
        return Stacked(key, variant, seats, [outcomes.deck for outcomes in record.rounds])
    return Keyed(key, variant, seats)
