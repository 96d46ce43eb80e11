"""Names that fit into a table: how many cells of a terminal a text takes, and names cut so that they stay apart."""

from collections import Counter
from collections.abc import Iterable

from protocol.text import printable

LONGEST = 32
"""How many cells of a name are shown at most, however wide the terminal is."""

SHORTEST = 10
"""How many cells of a name are shown at least, however narrow the terminal is."""

PART = 4
"""A name takes at most one part of so many of a terminal's width."""

TOO_LONG = 1000
"""No name that golfref takes is longer than so many characters; one in a store that was tampered with may be."""


def cells(text: str) -> int:
    """How many cells of a terminal a printable text takes: wide characters take two, combining ones none."""
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import wcswidth  # noqa: PLC0415 - few names need it, and it takes a while

    return max(0, wcswidth(text))


def shortened(text: str, width: int) -> str:
    """The text, safe to show; where it takes more than `width` cells, an ellipsis stands for what is in its middle."""
    shown = printable(text, TOO_LONG)
    total = cells(shown)
    if total <= width:
        return shown
    from wcwidth import clip  # noqa: PLC0415 - as above

    tail = (width - 1) // 2
    return clip(shown, 0, width - 1 - tail, fillchar="") + "…" + clip(shown, total - tail, total, fillchar="")


class Names:
    """How bots and games are called on a screen. Names that would look alike after they were cut get a number."""

    def __init__(self, names: Iterable[str], width: int) -> None:
        """`width` is that of the screen, in cells."""
        self.all = tuple(dict.fromkeys(names))
        self.limit = min(LONGEST, max(SHORTEST, width // PART))
        self._shown = {name: shortened(name, self.limit) for name in self.all}
        alike = Counter(self._shown.values())
        numbers: Counter[str] = Counter()
        for name, shown in list(self._shown.items()):
            if alike[shown] > 1:
                numbers[shown] += 1
                number = f"~{numbers[shown]}"
                self._shown[name] = shortened(name, self.limit - len(number)) + number

    def __call__(self, name: str) -> str:
        """The name as it is shown."""
        return self._shown.get(name) or shortened(name, self.limit)
