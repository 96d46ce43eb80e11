"""Makes the site of a run: gathers its content, chooses the matches that get pages, and makes the pages.

A page is written after the pages to which it links, and a page of an earlier build is removed last.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.events.time_left import time_left
from referee.highlights.highlight import Highlight
from referee.reports.verdict import is_over
from referee.rules.record import BrokenRecord, NoRecord, read_record
from referee.site.asset_files import assets, code_hash
from referee.site.cards import Layout, layouts_at
from referee.site.choosing import USUAL_MATCHES, Choice, chosen, finals
from referee.site.content import Content, MatchRow, Underway, Verified
from referee.site.files import File, hash_of
from referee.site.folder import SiteFolder, site_folder
from referee.site.gathering import Gathering, standings_by_game
from referee.site.match_page import AboutMatch, Place, match_files
from referee.site.pages.all_pages import pages
from referee.site.pages.frame import LINKS, Site
from referee.site.pages.highlights import BEST
from referee.site.pages.problem import problem_page
from referee.site.pictures import pictures
from referee.tournament.store.disk import StoreError, changed_at, forecast_of
from referee.tournament.store.rows import CommittedMatch, Meta
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of

STATUS = "status.js"
"""The file by which open pages see whether they are out of date."""


class Built(Struct, frozen=True, kw_only=True):
    """What a build has made."""

    matches: int
    """How many matches have been committed."""
    with_pages: int
    """How many of them have pages."""
    gone: int = 0
    """How many matches had pages that they have no more."""
    problems: tuple[MatchRow, ...]
    """The matches that cannot be shown because something is wrong with their records."""
    size_bytes: int
    """What the whole site takes."""
    is_complete: bool
    """Whether nothing of the run is left to be played."""


class SiteBuilder:
    """Builds the site of a run once, or again and again; then only what came since is read and made."""

    def __init__(
        self,
        path: Path,
        folder: SiteFolder,
        most: int | None,
        check: Callable[[], None],
        verified: Verified | None = None,
    ) -> None:
        """The site of the run of this store, with pages of so many matches at most; None is all.

        `check` is called often, and may raise what ends a build. The front page shows what `verified` says.
        """
        self._verified = verified
        self._path, self._folder, self._most, self._check = path, folder, most, check
        self._gathering: Gathering | None = None
        self._amendments = 0
        self._layouts: dict[tuple[int, str], tuple[Layout, ...]] = {}
        """By the id of a match and a moment the cards then."""
        self._version = ""
        """The version of the pages of the last build."""

    def build(self, *, is_live: bool, is_played: bool | None = None) -> Built:
        """Bring the site up to date. Raises StoreError, SiteRefused, and what `check` raises.

        Pages say of a run that has not ended whether it `is_played`, and as of when. With None they say neither, and
        follow from the content of the store alone.
        """
        changed_s = changed_at(self._path)
        version = f"{changed_s}" if is_live else ""
        with closing(Store.open(self._path)) as store:
            gathered = self._gathered(store, store.meta())
            summary = summary_of(store, with_results=False)
            self._folder.begin()
            for file in assets().values():
                self._put(file)
            content = Content(
                summary=summary,
                config=store.meta().config,
                store=self._path.name,
                verified=self._verified,
                game_standings=standings_by_game(store),
                best=gathered.extremes.best(),
                worst=gathered.extremes.worst(),
                highlights=gathered.highlights(),
                recent_highlights=gathered.recent_highlights(),
                layouts=dict(self._layouts_at(store, [*gathered.recent_highlights(), *gathered.highlights()[:BEST]])),
                left=time_left(forecast_of(self._path)) if is_played else "",
                game_highlights={game: gathered.highlights(game) for game in gathered.games},
                times=gathered.charts.times,
                faults=gathered.faults(),
                plots=pictures(summary, gathered.charts, self._put),
                is_complete=summary.key is not None,
                underway=None
                if is_played is None or is_over(summary)
                else Underway(as_of=datetime.fromtimestamp(changed_s, UTC), is_played=is_played),
                version=version,
                assets={name: file.path for name, file in assets().items()},
            )
            content = _with_rows(content, self._rows(content, gathered))
            before = {*self._folder.made_from}
            content = self._with_matches(store, content)
        for page in pages(content):
            self._put(page)
        with_pages = {str(row.id) for row in content.matches if row.href}
        for id_ in before - with_pages:
            del self._folder.made_from[id_]
        self._put(_status(version, is_live=is_live))
        self._version = version
        return Built(
            matches=len(content.matches),
            with_pages=len(with_pages),
            gone=len(before - with_pages),
            problems=tuple(row for row in content.matches if row.problem),
            size_bytes=self._folder.finish(),
            is_complete=content.is_complete,
        )

    def mark_interrupted(self) -> None:
        """Note in the status that no build will follow soon: open pages stop looking for one."""
        if self._version:
            self._folder.put(_status(self._version, is_live=False))

    def _put(self, file: File) -> None:
        self._check()
        self._folder.put(file)

    def _gathered(self, store: Store, meta: Meta) -> Gathering:
        """What has been gathered until now. After an amendment matches have other numbers, and all begins anew."""
        amendments = store.last_amendment()
        if self._gathering is None or amendments != self._amendments:
            self._gathering = Gathering(meta.config)
            self._amendments = amendments
        self._gathering.take(store, self._check)
        return self._gathering

    def _layouts_at(self, store: Store, highlights: Sequence[Highlight]) -> Iterator[tuple[int, tuple[Layout, ...]]]:
        """By the id of a match the cards at its moment, as far as its record can be read. Each is read once."""
        for one in highlights:
            key = one.id, one.moment
            with suppress(NoRecord, BrokenRecord, StoreError, ValueError, LookupError):
                if key not in self._layouts:
                    self._layouts[key] = layouts_at(read_record(store.record(one.id)), one.moment)
                yield one.id, self._layouts[key]

    def _rows(self, content: Content, gathered: Gathering) -> list[MatchRow]:
        """All matches by number, then those that are out of the standings, with the pages that they are to have."""
        rows = sorted(gathered.rows.values(), key=lambda row: (row.number is None, row.number, row.id))
        choice = Choice(
            most=self._most,
            finals=finals(content.config, content.summary.rounds, sorted(gathered.rows)),
            moments=[one.id for some in (content.highlights, *content.game_highlights.values()) for one in some],
            had=[int(id_) for id_ in self._folder.made_from if id_.isdecimal()],
        )
        ids = chosen(rows, gathered.extremes, choice)
        return [replace(row, href=f"{_folder_of(row)}/index.html") if row.id in ids else row for row in rows]

    def _with_matches(self, store: Store, content: Content) -> Content:
        """Make the pages of matches. Returns the content with the problems of records that cannot be shown."""
        site = Site(content)
        return _with_rows(content, [self._match(store, site, row) if row.href else row for row in content.matches])

    def _match(self, store: Store, site: Site, row: MatchRow) -> MatchRow:
        """Make the files of a match, or keep them if they would be the same. Returns its row with what is wrong."""
        self._check()
        committed = store.match(row.id)
        about, place = _about(site, committed), Place(folder=_folder_of(row), assets=site.content.assets)
        source = hash_of(msgspec.json.encode((code_hash(), committed.hash, row, about, place)))
        made_from = self._folder.made_from
        if made_from.get(str(row.id)) == source and self._folder.keep(place.folder):
            return row
        made_from.pop(str(row.id), None)
        try:
            if row.problem:
                raise NoRecord(row.problem)
            made = list(match_files(read_record(store.record(row.id)), about, place))
        except (NoRecord, BrokenRecord, StoreError, ValueError, LookupError) as error:
            row = replace(row, problem=str(error))
            self._put(problem_page(site, row))
            return row
        for file in made:
            self._put(file)
        made_from[str(row.id)] = source
        return row


@contextmanager
def site_builder(
    run: Path,
    out: Path,
    most: int | None = USUAL_MATCHES,
    check: Callable[[], None] = lambda: None,
    verified: Verified | None = None,
) -> Iterator[SiteBuilder]:
    """Open the folder for the site of the run of this store. Raises StoreError, SiteRefused."""
    with closing(Store.open(run)) as store:
        meta = store.meta()
    with site_folder(out, meta.config.name, meta.commitment) as folder:
        yield SiteBuilder(run, folder, most, check, verified)


def _with_rows(content: Content, rows: Sequence[MatchRow]) -> Content:
    return replace(content, matches=tuple(rows), matches_by_id={row.id: row for row in rows})


def _folder_of(row: MatchRow) -> str:
    """By its id, which it keeps when the run is amended."""
    return f"matches/{row.id}"


def _about(site: Site, committed: CommittedMatch) -> AboutMatch:
    """What the pages of a match say besides the match. It must not change with what else is played."""
    content, where, number = site.content, committed.identity, committed.number
    drawn = [one.title for one in content.summary.rounds if one.id < committed.id]
    out = () if number is not None else ("This match is out of the standings, since the run was amended.",)
    cards = "the same cards are" if content.config.rotations == "same" else "cards of its own are"
    seating = f"Deal {where.deal}, seating {where.rotation + 1} of {len(where.bots)}: {cards} dealt to each seating."
    name = f"#{committed.id}" if number is None else f"{number}"
    return AboutMatch(
        title=f"Match {name}: {printable(where.variant, 100)}",
        run=printable(content.summary.name, 200),
        replay=f"{content.store}:{name}",
        stage=printable(_stage(drawn[-1]), 200) if drawn else "",
        lines=(seating, *out),
        links=tuple((text, f"../../{path}") for text, path in LINKS.items()),
        bots=tuple(f"../../{site.bot_path(bot)}" if bot in site.bot_slugs else "" for bot in where.bots),
        rules=f"../../{site.game_path(where.variant)}#h-rules" if where.variant in site.game_slugs else "",
    )


def _stage(title: str) -> str:
    """The stage or round of a match by the title with which it was drawn, as in `Semi-finals`."""
    name = title.partition(": ")[2] if title.startswith("stage ") else title
    name = name.partition(":")[0]
    return name[:1].upper() + name[1:]


def _status(version: str, *, is_live: bool) -> File:
    """The script with the version of the pages, and whether they will change again."""
    return File(path=STATUS, data=b"golfref.status(%b);\n" % msgspec.json.encode({"live": is_live, "version": version}))
