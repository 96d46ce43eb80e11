"""The hall view in Chromium: on a projector nothing scrolls, panels take turns, and everything can be read far away."""

from pathlib import Path

import pytest
from browsing import PHONE, Browsing, sideways

pytestmark = pytest.mark.browser

SMALLEST = 720 / 32
"""The pixels of the smallest type on a projector that is 720 pixels high: its 32nd part."""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_a_panel_is_cut_off_or_too_small_for_the_last_row(
    width: int, height: int, site: Path, browse: Browsing
) -> None:
    page = browse.open(site / "hall.html", bypass_csp=True)
    page.set_viewport_size({"width": width, "height": height})
    for name in page.evaluate("[...document.querySelectorAll('.panel')].map((one) => one.id)"):
        page.evaluate(f"location.hash = {name!r}")
        panel = page.locator(f"#{name}")
        panel.wait_for()
        assert page.locator(".panel:visible").count() == 1
        assert page.evaluate("document.documentElement.scrollHeight") == height
        assert panel.evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1
        sizes = panel.evaluate("(one) => [...one.querySelectorAll('li, p')].map((p) => getComputedStyle(p).fontSize)")
        assert min(float(size.removesuffix("px")) for size in sizes) >= SMALLEST * height / 720
        browse.picture(page, f"hall-{name}")
    assert browse.findings(page) == []


def test_the_panels_do_not_take_turns_or_one_that_was_chosen_goes(site: Path, browse: Browsing) -> None:
    page = browse.open(site / "hall.html")
    page.clock.install()
    page.reload()
    seen = set()
    for _ in range(12):
        seen.add(page.locator(".panel:visible").get_attribute("id"))
        page.clock.run_for(6_000)
    assert {"winner", "standings", "results"} < seen

    page.click("footer a[href='#results']")
    page.clock.run_for(60_000)
    assert page.locator("#results").is_visible()


def test_the_address_of_the_hall_view_leads_elsewhere(site: Path, browse: Browsing) -> None:
    page = browse.open(site / "index.html", width=PHONE)
    page.goto(f"{page.url}?hall")
    page.wait_for_url("**/hall.html")
    assert sideways(page) == 0
    page.wait_for_selector("#results")
