"""What a published bundle is: the names of its files, and what it says of itself."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal
from unicodedata import normalize

from msgspec import Struct

from protocol.text import printable
from referee.reports.export.rows import TABLES
from referee.site.pages.slugs import LONGEST, slugs
from referee.tournament.store.plans import extent_of
from referee.tournament.store.store import Store

FORMAT: Literal["golfref-bundle-1"] = "golfref-bundle-1"

INFO = "bundle.json"
README = "README.txt"
STANDINGS = "standings.txt"
RESULTS = "standings.json"
HASHES = "hashes.txt"
ROWS = "rows.jsonl.gz"
RECORDS = "records.jsonl.gz"
TABLE_FILES = {f"tables/{table}.csv": table for table in TABLES}
SITE = "site"
MATCHES = ".matches.jsonl.gz"
"""How the names of the files with the matches of one bot end."""

PART = "part.json"
"""In place of bundle.json in the part of an author."""
SUMS = "SHA256SUMS"
SSH_SIGNATURE = f"{SUMS}.sig"
MINISIGN_SIGNATURE = f"{SUMS}.minisig"
PUBLIC_KEY = "signer.pub"
UNLISTED = frozenset({SUMS, SSH_SIGNATURE, MINISIGN_SIGNATURE, PUBLIC_KEY})
"""What the sums do not name: they are of what was there when they were made."""

UNBORN = ".new"
"""What a folder has after its name until it is whole."""

AUTHORS = "-authors"
"""What the folder with the parts of authors has after the name of the bundle."""

PACKED = ".tar.gz"

LONGEST_STORE_NAME = 200
_STORE_NAME = re.compile(r"[^/\x00-\x1f\x7f]+")


class Extent(Struct, frozen=True, kw_only=True):
    """How much of a run there is in a bundle."""

    matches: int
    """How many matches count in the standings."""
    out_of_standings: int
    """How many were committed besides."""
    voids: int
    """How many attempts at a match were spoiled."""
    planned: int
    """How many matches the plan has, as far as it has been drawn."""
    is_complete: bool
    """Whether nothing is left to be played."""


class Made(Struct, frozen=True, kw_only=True):
    """How a bundle was made, which does not follow from the run."""

    when: str
    """When it was published, in ISO 8601 with the offset from UTC."""
    store: str
    """The name of the run's store, which the commands in the texts name."""
    golfref: str
    """The version that published it."""
    code: str
    """A hash of its code: two builds of one version may differ."""
    protocol: str
    has_site: bool
    site_matches: int | None
    """How many matches have pages at most, as `golfref site --matches` has it; None where golfref chose."""


class BundleInfo(Struct, frozen=True, kw_only=True):
    """What `bundle.json` says."""

    format: Literal["golfref-bundle-1"] = FORMAT
    run: str
    """The name of the run."""
    commitment: str
    """SHA-256 of the master key, in hexadecimal."""
    key: str | None
    """The master key in hexadecimal. None where the run goes on."""
    digest: str
    extent: Extent
    made: Made


class PartInfo(Struct, frozen=True, kw_only=True):
    """What `part.json` says of the part of an author."""

    format: Literal["golfref-author-1"] = "golfref-author-1"
    run: str
    owner: str
    """Empty where the bot has none."""
    bots: dict[str, str]
    """By bot how the names of its files begin."""
    commitment: str
    digest: str
    """The digest of the bundle beside which it was made."""
    made: Made


class NotPublished(Exception):
    """A run that cannot be published, or not so. The text says why and what to do."""


class HostRefused(NotPublished):
    """The host did not let us write something, such as on a full disk."""


def info_of(store: Store, made: Made) -> BundleInfo:
    """What a bundle of this run says of itself. Raises StoreError."""
    meta, extent = store.meta(), extent_of(store)
    matches = len(store.numbers())
    is_complete = extent.has_ended and matches == extent.planned
    return BundleInfo(
        run=meta.facts.name,
        commitment=meta.commitment,
        key=meta.master_key if is_complete else None,
        digest=store.digest(),
        extent=Extent(
            matches=matches,
            out_of_standings=len(store.ids()) - matches,
            voids=sum(store.void_reasons().values()),
            planned=extent.planned,
            is_complete=is_complete,
        ),
        made=made,
    )


def is_store_name(name: str) -> bool:
    """Whether a store that is made of a bundle can have this name, in a folder of its own."""
    return len(name.encode()) <= LONGEST_STORE_NAME and name not in (".", "..") and bool(_STORE_NAME.fullmatch(name))


def file_names(names: Iterable[str]) -> dict[str, str]:
    """By name one for a file: lower-case letters, digits and hyphens, with a hash where another one would be alike."""
    every = slugs(names)
    plain = {name: _plain(name) for name in every}
    often = Counter(plain.values())
    return {name: plain[name] if plain[name] and often[plain[name]] == 1 else slug for name, slug in every.items()}


def _plain(name: str) -> str:
    """What a name is without its capitals and signs, as far as that can be the name of a file anywhere."""
    letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = "-".join(re.findall("[a-z0-9]+", letters))[:LONGEST].strip("-")
    return plain if slugs([plain])[plain] == plain else ""


def names_for(run: str, day: datetime, there: Sequence[str]) -> str:
    """The name of a new bundle in a folder that holds these names: NAME-YYYY-MM-DD, with -2 and so on if it must be."""
    begin = f"{file_names([run])[run]}-{day:%Y-%m-%d}"
    taken = set(there)
    number = 1
    while True:
        name = begin if number == 1 else f"{begin}-{number}"
        mine = {name, name + AUTHORS, name + PACKED}
        if not taken & {*mine, *(one + UNBORN for one in mine)}:
            return name
        number += 1


def shown(path: Path | str) -> str:
    """A path as it is safe to show."""
    return printable(str(path), 300)
