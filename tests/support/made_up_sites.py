"""What sites are made from in tests: runs that are played in no process, with bots whose names are hostile."""

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from exported import made_up_run
from in_store import go_on

from referee.site.building import Matches, SiteBuilder
from referee.site.content import Content, MatchRow, Underway
from referee.site.files import stamped
from referee.site.folder import site_folder
from referee.site.pages.all_pages import pages
from referee.site.shipped import assets
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of

S = TypeVar("S", bound=msgspec.Struct)

SCRIPT, OVERRIDE = "<script>alert(1)</script>", "a\u202etxt.exe"
NAMES = (SCRIPT, "override", "Keeper", "keeper", "a/b", "أداة")
"""One of them becomes OVERRIDE, which no config takes."""

AS_OF = datetime(2026, 11, 23, 21, 10, tzinfo=UTC)

HEAD = f"""
[tournament]
name = "{SCRIPT}"
seed = "abc"
seats = 2
deals = 1
[[variants]]
preset = "six-card"
[[variants]]
preset = "cactus"
"""


def played(folder: Path, matches: int | None = None, names: Sequence[str] = NAMES) -> Path:
    """The folder with a run of which so many matches have been played, or all of them."""
    bots = [
        f'[[bots]]\nname = "{name}"\nbuiltin = "random"\nenv = {{ MODE = "{at}" }}\n' for at, name in enumerate(names)
    ]
    folder.mkdir(exist_ok=True)
    (folder / "run.toml").write_text(HEAD + "".join(bots))
    go_on(folder, matches=matches)
    return folder


def content_of(folder: Path, *, is_live: bool = False) -> Content:
    """The content of a run in which one bot has a name that no config may hold, as in a store that was changed."""
    with closing(Store.open(folder / "run.golfref")) as store:
        summary, config = _changed(summary_of(store)), _changed(store.meta().config)
    matches = tuple(
        MatchRow(
            id=result.id,
            number=result.number,
            variant=result.variant,
            bots=result.bots,
            totals=result.totals,
            ranks=result.ranks,
            faults=tuple(sum(kinds.values()) for kinds in result.faults),
            forfeited=result.forfeited,
            rounds=result.rounds,
        )
        for result in summary.results
    )
    best = {bot: tuple(row.id for row in matches if bot in row.bots)[:3] for row in matches for bot in row.bots}
    return Content(
        summary=summary,
        config=config,
        store="run.golfref",
        matches=matches,
        matches_by_id={row.id: row for row in matches},
        best=best,
        worst=best,
        is_complete=summary.key is not None,
        underway=Underway(as_of=AS_OF, is_played=is_live) if summary.key is None else None,
        is_live=is_live,
        assets={name: file.path for name, file in assets().items()},
    )


def written(content: Content, folder: Path) -> Path:
    """The folder with the pages of a site, their assets and its pulse."""
    stamps = {}
    for file in [*assets().values(), *pages(content)]:
        page, stamps[file.path] = stamped(file)
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_bytes(page.data)
    pulse(folder, stamps, is_live=content.is_live)
    return folder


def built(folder: Path) -> None:
    """The run of two games with real records, and its site with the pages of all matches: `run.golfref` and `site`."""
    run = made_up_run(folder, ["cactus", "par-course"], names=("ann", SCRIPT, "eve"))
    with closing(Store.open(run)) as store:
        meta = store.meta()
    with site_folder(folder / "site", meta.config.name, meta.commitment) as site:
        SiteBuilder(run, site, Matches(), lambda: None).build(is_live=False)


def pulse(folder: Path, stamps: dict[str, str], *, is_live: bool) -> None:
    """Write the script that tells pages what they are now."""
    told = json.dumps({"live": is_live, "pages": stamps})
    (folder / "pulse.js").write_text(f"golfref.pulse({told});\n")


def _changed(data: S) -> S:
    text = msgspec.json.encode(data).replace(b'"override"', msgspec.json.encode(OVERRIDE))
    return msgspec.json.decode(text, type=type(data))
