"""The files that all pages of a site load: styles and scripts. Their names have a hash of their content.

So a page never loads those of another version, and browsers may keep them for ever.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath

import referee
from referee.site.bundle import viewer_script
from referee.site.files import File, hash_of

SHIPPED = {".css", ".js", ".svg", ".png"}
"""The files at the top of `assets/` that end so are shipped as they are."""

_SOURCES = {".py", ".html", ".css", ".js"}


@cache
def assets() -> dict[str, File]:
    """By name all assets, such as `site.css`, with their paths in a site."""
    here = files("referee.site") / "assets"
    shipped = {one.name: one.read_bytes() for one in here.iterdir() if PurePosixPath(one.name).suffix in SHIPPED}
    return {name: _named(name, data) for name, data in sorted((shipped | {"viewer.js": viewer_script()}).items())}


@cache
def code_hash() -> str:
    """A hash of the sources of golfref: another golfref may make other pages."""
    paths = sorted(Path(referee.__file__).parent.rglob("*"))
    return hash_of("".join(hash_of(path.read_bytes()) for path in paths if path.suffix in _SOURCES).encode())


def _named(name: str, data: bytes) -> File:
    place = PurePosixPath(name)
    return File(path=f"assets/{place.stem}.{hash_of(data)[:10]}{place.suffix}", data=data)
