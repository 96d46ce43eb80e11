"""Pages as a reader's browser shows them: Debian's Chromium, driven by playwright.

A page that is opened here must be content with files: it asks no network for anything, and nothing goes wrong in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Request

ON_THE_PAGE = f"({Path(__file__).with_name('on_the_page.js').read_text(encoding='utf-8').rstrip().rstrip(';')})"
"""What tests do within a page, as an expression: functions by their names."""

DESKTOP, PHONE = 1440, 390
"""Widths of windows in pixels."""

_HEIGHTS = {DESKTOP: 900, PHONE: 844}

_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
    "preload": False,  # it would fetch style sheets, which a page from file:// cannot
}
"""What axe looks for: all of WCAG 2.2 AA, and what it calls best practice."""


class Browsing:
    """The pages that one test opens, and all that went wrong in them."""

    def __init__(self, browser: "Browser", pictures: Path) -> None:
        self.pictures = pictures
        self.troubles: list[str] = []
        self.asked: list[str] = []
        """The addresses of all that pages loaded."""
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def open(self, file: Path, fragment: str = "", *, query: str = "", width: int = DESKTOP, **context: Any) -> "Page":
        """The page of a file in a window of its own, once it is loaded.

        `fragment` is what follows the #, `query` what follows the ?.
        `context` is for playwright: `reduced_motion="reduce"`, say.
        """
        assert file.is_file(), f"there is no page {file}"
        own = self._browser.new_context(viewport={"width": width, "height": _HEIGHTS[width]}, **context)
        self._contexts.append(own)
        own.on("request", self._asked)
        own.on("requestfailed", self._not_loaded)
        own.on("console", self._said)
        own.on("weberror", self._failed)
        page = own.new_page()
        page.goto(file.resolve().as_uri() + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else ""))
        return page

    def findings(self, page: "Page") -> list[str]:
        """What axe objects to in the page as it is now: the rule, and the elements.

        The page must have been opened with `bypass_csp=True`, for axe is put into it.
        """
        from axe_playwright_python.sync_playwright import Axe

        with _whole(page):
            found = Axe().run(page, options=_RULES).response["violations"]
        return [
            f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:300]} {node.get('failureSummary') or ''}"
            for one in found
            for node in one["nodes"]
        ]

    def picture(self, page: "Page", name: str) -> Path:
        """A picture of the whole page, kept for whoever wants to look at it."""
        self.pictures.mkdir(exist_ok=True)
        width = (page.viewport_size or {"width": 0})["width"]
        path = self.pictures / f"{name}-{width}.png"
        with _whole(page):
            page.screenshot(path=path, full_page=True, animations="disabled")
        return path

    def close(self) -> None:
        """Close every page; AssertionError if anything went wrong in one of them."""
        for context in self._contexts:
            context.close()
        assert not self.troubles, "\n".join(self.troubles)

    def _not_loaded(self, request: "Request") -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was closed before it had come
            self.troubles.append(f"not loaded: {request.url}: {request.failure}")

    def _asked(self, request: Any) -> None:
        self.asked.append(request.url)
        if not request.url.startswith("file://"):
            self.troubles.append(f"asks for {request.url[:200]}")

    def _failed(self, uncaught: Any) -> None:
        self.troubles.append(f"uncaught: {uncaught.error.stack or uncaught.error}")

    def _said(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.troubles.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")


@contextmanager
def _whole(page: "Page") -> Iterator[None]:
    """A window as tall as the page: in a lower one, what sticks to its edges covers something wherever one scrolls."""
    size = page.viewport_size
    assert size is not None
    height = page.evaluate("Math.max(document.documentElement.scrollHeight, innerHeight)")
    page.set_viewport_size({"width": size["width"], "height": height})
    yield
    page.set_viewport_size(size)


def sideways(page: "Page") -> int:
    """By how many pixels the page is wider than its window; 0 where it does not scroll sideways."""
    page.evaluate("window.scrollTo(100000, window.scrollY)")
    wider: int = page.evaluate("Math.max(window.scrollX, document.documentElement.scrollWidth - window.innerWidth)")
    page.evaluate("window.scrollTo(0, window.scrollY)")
    return wider
