"""The words in which people are shown what happened to a run. They are made from the rows, and never read back."""

from bisect import bisect
from collections.abc import Iterable, Iterator

from msgspec import Struct

from referee.tournament.config.differences import config_differences
from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.origins import Host, Origin
from referee.tournament.store.rows import (
    Amended,
    BotChanged,
    HostLeftOut,
    HostLost,
    KeptOut,
    Merged,
    ShardBegins,
)
from referee.tournament.store.store import Store
from referee.versions.version import short

SHOWN = (Amended, Origin, BotChanged, KeptOut, HostLeftOut, HostLost, ShardBegins, Merged)
"""The kinds of rows that the history of a run shows. Matches, voids, rounds and hosts have tables of their own."""


class HistoryEvent(Struct, frozen=True, kw_only=True):
    """Something that happened to a run besides its matches."""

    id: int
    """The id of its row."""
    after: int
    """How many matches had been committed before it."""
    lines: tuple[str, ...]


def history_of(store: Store) -> Iterator[HistoryEvent]:
    """What happened to a run besides its matches, in order. Raises StoreError."""
    config, ids = store.begin().config, store.ids()
    for id_, row in store.rows(*SHOWN):
        yield HistoryEvent(id=id_, after=bisect(ids, id_), lines=tuple(in_words(row, config)))
        if isinstance(row, Amended):
            config = row.config


def in_words(row: Struct, config: RunConfig | None = None) -> Iterable[str]:  # noqa: PLR0911 - a sentence for each kind
    """What a row says, in lines for people. `config` is the one that the run had before it."""
    match row:
        case Amended():
            return ["the config was amended"] if config is None else config_differences(config, row.config).changes
        case Host():
            return [f"host `{row.name}` joined: {row.origin.in_words}"]
        case Origin():
            return [f"played from here on by {row.in_words}"]
        case BotChanged():
            versions = f"version {short(row.before)} -> {short(row.after)}"
            since = "its results since then may be those of two programs"
            return [f"bot `{row.bot}` changed while matches were played ({versions}): {since}"]
        case KeptOut():
            return [f"bot `{row.bot}` (version {row.version}) is kept out by `qualify`: {row.reason}"]
        case HostLeftOut():
            return [f"host `{row.host}` is left out: {row.reason}"]
        case HostLost():
            return [f"host `{row.host}` has left the cluster, or was lost"]
        case ShardBegins():
            return [f"what follows was played as shard {row.shard}, by {row.begin.origin.in_words}"]
        case Merged():
            return ["what follows was played after the shards had been put together"]
        case _:
            return []


def drawn_in_words(drawn: Round | End) -> str:
    """What was drawn, in a line for people."""
    return f"next round: {drawn.title}" if isinstance(drawn, Round) else f"no more rounds: {drawn.reason}"
