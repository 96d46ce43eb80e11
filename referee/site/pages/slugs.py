"""Names of files for bots and games, whose names may hold anything."""

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from unicodedata import normalize

LONGEST = 40
"""How many characters of a name there are in the name of a file at most."""

SHORT = 8
"""How many hexadecimal digits of a name's hash tell apart names that are not plain."""

_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TAKEN = re.compile(rf"index|con|nul|aux|prn|(com|lpt)\d|.*-[0-9a-f]{{{SHORT},}}")
"""What may not stand alone: names with a meaning to servers or Windows, and what looks like a name with its hash."""


def slugs(names: Iterable[str]) -> dict[str, str]:
    """By name a short one of lower-case letters, digits and hyphens, unlike any other one, whoever else is there.

    A plain name stays as it is. Any other one is given its hash, so that it does not change when others come or go.
    """
    every = dict.fromkeys(names)
    short = {name: _slug(name, SHORT) for name in every}
    often = Counter(short.values())
    return {name: slug if often[slug] == 1 else _slug(name, 64) for name, slug in short.items()}


def _slug(name: str, digits: int) -> str:
    if len(name) <= LONGEST and _PLAIN.fullmatch(name) and not _TAKEN.fullmatch(name):
        return name
    letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = "-".join(re.findall("[a-z0-9]+", letters))[:LONGEST].strip("-")
    tail = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return f"{words}-{tail}" if words else tail
