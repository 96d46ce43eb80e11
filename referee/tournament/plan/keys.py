"""The keys of a tournament: a master key, published as a commitment before play, and from it one key for each deal.

Whoever knows the revealed master key can re-derive every deal with these functions and referee/rules/keyed_streams.py.
"""

import hmac
import secrets
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Literal

import msgspec

from referee.rules.keyed_streams import seed_key

Rotations = Literal["fresh", "same"]
"""Whether each rotation of a block has cards of its own (`fresh`), or all of them share the cards of their deal."""

ROTATIONS_IN_WORDS: dict[Rotations, str] = {
    "fresh": "each match has cards of its own",
    "same": "all rotations of a deal share its cards; other line-ups have cards of their own",
}

SHARED_CARDS: Sequence[int] = ()
"""Nothing is a match's own: it has the cards that all rotations of its deal share."""


def master_key(seed: str | None) -> bytes:
    """The master key, 32 bytes: secret and random without a seed, otherwise derived from it (streams.seed_key)."""
    return secrets.token_bytes(32) if seed is None else seed_key(seed)


def commitment(key: bytes) -> str:
    """What is published of a master key before play: its SHA-256 in hexadecimal."""
    return sha256(key).hexdigest()


def deal_key(  # noqa: PLR0913 - what the cards follow from
    master: bytes,
    variant: str,
    bots: Iterable[str],
    deal: int,
    own: Sequence[int] = SHARED_CARDS,
    *,
    versions_before: Iterable[int] = (),
) -> bytes:
    """The key of a line-up's deal (from 0) in a variant, both by the names in the config; 32 bytes.

    HMAC-SHA-256 under the master key over: `golfref/deal`, a zero byte, and the JSON array of the variant, the array
    of the bots in order of code points, the deal, the array of how many versions each bot had before in the run, in
    the order of the names (left out if all are 0), and then what is `own` to the match (own_cards). The JSON is
    UTF-8 without spaces, and escapes only the quote, the backslash and the characters below U+0020 (the short forms
    where JSON has them, else `\\u` and four lower-case digits).

    `versions_before` has these numbers in the order of `bots`; empty if all are 0.
    """
    in_order = sorted(zip_longest(bots, versions_before, fillvalue=0))
    names, before = [name for name, _ in in_order], [count for _, count in in_order]
    text = msgspec.json.encode([variant, names, deal, *([before] if any(before) else ()), *own])
    return hmac.digest(master, b"golfref/deal\0" + text, "sha256")


def own_cards(rotations: Rotations, rotation: int, redeals: int) -> Sequence[int]:
    """What a match adds to the array from which its deal key is made, so that its cards are not those of another one.

    The rotation (from 0), and how often other cards were dealt in place of those that a voided match had shown; that is
    left out where it is 0. Nothing where all rotations of a deal share its cards.
    """
    if rotations == "same":
        return SHARED_CARDS
    return (rotation, redeals) if redeals else (rotation,)
