"""merge: puts the shards of a run together, and says what came of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from protocol.text import printable
from referee.commands.bounded import bounded, size_of
from referee.commands.console import say
from referee.errors import DONE, GolfrefError
from referee.tournament.store.merge import MergedPart, MergedRun
from referee.tournament.store.merge import merge as merge_shards

_LONGEST_NAME = 100


def merge(
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="The stores of `tournament --shard`.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="RUN", help="The store of the whole run, a new file.")],
) -> int:
    """Put the shards of a run together, after checking that they fit.

    Example: golfref merge cup.shard-1-of-2.golfref cup.shard-2-of-2.golfref -o cup.golfref
    """
    try:
        with bounded("the shards", sum(map(size_of, shards))):
            merged = merge_shards(shards, out)
    except GolfrefError as error:
        error.args = (str(error).replace("--store FILE", "-o RUN"),)
        error.add_note("nothing was written")
        raise
    say(*_in_words(merged, out))
    return DONE


def _in_words(merged: MergedRun, out: Path) -> Iterator[str]:
    yield from map(_part_in_words, merged.parts)
    for path, fuller in merged.copies:
        what = "was given twice" if path == fuller else f"holds nothing that {fuller} does not hold"
        yield f"note: {path} {what}, and counts once"
    if merged.missing:
        named = ", ".join(map(str, merged.missing))
        yield f"note: no store was given of {'shard' if len(merged.missing) == 1 else 'shards'} {named}"
    yield f"{out}: {merged.matches} of {merged.planned} matches"
    if merged.matches < merged.planned:
        yield f"to play the others: golfref tournament CONFIG --store {out}"
    yield f"tables: golfref standings {out}; all of it checked again: golfref verify {out}"


def _part_in_words(part: MergedPart) -> str:
    where = ", ".join(printable(name, _LONGEST_NAME) for name in part.hosts)
    return f"shard {part.shard}: {part.matches} of {part.planned} matches, played on {where} ({part.path})"
