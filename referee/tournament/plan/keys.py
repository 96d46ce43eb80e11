"""The keys of a tournament: a master key, published as a commitment before play, and from it one key for each deal.

Whoever knows the revealed master key can re-derive every deal with these functions and referee/rules/table/streams.py.
"""

import hmac
import secrets
from collections.abc import Iterable
from hashlib import sha256

import msgspec

from referee.rules.table.streams import seed_key


def master_key(seed: str | None) -> bytes:
    """The master key, 32 bytes: secret and random without a seed, otherwise derived from it (streams.seed_key)."""
    return secrets.token_bytes(32) if seed is None else seed_key(seed)


def commitment(key: bytes) -> str:
    """What is published of a master key before play: its SHA-256 in hexadecimal."""
    return sha256(key).hexdigest()


def deal_key(master: bytes, variant: str, bots: Iterable[str], deal: int) -> bytes:
    """The key of a line-up's deal (from 0) in a variant, both by the names in the config; 32 bytes.

    HMAC-SHA-256 under the master key over: `golfref/deal`, a zero byte, and the JSON array of the variant, the array
    of the bots in order of code points, and the deal. The JSON is UTF-8 without spaces, and escapes only the quote,
    the backslash and the characters below U+0020 (the short forms where JSON has them, else `\\u` and four
    lower-case digits).
    """
    text = msgspec.json.encode([variant, sorted(bots), deal])
    return hmac.digest(master, b"golfref/deal\0" + text, "sha256")
