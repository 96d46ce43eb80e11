"""The table [submissions] of a config: how much, and how often, an owner may hand in."""

from typing import Annotated

from msgspec import Meta, Struct

_Positive = Annotated[int, Meta(ge=1)]


class Submissions(Struct, frozen=True, kw_only=True):
    """What one submission may be, and how many there may be."""

    per_day: _Positive = 20
    """How many of one owner are built and checked within 24 hours."""
    per_owner: _Positive | None = None
    """How many entries an owner may have; None: any number."""
    size_mb: _Positive = 64
    """An archive, and all files that come out of it."""
    files: _Positive = 10_000
    """Files, folders and links."""
