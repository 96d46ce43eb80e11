"""Makes the site of a run: gathers what is to be told, chooses the matches that get pages, and puts it all in order.

A page is written after what it links to, and what nothing links to any more is removed last. How the files come to lie
in the folder is in folder.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.highlights.highlight import Highlight
from referee.plots.of_site import Slugs, pictures
from referee.reports.verdict import is_over
from referee.rules.record import BrokenRecord, NoRecord, read_record
from referee.site.cards import Layout, layouts_at
from referee.site.choosing import USUAL_MATCHES, Choice, chosen, finals, least
from referee.site.content import Content, MatchRow, Underway, Verified
from referee.site.files import File, hash_of, stamped
from referee.site.folder import SiteFolder
from referee.site.gathering import Gathering, standings_by_game
from referee.site.match_page import AboutMatch, Place, match_files
from referee.site.pages.all_pages import pages
from referee.site.pages.frame import Site
from referee.site.pages.problem import problem_page
from referee.site.pages.slugs import slugs
from referee.site.shipped import assets, code_hash
from referee.tournament.plan.planned_match import Identity
from referee.tournament.store.disk import StoreError, changed_at
from referee.tournament.store.rows import CommittedMatch, Meta
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, summary_of

PULSE = "pulse.js"
"""The file that tells open pages whether they are out of date."""

SHOWS_NOTHING = ""
"""Stands for the hash of what a match was made from whose record cannot be shown: each build tries it again."""


class Matches(Struct, frozen=True, kw_only=True):
    """How many matches get pages."""

    most: int | None = None
    """At most so many. None leaves it to us."""
    all: bool = False
    """All that may be shown."""


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
        matches: Matches,
        check: Callable[[], None],
        verified: Verified | None = None,
    ) -> None:
        """The site of the run of this store. `check` is called often, and may raise what ends a build.

        `verified` is what the front page tells of a check of the run.
        """
        self._verified = verified
        self._path, self._folder, self._matches, self._check = path, folder, matches, check
        self._gathering: Gathering | None = None
        self._amendments = 0
        self._laid: dict[tuple[int, str], tuple[Layout, ...]] = {}
        """By the id of a match and a moment the cards then."""
        self._made_from = dict(folder.before.made_from)
        """By the id of each match that has pages, as text, the hash of what they were made from."""
        self._stamps: dict[str, str] = {}
        """By path the stamps of the pages of the last build."""
        self._problems: dict[int, str] = {}
        """What is wrong with the records of matches that could not be shown, by id."""

    def build(self, *, is_live: bool, is_played: bool | None = None) -> Built:
        """Bring the site up to date. Raises StoreError, SiteRefused, and what `check` raises.

        Pages say of a run that has not ended whether it `is_played`, and as of when. With None they say neither, and
        follow from the content of the store alone.
        """
        self._folder.begin()
        for file in assets().values():
            self._put(file)
        with closing(Store.open(self._path)) as store:
            content = self._content(store, is_live=is_live, is_played=is_played)
            site = Site(content)
            made_from = {str(row.id): self._match(store, site, row) for row in content.matches if row.href}
        content = self._with_problems(content)
        stamps = {}
        for page in pages(content):
            whole, stamps[page.path] = stamped(page)
            self._put(whole)
        size_bytes = self._folder.finish(made_from, _pulse(stamps, is_live=is_live))
        gone = len(self._made_from.keys() - made_from.keys())
        self._stamps = stamps
        self._made_from = made_from
        return Built(
            matches=len(content.matches),
            with_pages=len(made_from),
            gone=gone,
            problems=tuple(row for row in content.matches if row.problem),
            size_bytes=size_bytes,
            is_complete=content.is_complete,
        )

    def calm(self) -> None:
        """Tell the pages of the last build that none will follow soon, so that open ones ask no more."""
        if self._stamps:
            self._folder.put_anew(_pulse(self._stamps, is_live=False))

    def forget(self) -> None:
        """Gather all anew in the next build: one that failed may have counted a part of a match."""
        self._gathering = None

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

    def _content(self, store: Store, *, is_live: bool, is_played: bool | None) -> Content:
        meta = store.meta()
        gathered = self._gathered(store, meta)
        summary = summary_of(store, with_results=False)
        highlights = gathered.highlights()
        game_highlights = {one.name: gathered.highlights(one.name) for one in meta.config.variants}
        best_moments = [*highlights, *(one for some in game_highlights.values() for one in some)]
        matches = self._rows(meta, summary, gathered, best_moments)
        best, worst = gathered.extremes.best(), gathered.extremes.worst()
        return Content(
            summary=summary,
            config=meta.config,
            store=self._path.name,
            verified=self._verified,
            matches=matches,
            matches_by_id={row.id: row for row in matches},
            game_standings=standings_by_game(store),
            best=best,
            worst=worst,
            highlights=highlights,
            game_highlights=game_highlights,
            layouts=dict(self._layouts(store, highlights)),
            times=gathered.charts.times,
            faults=gathered.faults(),
            plots=self._plots(summary, gathered),
            is_complete=summary.key is not None,
            underway=None
            if is_played is None or is_over(summary)
            else Underway(as_of=datetime.fromtimestamp(changed_at(self._path), UTC), is_played=is_played),
            is_live=is_live,
            assets={name: file.path for name, file in assets().items()},
        )

    def _layouts(self, store: Store, highlights: Sequence[Highlight]) -> Iterator[tuple[int, tuple[Layout, ...]]]:
        """By the id of a match the cards at its moment, as far as its record can be read. Each is read once."""
        for one in highlights:
            with suppress(NoRecord, BrokenRecord, StoreError, ValueError, LookupError):
                if (one.id, one.moment) not in self._laid:
                    self._laid[one.id, one.moment] = layouts_at(read_record(store.record(one.id)), one.moment)
                yield one.id, self._laid[one.id, one.moment]

    def _rows(
        self, meta: Meta, summary: RunSummary, gathered: Gathering, highlights: Sequence[Highlight]
    ) -> tuple[MatchRow, ...]:
        """All matches by number, then those that are out of the standings, with the pages that they are to have."""
        rows = sorted(gathered.rows.values(), key=lambda row: (row.number is None, row.number, row.id))
        choice = Choice(
            most=self._matches.most,
            seed=meta.commitment,
            finals=finals(meta.config, summary.rounds, sorted(gathered.rows)),
            front=[one.id for one in {one.kind: one for one in reversed(highlights)}.values()],
            highlights=[one.id for one in highlights],
            had=[int(id_) for id_ in self._made_from if id_.isdecimal()],
        )
        if self._matches.most is None and not self._matches.all:
            choice = replace(choice, most=max(USUAL_MATCHES, least(rows, choice)))
        ids = chosen(rows, gathered.extremes, choice)
        return tuple(replace(row, href=f"{_folder_of(row)}/index.html") if row.id in ids else row for row in rows)

    def _plots(self, summary: RunSummary, gathered: Gathering) -> Mapping[str, str]:
        """Write the pictures, whose names tell their content; returns their paths by key."""
        paths = {}
        bots = slugs(row.bot for row in summary.standings)
        for picture in pictures(summary, gathered.charts, Slugs(bots=bots, games=slugs(summary.variants))):
            content = hash_of(picture.wide.data + picture.narrow.data)[:10]
            path = f"{picture.wide.path.removesuffix('.svg')}.{content}"
            self._put(File(path=f"{path}.svg", data=picture.wide.data))
            self._put(File(path=f"{path}-narrow.svg", data=picture.narrow.data))
            paths[picture.key] = f"{path}.svg"
        return paths

    def _match(self, store: Store, site: Site, row: MatchRow) -> str:
        """Make the files of a match, or keep them where they would be the same; returns a hash of what they are of."""
        self._check()
        committed = store.match(row.id)
        about, place = _about(site, committed), Place(folder=_folder_of(row), assets=site.content.assets)
        source = hash_of(msgspec.json.encode((code_hash(), committed.hash, row, about, place)))
        if self._made_from.get(str(row.id)) == source and self._folder.keep(place.folder):
            return source
        try:
            if row.problem:
                raise NoRecord(row.problem)
            made = list(match_files(read_record(store.record(row.id)), about, place))
        except (NoRecord, BrokenRecord, StoreError, ValueError, LookupError) as error:
            self._problems[row.id] = str(error)
            source = SHOWS_NOTHING
            made = [problem_page(site, replace(row, problem=str(error)))]
        for file in made:
            self._put(file)
        return source

    def _with_problems(self, content: Content) -> Content:
        """The content with what turned out to be wrong with records when they were to be shown."""
        rows = tuple(
            replace(row, problem=self._problems[row.id]) if row.id in self._problems else row for row in content.matches
        )
        return replace(content, matches=rows, matches_by_id={row.id: row for row in rows})


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
        lines=(*(printable(f"{title}.", 200) for title in drawn[-1:]), seating, *out),
        links=tuple((printable(text, 100), f"../../{path}") for text, path in _ways(site, where)),
        rules=f"../../{site.game_path(where.variant)}#h-rules" if where.variant in site.game_slugs else "",
    )


def _ways(site: Site, where: Identity) -> Iterator[tuple[str, str]]:
    """Where a reader of a match may go next."""
    yield "Standings", "index.html"
    if where.variant in site.game_slugs:
        yield where.variant, site.game_path(where.variant)
    for bot in where.bots:
        if bot in site.bot_slugs:
            yield bot, site.bot_path(bot)


def _pulse(stamps: Mapping[str, str], *, is_live: bool) -> File:
    """The script that tells open pages of what they are made, and whether they will change again."""
    told = msgspec.json.encode({"live": is_live, "pages": stamps})
    return File(path=PULSE, data=b"golfref.pulse(%b);\n" % told)
