"""site: the static site of a run, made once or kept current while the run is played."""

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import say
from referee.commands.interrupt import Signals
from referee.commands.options import RunFile, refuse
from referee.commands.runs.verify import verdict_of
from referee.ending_signals import Interrupted
from referee.errors import CHECK_FAILED, DONE, CommandError
from referee.play.sandbox.low_priority import lower_priority
from referee.reports.tables.figures import duration
from referee.site.choosing import USUAL_MATCHES
from referee.site.folder import SiteRefused
from referee.tournament.store.disk import is_written_to
from referee.tournament.verify.run import check_store

if TYPE_CHECKING:
    from referee.site.building import Built, SiteBuilder
    from referee.site.content import Verified

MOST_NAMED = 10
"""How many matches that cannot be shown are named."""


class SiteOptions(Struct, frozen=True, kw_only=True):
    """What `golfref site` was asked to make."""

    run: RunFile
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR", help="The site's folder: a new one, or one to bring up to date."),
    ]
    matches: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="How many matches get pages of their own at most; default: 500.",
            show_default=False,
        ),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="Every match gets pages of its own.")] = False
    follow: Annotated[bool, typer.Option("--follow", help="Keep the site current until the run is complete.")] = False
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the run first, and print the result on the front page.")
    ] = False


def site(options: SiteOptions) -> int:
    """Make a static site of a run: standings, bots, games, and matches to step through. Any web server shows it.

    Its hall.html is for a projector.

    Example: golfref site cup.golfref -o public
    """
    signals = Signals()
    if options.every:
        refuse("--all", {"--matches": options.matches})
    if options.follow:
        refuse("--follow", {"--verify": options.verify})
    if why := problem():
        raise CommandError(why)
    begun_s = time.monotonic()
    try:
        with signals:
            check_apart(options.run, options.out)
            verified = _verified(options.run) if options.verify else None
            built = _build(options, signals.check, verified)
    except Interrupted as interrupted:
        interrupted.add_note(f"each file in {options.out} is whole; the same command goes on from there")
        raise
    say(*in_words(built, options.out, time.monotonic() - begun_s))
    return CHECK_FAILED if built.problems or (verified is not None and verified.findings) else DONE


def problem(*modules: str) -> str | None:
    """Why no site, or nothing that needs these modules, can be made here, and what to do; None where it can."""
    missing = [name for name in modules or ("jinja2", "matplotlib") if importlib.util.find_spec(name) is None]
    if not missing:
        return None
    return (
        f"this needs {' and '.join(missing)}; `{sys.executable} -m pip install {' '.join(missing)}` installs what is "
        "missing, and so does the extra `site` of golfref"
    )


def check_apart(run: Path, out: Path) -> None:
    """Raise SiteRefused where the store, which holds the key of all deals, would be published with the site."""
    if Path(os.path.realpath(run)).is_relative_to(os.path.realpath(out)):
        raise SiteRefused(
            f"{out}: the store {run} lies in this folder, and would be published with the site; name another folder"
        )


def in_words(built: "Built", out: Path, took_s: float) -> list[str]:
    """What a site holds, and how to look at it."""
    counted = "1 match" if built.matches == 1 else f"{built.matches:,} matches"
    which = "all of them" if built.with_pages == built.matches else f"{built.with_pages:,} of them"
    lines = [
        f"{out}: a site of {counted}, {which} with pages of their own; {_size(built.size_bytes)}, {duration(took_s)}"
    ]
    if built.gone:
        whose = "1 match, which" if built.gone == 1 else f"{built.gone:,} matches, which"
        lines.append(f"  the pages of {whose} had some before, are removed")
    for row in built.problems[:MOST_NAMED]:
        name = f"#{row.id}" if row.number is None else row.number
        lines.append(f"  match {name} cannot be shown: {printable(row.problem, 300)}")
    if (more := len(built.problems) - MOST_NAMED) > 0:
        lines.append(f"  and {more} more matches cannot be shown; `golfref verify` names all of them")
    front = (Path(os.path.realpath(out)) / "index.html").as_uri()
    return [*lines, f"  open {front}, or serve it: python3 -m http.server -d {out}; hall.html there is for a projector"]


def _build(options: SiteOptions, check: Callable[[], None], verified: "Verified | None") -> "Built":
    from referee.site.building import site_builder  # noqa: PLC0415 - it needs jinja2

    usual = None if options.every else USUAL_MATCHES
    most = usual if options.matches is None else options.matches
    with site_builder(options.run, options.out, most, check, verified) as builder:
        if options.follow:
            _follow(builder, options, check)
        return builder.build(is_live=False, is_played=is_written_to(options.run))


def _verified(run: Path) -> "Verified":
    """Check the run as `golfref verify` does, and say what came of it."""
    from referee.site.content import Verified  # noqa: PLC0415 - as above

    checked = check_store(run)
    verdict = verdict_of(checked)
    say(f"{run}: {verdict}")
    more = len(checked.findings) - MOST_NAMED
    rest = [f"and {more} more findings"] * (more > 0)
    return Verified(verdict=verdict, findings=(*checked.findings[:MOST_NAMED], *rest))


def _follow(builder: "SiteBuilder", options: SiteOptions, check: Callable[[], None]) -> None:
    from referee.site.live import follow  # noqa: PLC0415 - it needs jinja2

    def rest(seconds: float | None) -> bool:
        check()
        time.sleep(seconds or 0)
        return False

    say(f"{options.out} is kept current until the run is complete; Ctrl-C ends this, and the site stays as it is then")
    lower_priority()
    follow(builder, options.run, rest)


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:.0f} kB"
