"""All matches of one bot of a run, for its author, while the run goes on and after it.

A match is held back while another one with the same cards is still to be played (tournament/store/dealt_again.py):
what the bot was told of the first would tell its author the cards of the second.
"""

from collections.abc import Iterator

from msgspec import Struct

from referee.reports.bot_match import BotMatch, bot_match, run_place
from referee.rules.record import NoRecord, read_record
from referee.tournament.store.dealt_again import dealt_again
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


class OwnMatches(Struct, frozen=True, kw_only=True):
    """Which matches of a bot its author may have now."""

    ids: tuple[int, ...]
    """By their ids, in the order of commits."""
    held_back: int
    """How many wait until all matches with their cards have been played."""


def own_matches(store: Store, bot: str) -> OwnMatches:
    """Which matches of this bot can be given to its author. Raises StoreError."""
    waiting = dealt_again(store)
    rows = [row for row in store.committed() if bot in row.identity.bots and row.id <= waiting.until]
    ids = tuple(row.id for row in rows if row.id not in waiting)
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
