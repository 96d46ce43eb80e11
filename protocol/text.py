"""Foreign text made safe to show: what a bot or its author wrote must not steer a terminal or disguise itself."""

import re

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, limit: int) -> str:
    r"""The text with unsafe characters as \xNN or \uNNNN, cut to `limit` (at least 1) characters, an ellipsis last.

    Unsafe are C0 and C1 controls (newlines too), DEL, bidi controls, line separators and lone surrogates.
    """
    escaped = _UNSAFE.sub(_escape, text[: limit + 1])
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "…"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def harmless(text: str) -> str:
    r"""The text, however long it is, with unsafe characters escaped as `printable` does."""
    return _UNSAFE.sub(_escape, text)


def escaped_json(text: str) -> str:
    r"""The JSON with unsafe characters as \uNNNN, which leaves its value as it is."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
