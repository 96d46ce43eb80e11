"""hosts: which machines played a run on a cluster, what each was like, and whether they differ."""

from contextlib import closing
from pathlib import Path

import msgspec

from protocol.text import printable
from referee.commands.console import DONE, USAGE, put, put_json, put_words, say, screen_width
from referee.reports.host_figures import hosts_of, lines_of
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

LONGEST_LINE = 2000


def hosts(run: Path, *, as_json: bool) -> int:
    """Print what a run tells of its hosts. Returns the exit code."""
    try:
        with closing(Store.open(run)) as store:
            store.hold()
            found = hosts_of(store)
    except StoreError as error:
        say(f"golfref hosts: {error}")
        return USAGE
    if as_json:
        put_json(msgspec.json.encode(found))
        return DONE
    *table, verdict = lines_of(found, screen_width())
    put(*(printable(line, LONGEST_LINE) for line in table))
    put_words(printable(verdict, LONGEST_LINE))
    return DONE
