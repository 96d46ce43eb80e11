"""The files that all pages of a site load: styles and scripts. Their names have a hash of their content.

So a page never loads those of another version, and browsers may keep them for ever.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath

import referee
from referee.site.bundle import TOKENS, style_sheet, viewer_script
from referee.site.files import File, hash_of

_SOURCES = {".py", ".html", ".css", ".js"}


@cache
def assets() -> dict[str, File]:
    """By name all assets, such as `site.css`, with their paths in a site."""
    data = {"viewer.js": viewer_script()}
    for one in (files("referee.site") / "assets").iterdir():
        if one.name.endswith((".js", ".svg")):
            data[one.name] = one.read_bytes()
        elif one.name.endswith(".css") and one.name != TOKENS:
            data[one.name] = style_sheet(one.name)
    return {name: _named(name, data[name]) for name in sorted(data)}


@cache
def code_hash() -> str:
    """A hash of the sources of golfref: another golfref may make other pages."""
    paths = sorted(Path(referee.__file__).parent.rglob("*"))
    return hash_of("".join(hash_of(path.read_bytes()) for path in paths if path.suffix in _SOURCES).encode())


def _named(name: str, data: bytes) -> File:
    place = PurePosixPath(name)
    return File(path=f"assets/{place.stem}.{hash_of(data)[:10]}{place.suffix}", data=data)
