"""merge: puts the shards of a run together, and says what came of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from protocol.text import printable
from referee.commands.bounded import OutOfBounds, bounded, size_of
from referee.commands.console import DONE, HOST_FAILED, USAGE, say
from referee.tournament.store.disk import StoreError, WriteFailed
from referee.tournament.store.merge import MergedPart, MergedRun, merge

_LONGEST_NAME = 100


def merge_shards(shards: Sequence[Path], out: Path) -> int:
    """Run the command and return its exit code."""
    try:
        with bounded("the shards", sum(map(size_of, shards))):
            merged = merge(shards, out)
    except OutOfBounds as error:
        say(f"golfref merge: {error}; nothing was written")
        return USAGE
    except StoreError as error:
        why = str(error).replace("--store FILE", "-o RUN")
        say(f"golfref merge: {why}; nothing was written")
        return HOST_FAILED if isinstance(error, WriteFailed) else USAGE
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
