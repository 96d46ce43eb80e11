"""Making a bundle of a run, and the parts of the authors beside it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from protocol import VERSION
from referee import __version__
from referee.competition.publishing.authors import write_parts
from referee.competition.publishing.bundle import (
    PUBLIC_KEY,
    RECORDS,
    ROWS,
    SITE,
    BundleInfo,
    Made,
    NotPublished,
    info_of,
    is_store_name,
    shown,
)
from referee.competition.publishing.contents import contents
from referee.competition.publishing.folders import FOLDER_MODE, PRIVATE_MODE, NewBundle, new_bundle
from referee.competition.publishing.rows import packed, record_lines, row_lines
from referee.competition.publishing.signing import Signed, Signer, public_line
from referee.site.folder import site_folder
from referee.site.shipped import code_hash
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import extent_of
from referee.tournament.store.store import Store
from referee.tournament.summary import shows_key


class Order(Struct, frozen=True, kw_only=True):
    """What is to be published, and where."""

    run: Path
    out: Path
    site_matches: int | None
    """How many matches have pages at most; None leaves it to us."""
    has_site: bool
    """Whether pages can be made here."""
    is_packed: bool
    """Whether the bundle is also written as an archive."""


class Publication(Struct, frozen=True, kw_only=True):
    """What was published."""

    info: BundleInfo
    places: tuple[Path, ...]
    """What was made: the folder of the authors' parts, an archive if it was asked for, and the public folder."""
    parts: int
    """How many authors have a part."""
    signed: Signed | None


class Around(Struct, frozen=True, kw_only=True):
    """What a publication needs of whoever asked for it."""

    check: Callable[[], None]
    """Called often; it may raise what ends it all."""
    tell: Callable[[str], None]
    """Takes a line about what is being done."""
    now: datetime


def publish(order: Order, signer: Signer | None, around: Around) -> Publication:
    """Publish a run. Raises NotPublished, StoreError, SiteRefused, and what `check` raises; then nothing is left."""
    if not is_store_name(order.run.name):
        raise NotPublished(f"{shown(order.run)}: texts that are published name the store; give its file a plainer name")
    with _at_rest(order.run) as path, closing(Store.open(path)) as store:
        made = Made(
            when=around.now.isoformat(timespec="seconds"),
            store=path.name,
            golfref=__version__,
            code=code_hash(),
            protocol=VERSION,
            has_site=order.has_site,
            site_matches=order.site_matches,
        )
        info = info_of(store, made)
        with new_bundle(order.out, info.run, around.now, around.check) as bundle:
            place = bundle.begin(bundle.public, FOLDER_MODE)
            around.tell("writing the tables, and the rows and records of the store")
            _write(bundle, store, info)
            if order.has_site:
                around.tell("making the site")
                _write_site(path, place / SITE, info, around.check)
            around.tell("writing the parts of the authors")
            bundle.begin(bundle.authors, PRIVATE_MODE)
            parts = write_parts(bundle, store, info, order.run)
            signed = _seal(bundle, [place, *parts], signer)
            if order.is_packed:
                for one in (place, *parts):
                    bundle.pack(one)
            if store.digest() != info.digest:
                raise NotPublished(f"{shown(order.run)}: the run has changed meanwhile; run the same command again")
            return Publication(info=info, places=tuple(bundle.finish()), parts=len(parts), signed=signed)


@contextmanager
def _at_rest(run: Path) -> Iterator[Path]:
    """The store as it is now: where the run goes on, a copy of it, since it may be written to meanwhile."""
    with closing(Store.open(run)) as store:
        if (shard := store.meta().facts.shard) is not None:
            what = "put the shards together with `golfref merge` and publish what comes of that"
            raise NotPublished(f"{shown(run)}: this is only shard {shard} of a run; {what}")
        if not store.counts():
            raise NotPublished(f"{shown(run)}: no match of the run has been played yet, so there is nothing to publish")
        if shows_key(store.meta().facts, extent_of(store), len(store.numbers())):
            yield run
            return
        with TemporaryDirectory(prefix="golfref-") as folder:
            copy = Path(folder, run.name)
            store.copy_to(copy)
            try:
                yield copy
            except StoreError as error:  # people know the store, not the copy
                raise type(error)(str(error).replace(str(copy), str(run))) from None


def _write(bundle: NewBundle, store: Store, info: BundleInfo) -> None:
    """Write the texts, the rows and the records."""
    for name, content in contents(store, info).items():
        bundle.write(bundle.public / name, content())
    tells_config = info.extent.is_complete or all(facts.seed is None for facts in store.configs())
    lines = {ROWS: row_lines(store, tells_config=tells_config), RECORDS: record_lines(store)}
    for name, some in lines.items():
        with bundle.file(bundle.public / name) as file, packed(file) as text:
            for line in some:
                bundle.check()
                text.write(line)


def _write_site(path: Path, place: Path, info: BundleInfo, check: Callable[[], None]) -> None:
    from referee.site.building import Matches, SiteBuilder  # noqa: PLC0415 - it needs jinja2

    with site_folder(place, info.run, info.commitment) as folder:
        SiteBuilder(path, folder, Matches(most=info.made.site_matches), check).build(is_live=False)


def _seal(bundle: NewBundle, places: Sequence[Path], signer: Signer | None) -> Signed | None:
    """Write the sums of the folders, and sign them all at once, so that nobody is asked for a passphrase twice."""
    sums = [bundle.sums(place) for place in places]
    if signer is None:
        return None
    signed = signer.sign(sums)
    for place in places:
        bundle.write(place / PUBLIC_KEY, [public_line(signed)])
    return signed
