"""What those who import the referee call beside the rules themselves: scoring by hand, and what was recorded.

`referee/__init__.py` offers these functions; README.md in this folder shows them at work.
"""

from os import PathLike, fspath

from referee.commands.records import lines_of, load_record, place_of
from referee.rules import record as records
from referee.rules.book.variant import Variant
from referee.rules.book.variants import preset
from referee.rules.game import Game
from referee.rules.record import NoRecord, Record, read_record
from referee.rules.scoring.by_hand import Scores, score_grids
from referee.tournament.store.disk import StoreError


def score(variant: Variant | str, *layouts: str, ender: int | None = None) -> Scores:
    """The scores of layouts that somebody wrote down, one for each seat from 0; lower is better (GEN-11).

    A layout is text (RULES.md section 1): rows from the far one to the near one, `/` between them, cards such as `10H`,
    `(7H)` for a card that lies face down, which counts all the same, and `--` for an empty slot. `variant` is a name
    that `preset` knows, or what `preset` or `customised` gave. `ender` is the seat that knocked or ended the round.

    Returns `Scores`, in points by seat: `raw` by the values and cancelling of the game (SCO, CAC-40, POW-27, TDK-15,
    PAR-21), and `scores`, to which a moon (SCO-13) and what ending the round costs or earns (KNK, CAC-41) are applied.

    Raises UnknownVariant for a name that is no game, and BadGrid for text that is no layout, for a shape or a card that
    the game does not have, and for an `ender` without a layout. Both are ValueErrors.

    >>> score("six-card", "KS 5H 9D / KD AC 9S")  # 5 + A; kings and nines cancel in their columns (SCO-03)
    Scores(raw=(6,), scores=(6,))
    >>> from referee import customised
    >>> score(customised("four-card", {"knock_penalty": "add:10"}), "9S 4D / 9C KH", "KS KD / AC AH", ender=0)
    Scores(raw=(4, 2), scores=(14, 2))
    """
    return score_grids(preset(variant) if isinstance(variant, str) else variant, layouts, ender)


def replay(record: Record | bytes | str | PathLike[str]) -> Game:
    """The match that a record tells, played again by the rules to its end.

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
    """The record that a path names; a program that meant one game of several would not see that it got the first."""
    place = place_of(where)
    if not place.is_store and place.number is None and (count := len(lines_of(place.path))) > 1:
        raise NoRecord(f"{where} holds {count} games; name one of them, such as {where}:0")
    try:
        return load_record(where)
    except StoreError as error:
        raise NoRecord(str(error)) from None
