"""The pages of a match in a folder, as a site holds them, and one of them in a browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from browsing import Browsing

from referee.rules.record import Record
from referee.site.bundle import viewer_script
from referee.site.match_page import AboutMatch, Place, match_files, viewer_style

if TYPE_CHECKING:
    from playwright.sync_api import Page

ABOUT = AboutMatch(title="Match 7", run="a run", replay="run.golfref:7", links=(("Standings", "../../index.html"),))
PLACE = Place(folder="matches/7", assets={"viewer.js": "assets/viewer.js", "viewer.css": "assets/viewer.css"})


def written(folder: Path, record: Record) -> Path:
    """The folder of a match as a site holds it."""
    for name, data in (("viewer.js", viewer_script()), ("viewer.css", viewer_style())):
        (folder / "assets").mkdir(exist_ok=True)
        (folder / "assets" / name).write_bytes(data)
    (folder / PLACE.folder).mkdir(parents=True)
    for file in match_files(record, ABOUT, PLACE):
        (folder / file.path).write_bytes(file.data)
    return folder / PLACE.folder


def opened(browse: Browsing, file: Path, fragment: str = "", view: str = "", **how: Any) -> "Page":
    """The page once it shows its match at this very moment, in the view of this name or else in its first one.

    (`wait_for_function` would need `eval`, which the pages forbid.)
    """
    page = browse.open(file, fragment, query=f"view={view}" if view else "", **how)
    page.wait_for_selector(".board")
    if fragment:
        page.evaluate("(at) => golfref.shown.goTo(golfref.shown.moments.get(at))", fragment)
    return page


def pressed(page: "Page", key: str) -> None:
    """Press a key while the focus is at the buttons below the table."""
    page.focus(".controls .play")
    page.keyboard.press(key)
