"""publish: a run as a dated bundle that anybody can check."""

import shlex
from pathlib import Path

from msgspec import Struct

from referee import wall_clock
from referee.bundle.make import Bundle, Callbacks, HostRefused, NotPublished, Order, make_bundle
from referee.bundle.sign import BadKey
from referee.commands.console import DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.interrupt import Signals
from referee.commands.site import problem
from referee.play.session import Interrupted
from referee.site.refusals import SiteNotWritten, SiteRefused
from referee.tournament.store.disk import StoreError, WriteFailed

_COMPLETE = (
    "  it shows of bots: their commands, folders and variables of the config, and for each match everything that they "
    "were sent and wrote, their standard error and times; see tournaments/PUBLISHING.md"
)
_IN_PROGRESS = "  the run goes on, so its store is not in the bundle: it has the standings, hashes.txt and the site"


class PublishOptions(Struct, frozen=True, kw_only=True):
    """The options of `golfref publish`."""

    run: Path
    out: Path
    key: Path | None
    is_packed: bool
    site_matches: int | None


def publish(options: PublishOptions, signals: Signals) -> int:
    """Publish the run, and print where the bundle lies. Returns the exit code."""
    try:
        with signals:
            if options.is_packed:
                raise NotPublished("--tar is no option any more: `tar czf NAME.tar.gz NAME` packs a bundle")
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
    except (NotPublished, BadKey, StoreError, SiteRefused) as error:
        say(f"golfref publish: {error}")
        return HOST_FAILED if isinstance(error, HostRefused | SiteNotWritten | WriteFailed) else USAGE
    except Interrupted:
        say("golfref publish: interrupted; nothing was published")
        return INTERRUPTED
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
