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

from referee.site.asset_files import assets
from referee.site.building import site_builder
from referee.site.content import Content, MatchRow, Underway
from referee.site.pages.all_pages import pages
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
        version=str(len(matches)) if is_live else "",
        assets={name: file.path for name, file in assets().items()},
    )


def written(content: Content, folder: Path) -> Path:
    """The folder with the pages of a site, their assets and its status."""
    for file in [*assets().values(), *pages(content)]:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_bytes(file.data)
    status(folder, content.version, is_live=bool(content.version))
    return folder


def built(folder: Path) -> None:
    """The run of two games with real records, and its site with the pages of all matches: `run.golfref` and `site`."""
    run = made_up_run(folder, ["cactus", "par-course"], names=("ann", SCRIPT, "eve"))
    with site_builder(run, folder / "site") as builder:
        builder.build(is_live=False)


def status(folder: Path, version: str, *, is_live: bool) -> None:
    """Write the script with the version of the pages."""
    data = json.dumps({"live": is_live, "version": version})
    (folder / "status.js").write_text(f"golfref.status({data});\n")


def _changed(data: S) -> S:
    text = msgspec.json.encode(data).replace(b'"override"', msgspec.json.encode(OVERRIDE))
    return msgspec.json.decode(text, type=type(data))
