"""compare: says which of two bots of a run is better and how sure that is, or the same of all neighbours by rank."""

from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import put, put_json, screen_width
from referee.commands.options import Game, Json, RunFile
from referee.commands.recorded.records import check_bot_of_run, open_run
from referee.errors import DONE, CommandError
from referee.reports.comparison import Compared, neighbours, two_bots
from referee.tournament.figures.compare import NOT_RANKED, Comparison
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import extent_of
from referee.tournament.store.store import Store
from referee.tournament.summary import chances_in, tally_in


class CompareOptions(Struct, frozen=True, kw_only=True):
    """What `golfref compare` was asked to do."""

    run: RunFile
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="[A B]", help="Two bots; default: every bot and the next by rank."),
    ] = None
    variant: Game = None
    as_json: Json = False


def compare(options: CompareOptions) -> int:
    """Print which of two bots of a run is better, how sure that is, and what would settle it.

    If all bots met the same opponents, also in which games.

    Example: golfref compare cup.golfref ann bea
    """
    bots = options.bots or []
    if len(bots) not in {0, 2} or len(set(bots)) < len(bots):
        raise CommandError("expected the names of two different bots, or none")
    with open_run(options.run) as store:
        for bot in bots:
            check_bot_of_run(store, bot)
        compared = _compared(store, options)
    if options.as_json:
        put_json(msgspec.json.encode(compared))
    else:
        screen = two_bots if bots else neighbours
        put("\n\n".join(screen(compared, screen_width())))
    return DONE


def _compared(store: Store, options: CompareOptions) -> Compared:
    """The two bots, or all neighbours. Raises StoreError where there is nothing to compare."""
    config, extent = store.meta().config, extent_of(store)
    bots = None if not options.bots else (options.bots[0], options.bots[1])
    rated = chances_in(store, bots, options.variant)
    pairs, ranked = ((), len(config.ranked or config.bots)) if rated is not None else _by_means(store, options)
    if rated == () and config.ranked and not set(options.bots or ()) <= set(config.ranked):
        raise StoreError(printable(f"{store.path}: {NOT_RANKED}", 3000))
    if not pairs and not rated:
        raise StoreError(printable(f"{store.path}: no two bots can be compared yet", 3000))
    return Compared(
        name=config.name,
        variant=options.variant,
        format=config.only_format,
        rank_by=config.rank_by,
        is_over=extent.has_ended and len(store.numbers()) >= extent.planned,
        holds_while_watched=config.stop is not None and config.stop.when is not None,
        ranked=ranked,
        pairs=pairs,
        rated=rated or (),
    )


def _by_means(store: Store, options: CompareOptions) -> tuple[tuple[Comparison, ...], int]:
    """The comparisons by means, and how many bots can be compared."""
    comparer = tally_in(store, options.variant).comparer(store.meta().config.rank_by)
    pairs = [comparer.compare(*options.bots)] if options.bots else comparer.neighbours()
    return tuple(pairs), len(comparer.comparable()[1])
