"""Foreign text made safe to show: what a bot or its author wrote must not steer a terminal or disguise itself."""

import re
from unicodedata import normalize

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""What shows as nothing: Unicode's Default_Ignorable_Code_Point, other invisible formats, the empty Braille pattern."""

_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_INVISIBLE}]")


def printable(text: str, limit: int) -> str:
    r"""The text with unsafe characters as \xNN, \uNNNN or \UNNNNNNNN, cut to `limit` (at least 1) characters, an
    ellipsis last.

    Unsafe are C0 and C1 controls (newlines too), DEL, line separators, lone surrogates, and what shows as nothing, such
    as bidi controls, joiners and variation selectors.
    """
    escaped = _UNSAFE.sub(_escape, text[: limit + 1])
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "…"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def harmless(text: str) -> str:
    r"""The text, however long it is, with unsafe characters escaped as `printable` does."""
    return _UNSAFE.sub(_escape, text)


def escaped_json(text: str) -> str:
    r"""The JSON with unsafe characters as \uNNNN, which leaves its value as it is."""
    return _UNSAFE.sub(_escape_in_json, text)


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def label_problem(text: str, longest: int) -> str | None:
    """Why a text cannot be a name that people tell apart by sight, in words; None if it can."""
    if not (0 < len(text) <= longest and text.isprintable() and text == text.strip()):
        return f"expected 1 to {longest} printable characters, without blanks around them"
    if unseen := _UNSEEN.search(text):
        return f"has a character that nobody sees (U+{ord(unseen[0]):04X}); take it out"
    return None


def visible(text: str) -> str:
    """The text without the characters that no name may have."""
    return "".join(letter for letter in _UNSEEN.sub("", text) if letter.isprintable())


def folded(name: str) -> str:
    """The same for names that people or file systems take for one: case, width and the code of accents do not count."""
    return normalize("NFKC", _UNSEEN.sub("", normalize("NFKC", name)).casefold())
