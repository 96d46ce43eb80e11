"""A file of a site, before it is written."""

from hashlib import sha256

from msgspec import Struct


class File(Struct, frozen=True, kw_only=True):
    """A file of a site."""

    path: str
    """From the folder of the site, with `/` between the parts, as in `matches/17/index.html`."""
    data: bytes


def hash_of(data: bytes) -> str:
    """The first 16 hexadecimal digits of SHA-256, which are enough to see that something has changed."""
    return sha256(data).hexdigest()[:16]
