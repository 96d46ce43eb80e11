"""The files that all pages of a site load: styles and scripts. Their names tell their content.

So a page never loads those of another version, and browsers may keep them for ever.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from referee.site.bundle import TOKENS, style_sheet, viewer_script
from referee.site.files import File, hash_of

SHIPPED = (".css", ".js", ".svg", ".png")
"""What the files at the top of `assets/` end with that are shipped as they are."""

_CHARACTERS = 10
"""How much of its hash the name of an asset has."""

_SOURCES = (".py", ".html", ".css", ".js")


@cache
def assets() -> dict[str, File]:
    """By name all assets, such as `site.css`, with their paths in a site."""
    here = files("referee.site") / "assets"
    shipped = {one.name: one.read_bytes() for one in here.iterdir() if one.is_file() and one.name.endswith(SHIPPED)}
    del shipped[TOKENS]
    shipped |= {name: style_sheet(name) for name in shipped if name.endswith(".css")}
    return {name: _named(name, data) for name, data in sorted((shipped | {"viewer.js": viewer_script()}).items())}


@cache
def code_hash() -> str:
    """What changes when another golfref would make other pages: a hash of all that this one consists of."""
    lines = (f"{hash_of(data)} {path}" for path, data in sorted(_sources(files("referee"), "referee")))
    return hash_of("\n".join(lines).encode())


def _named(name: str, data: bytes) -> File:
    place = PurePosixPath(name)
    return File(path=f"assets/{place.stem}.{hash_of(data)[:_CHARACTERS]}{place.suffix}", data=data)


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _sources(one, f"{path}/{one.name}")
        elif one.name.endswith(_SOURCES):
            yield f"{path}/{one.name}", one.read_bytes()
