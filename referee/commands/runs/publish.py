"""publish: a run as a dated bundle that anybody can check."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from referee import wall_clock
from referee.bundle.make import Bundle, Callbacks, Order, make_bundle
from referee.commands.console import say
from referee.commands.interrupt import Signals
from referee.commands.options import RunFile
from referee.commands.runs.site import problem
from referee.ending_signals import Interrupted
from referee.errors import DONE

_COMPLETE = (
    "  it shows of bots: their commands, folders and variables of the config, and for each match everything that they "
    "were sent and wrote, their standard error and times; see tournaments/PUBLISHING.md"
)
_IN_PROGRESS = "  the run goes on, so its store is not in the bundle: it has the standings, hashes.txt and the site"


class PublishOptions(Struct, frozen=True, kw_only=True):
    """The options of `golfref publish`."""

    run: RunFile
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder into which the bundle goes; it may be new.")
    ]
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A private key of ssh with which ssh-keygen signs it.")
    ] = None
    site_matches: Annotated[
        int | None,
        typer.Option("--matches", metavar="N", min=0, help="How many matches have pages on its site at most."),
    ] = None


def publish(options: PublishOptions) -> int:
    """Publish a run: a dated folder with its store, tables, site and sums, which `golfref verify` checks anywhere.

    Example: golfref publish cup.golfref -o prize --key cup_key
    """
    signals = Signals()
    try:
        with signals:
            no_site = problem()
            order = Order(
                run=options.run,
                out=options.out,
                key=options.key,
                site_matches=options.site_matches,
                has_site=no_site is None,
            )
            callbacks = Callbacks(check=signals.check, held=signals.held, log=say, now=wall_clock.now_here())
            bundle = make_bundle(order, callbacks)
    except Interrupted as interrupted:
        interrupted.add_note("nothing was published")
        raise
    say(*_in_words(bundle, no_site))
    return DONE


def _in_words(bundle: Bundle, no_site: str | None) -> list[str]:
    counted = "1 match" if bundle.matches == 1 else f"{bundle.matches:,} matches"
    signed = "no: --key FILE signs it" if bundle.fingerprint is None else f"by the {bundle.fingerprint}"
    return [
        f"{bundle.path}: {counted} of {bundle.run}, digest {bundle.digest}",
        *[f"  it has no site: {no_site}"] * (no_site is not None),
        f"  signed: {signed}",
        _COMPLETE if bundle.is_complete else _IN_PROGRESS,
        f"  check it: golfref verify {shlex.quote(str(bundle.path))}",
    ]
