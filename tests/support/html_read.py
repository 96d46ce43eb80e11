"""A page of HTML as a list of its tags, for tests that look for what no page may have."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path


class Read(HTMLParser):
    """The tags of a page with their attributes, in order, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        """What stands in the page, after the tag that was opened last."""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.tags[-1][0] if self.tags else "", data))


@cache
def read(page: Path) -> Read:
    """The page of a file that does not change."""
    return Read(page.read_text(encoding="utf-8"))
