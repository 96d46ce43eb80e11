"""Names in sentences: they are marked where a sentence is made, and become links where it is shown.

Functions of reports/ take what shortens names. Those here put each name between two marks that no stranger's text can
hold, since protocol/text.py escapes them.
"""

import re
from collections.abc import Iterable, Mapping

from markupsafe import Markup, escape

from protocol.text import harmless
from referee.reports.tables.layout import Names

WIDE = 4 * 32
"""The width of a screen on which names are cut to 32 cells."""

BOT, GAME, END = "\u2068", "\u2066", "\u2069"
"""What stands before the name of a bot, before that of a game, and behind each."""

_MARKED = re.compile(f"([{BOT}{GAME}])(.*?){END}")


class Marked(Names):
    """Shortens names as tables do, and marks them."""

    def __init__(self, names: Iterable[str], mark: str) -> None:
        super().__init__(names, WIDE)
        self._mark = mark

    def __call__(self, name: str) -> str:
        """The name as it is shown, between the marks."""
        return f"{self._mark}{super().__call__(name)}{END}"

    @property
    def shown(self) -> dict[str, str]:
        """By a name as it is shown, the name."""
        return {super(Marked, self).__call__(name): name for name in self.all}


class Linker:
    """Makes HTML of texts with marked names."""

    def __init__(self, bots: Mapping[str, str], games: Mapping[str, str]) -> None:
        """By name as it is shown, the path from the site's root of the page of each bot and game that has one."""
        self._paths = {BOT: bots, GAME: games}

    def html(self, text: str, root: str) -> Markup:
        """The text, safe to show, with links; `root` leads from the page to the site's root."""
        parts, at = [], 0
        for found in _MARKED.finditer(text):
            parts += [escape(harmless(text[at : found.start()])), self._name(found[1], found[2], root)]
            at = found.end()
        return Markup("").join([*parts, escape(harmless(text[at:]))])

    def _name(self, mark: str, shown: str, root: str) -> Markup:
        path = self._paths[mark].get(shown)
        if path is None:
            return Markup("<bdi>{}</bdi>").format(shown)
        return Markup('<a href="{}{}"><bdi>{}</bdi></a>').format(root, path, shown)


def unmarked(text: str) -> str:
    """The text without marks, for places that take no links."""
    return text.replace(BOT, "").replace(GAME, "").replace(END, "")
