"""publish: a run as a dated bundle that anybody can check, and for each author the matches of its own bots."""

import shlex
from pathlib import Path

from msgspec import Struct

from referee import wall_clock
from referee.commands.console import DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.interrupt import Signals
from referee.commands.site import problem
from referee.competition.publishing.bundle import HostRefused, NotPublished
from referee.competition.publishing.publish import Around, Order, Publication
from referee.competition.publishing.publish import publish as make
from referee.competition.publishing.signing import Signer
from referee.play.session import Interrupted
from referee.site.refusals import SiteNotWritten, SiteRefused
from referee.tournament.store.disk import StoreError, WriteFailed

_SHOWS = (
    "what it shows of bots: their commands, folders and variables of the config, and for each match all that they were "
    "sent and wrote, their standard error and times; see tournaments/PUBLISHING.md"
)


class PublishOptions(Struct, frozen=True, kw_only=True):
    """What `golfref publish` was asked for."""

    run: Path
    out: Path
    key: Path | None
    is_packed: bool
    site_matches: int | None


def publish(options: PublishOptions, signals: Signals) -> int:
    """Publish the run, and say what lies where. Returns the exit code."""
    try:
        with signals:
            no_site = problem()
            signer = None if options.key is None else Signer(options.key, signals.held)
            order = Order(
                run=options.run,
                out=options.out,
                site_matches=options.site_matches,
                has_site=no_site is None,
                is_packed=options.is_packed,
            )
            done = make(order, signer, Around(check=signals.check, tell=say, now=wall_clock.now_here()))
    except (NotPublished, StoreError, SiteRefused) as error:
        say(f"golfref publish: {error}")
        return HOST_FAILED if isinstance(error, HostRefused | SiteNotWritten | WriteFailed) else USAGE
    except Interrupted:
        say("golfref publish: interrupted; nothing was published")
        return INTERRUPTED
    say(*_in_words(done, no_site))
    return DONE


def _in_words(done: Publication, no_site: str | None) -> list[str]:
    info, bundle = done.info, done.places[-1]
    extent = info.extent
    counted = "1 match" if extent.matches == 1 else f"{extent.matches:,} matches"
    lines = [f"{bundle}: {counted} of {info.run}, digest {info.digest}"]
    lines += [f"{place}" for place in done.places[1:-1]]
    if not extent.is_complete:
        lines.append("  the run goes on, so that the key is not in it")
    lines += [f"  it has no site: {no_site}"] * (no_site is not None)
    signed = "no: --key FILE signs it" if done.signed is None else f"by the {done.signed.fingerprint}"
    authors = "1 part" if done.parts == 1 else f"{done.parts} parts"
    return [
        *lines,
        f"{done.places[0]}: {authors}, each for its author alone; nobody else on this machine may read them",
        f"  signed: {signed}",
        f"  {_SHOWS}",
        f"  check it: golfref verify {shlex.quote(str(bundle))}",
    ]
