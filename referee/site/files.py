"""A file of a site, before it is written."""

from hashlib import sha256

from msgspec import Struct

_HASH_CHARACTERS = 16
_STAMP = b'data-stamp="'
_STAMP_CHARACTERS = 12
_HEAD_BYTES = 1000
"""In so many bytes at the beginning of a page its stamp stands, before any text of strangers."""


class File(Struct, frozen=True, kw_only=True):
    """A file of a site."""

    path: str
    """From the folder of the site, with `/` between the parts, as in `matches/17/index.html`."""
    data: bytes


def hash_of(data: bytes) -> str:
    """The first 16 hexadecimal digits of SHA-256, which are enough to see that something has changed."""
    return sha256(data).hexdigest()[:_HASH_CHARACTERS]


def stamp_of(data: bytes) -> str:
    """What changes when the page does."""
    return hash_of(data)[:_STAMP_CHARACTERS]


def stamped(page: File) -> tuple[File, str]:
    """The page with its stamp in place of `data-stamp=""`, and the stamp: empty where the page has no place for it."""
    place = page.data.find(_STAMP + b'"', 0, _HEAD_BYTES)
    if place < 0:
        return page, ""
    stamp, at = stamp_of(page.data), place + len(_STAMP)
    return File(path=page.path, data=page.data[:at] + stamp.encode() + page.data[at:]), stamp
