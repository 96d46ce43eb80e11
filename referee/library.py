"""What those who import the referee call to read what was recorded; README.md in this folder shows it at work."""

from os import PathLike, fspath

from referee.commands.recorded.records import open_match
from referee.rules import record as records
from referee.rules.game import Game
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.store.disk import StoreError


def replay(record: Record | bytes | str | PathLike[str]) -> Game:
    """Play a recorded match again by the rules, and return it as it stands at its end.

    `record` is the path of a file that `golfref match --record` wrote (`FILE:N` for line N of several, from 0), a match
    of a tournament's store as `RUN.golfref:N`, the bytes of one line of such a file, or a `Record`.

    Returns the `Game`: its `result` has totals, ranks and rounds, its `events` everything that happened, and
    `seen(seat)` what the bot of a seat was told. Answers, slap orders and chance outcomes come from the record; times
    and faults, which no rule knows, are read in the `Record` itself.

    Raises NoRecord where there is no record that this version reads, or several and none of them is named, and
    BrokenRecord where one contradicts the rules. Both are ValueErrors.

    >>> game = replay("match.jsonl")
    >>> game.result.totals, game.result.ranks
    ((81, 79), (2, 1))
    """
    if isinstance(record, bytes):
        record = read_record(record)
    elif not isinstance(record, Record):
        record = _named(fspath(record))
    return records.replay(record)


def _named(where: str) -> Record:
    """Return the record that a path names; of several games in a file one must be named, lest the first be taken."""
    try:
        opened = open_match(where)
        if opened.row is None and opened.place.number is None and opened.games > 1:
            raise NoRecord(f"{where} holds {opened.games} games; name one of them, such as {where}:0")
        return opened.record()
    except StoreError as error:
        raise NoRecord(str(error)) from None
