"""export-bot: all matches of one bot of a run as a file for its author, without what others were told."""

import gzip
from contextlib import closing, nullcontext
from pathlib import Path

import msgspec

from protocol.text import printable
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.records import check_bot_of_run, place_of
from referee.ending_signals import interruptible
from referee.new_file import HostRefused, NotWritten, new_file
from referee.reports.own_matches import own_matches, told
from referee.rules.record import BrokenRecord, NoRecord
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


def export_bot(run: Path, bot: str, out: Path, *, replaces: bool) -> int:
    """Write the bot's matches, a line each, and say how many there are."""
    try:
        if not place_of(str(run)).is_store:
            raise NoRecord(f"{run} is not the store of a run, which is the file that `golfref tournament` writes")
        with interruptible(), closing(Store.open(run)) as store:
            check_bot_of_run(store, bot)
            found = own_matches(store, bot)
            if found:
                _write(store, bot, found, out, replaces=replaces)
            say(_in_words(bot, len(found), out))
    except (NoRecord, NotWritten, StoreError) as error:
        say(f"golfref export-bot: {error}")
        return HOST_FAILED if isinstance(error, HostRefused) else USAGE
    except (BrokenRecord, msgspec.MsgspecError, ValueError) as error:
        say(f"golfref export-bot: {run}: a record does not replay: {error}; `golfref verify {run}` says which")
        return CHECK_FAILED
    except KeyboardInterrupt:
        say("golfref export-bot: interrupted; nothing was written")
        return INTERRUPTED
    return DONE if found else CHECK_FAILED


def _write(store: Store, bot: str, found: tuple[int, ...], out: Path, *, replaces: bool) -> None:
    """Write the file, packed where its name ends with .gz. Raises NotWritten."""
    is_packed = out.suffix == ".gz"
    with new_file(out, replaces=replaces) as file, gzip.open(file, "wb") if is_packed else nullcontext(file) as lines:
        for match in told(store, bot, found):
            lines.write(msgspec.json.encode(match) + b"\n")


def _in_words(bot: str, count: int, out: Path) -> str:
    name = printable(bot, 100)
    if not count:
        return f"golfref export-bot: {name} has played no match so far; nothing was written"
    matches = "1 match" if count == 1 else f"{count} matches"
    return f"{matches} of {name} in {out}"
