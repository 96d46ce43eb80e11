"""All matches of one bot of a run, for its author, while the run goes on and after it.

A match is held back while another one with the same cards is still to be played: what the bot was told of the first
would tell its author the cards of the second. The cards follow from the variant, the names of the bots and the deal,
and where each rotation has cards of its own from the rotation too; so a match that is out of the standings waits as
well, where another version of a bot is to play it again.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from referee.reports.bot_match import BotMatch, bot_match, run_place
from referee.rules.record import NoRecord, read_record
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import plan_now
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

Cards = tuple[str, frozenset[str], int, tuple[str, ...]]
"""What the cards of a match follow from: variant, names and deal; and the seats, where each rotation has its own."""


class OwnMatches(Struct, frozen=True, kw_only=True):
    """Which matches of a bot its author may have now."""

    ids: tuple[int, ...]
    """By their ids, in the order of commits."""
    held_back: int
    """How many wait until all matches with their cards have been played."""


def own_matches(store: Store, bot: str) -> OwnMatches:
    """Which matches of this bot can be given to its author. Raises StoreError."""
    meta = store.meta()
    plan = plan_now(store)
    is_shared = meta.facts.rotations == "same"
    rows = [row for row in store.committed() if bot in row.identity.bots]
    there = Counter(_cards(row, is_shared=is_shared) for row in rows if row.number is not None)

    def is_open(row: CommittedMatch) -> bool:
        where = row.identity
        if not plan.has_table(where.variant, where.bots, where.deal):
            return False  # nobody plays it any more
        return there[_cards(row, is_shared=is_shared)] < (len(where.bots) if is_shared else 1)

    ids = tuple(row.id for row in rows if not is_open(row))
    return OwnMatches(ids=ids, held_back=len(rows) - len(ids))


def told(store: Store, bot: str, ids: tuple[int, ...]) -> Iterator[BotMatch]:
    """These matches as the bot knows them. Raises StoreError, and what a record raises that does not replay."""
    run = store.meta().facts.name
    for id_ in ids:
        row = store.match(id_)
        try:
            record = read_record(store.record_of(id_))
        except NoRecord as error:
            raise StoreError(f"{store.path}: the record of match #{id_} is damaged ({error})") from None
        seat = row.identity.bots.index(bot)
        yield bot_match(record, seat, run_place(run, row, seat))


def bots_of_run(store: Store) -> list[str]:
    """The bots that play in the run or have played in it, by name."""
    played = {bot for _, bots in store.tables() for bot in bots}
    return sorted(played | {bot.name for bot in store.meta().facts.bots})


def _cards(row: CommittedMatch, *, is_shared: bool) -> Cards:
    where = row.identity
    return where.variant, frozenset(where.bots), where.deal, () if is_shared else where.bots
