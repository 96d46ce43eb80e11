"""All matches of one bot of a run, for its author, while the run goes on and after it.

A new version of the bot meets other cards, so nothing of them is held back.
"""

from collections.abc import Iterator

from referee.reports.bot_match import BotMatch, bot_match, run_place
from referee.rules.record import NoRecord, read_record
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


def own_matches(store: Store, bot: str) -> tuple[int, ...]:
    """The matches of this bot so far, by their ids, in the order of commits. Raises StoreError."""
    return tuple(row.id for row in store.matches() if bot in row.identity.bots)


def told(store: Store, bot: str, ids: tuple[int, ...]) -> Iterator[BotMatch]:
    """These matches as the bot knows them. Raises StoreError, and what a record raises that does not replay."""
    run = store.meta().config.name
    for id_ in ids:
        row = store.match(id_)
        try:
            record = read_record(store.record(id_))
        except NoRecord as error:
            raise StoreError(f"{store.path}: the record of match #{id_} is damaged ({error})") from None
        seat = row.identity.bots.index(bot)
        yield bot_match(record, seat, run_place(run, row, seat))


def bots_of_run(store: Store) -> list[str]:
    """The bots that play in the run or have played in it, by name."""
    played = {bot for _, bots in store.tables() for bot in bots}
    return sorted(played | {bot.name for bot in store.meta().config.bots})
