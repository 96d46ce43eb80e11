"""What watches over the pages of all other tests: each kind of trouble is noticed, and a page without any passes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import DESKTOP, PHONE, Browsing, sideways

pytestmark = pytest.mark.browser

CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes a page with these elements, with the policy of our pages and a script of its own."""

    def write(body: str, script: str = "", head: str = "") -> Path:
        (tmp_path / "page.js").write_text(script)
        page = tmp_path / "page.html"
        page.write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>'
            f'<meta name="viewport" content="width=device-width">'
            f'<meta http-equiv="Content-Security-Policy" content="{CSP}">{head}'
            f'</head><body><main><h1>A page</h1>{body}</main><script src="page.js"></script></body></html>'
        )
        return page

    return write


def test_a_page_that_is_content_with_files_passes(browse: Browsing, write: Write) -> None:
    page = browse.open(write('<p id="said"></p>', 'said.textContent = location.hash + " " + innerWidth'), "r3t12")

    assert page.inner_text("#said") == f"#r3t12 {DESKTOP}"


@pytest.mark.parametrize(
    ("body", "script", "trouble"),
    [
        ("", "nothing.at.all", "uncaught: .*ReferenceError: nothing is not defined"),
        ("", "Promise.reject(new Error('late'))", "uncaught: Uncaught .in promise. Error: late"),
        ("", "console.error('so wrong')", "console error: so wrong"),
        ("<script>document.title = 'in the page'</script>", "", "violates the following Content Security Policy"),
        ('<p style="color: red">red</p>', "", "violates the following Content Security Policy"),
        ("", "fetch('https://example.org/cards')", "example.org/cards"),
        ('<img alt="" src="missing.svg">', "", "missing.svg"),
        ("", "location = 'http://example.org/elsewhere'", "asks for http://example.org/elsewhere"),
    ],
)
def test_trouble_in_a_page_is_noticed(browse: Browsing, write: Write, body: str, script: str, trouble: str) -> None:
    page = browse.open(write(body, script))
    page.wait_for_load_state("networkidle")

    with pytest.raises(AssertionError, match=trouble):
        browse.close()
    browse.troubles.clear()


def test_a_network_is_out_of_reach_without_a_policy_too(browse: Browsing, tmp_path: Path) -> None:
    page = tmp_path / "bare.html"
    page.write_text('<!doctype html><title>Bare</title><img alt="" src="https://example.org/picture.png">')

    browse.open(page)

    assert any(
        "not loaded: https://example.org/picture.png: net::ERR_NAME_NOT_RESOLVED" in one for one in browse.troubles
    )
    browse.troubles.clear()


def test_axe_objects_and_the_policy_does_not_stop_it(browse: Browsing, write: Write) -> None:
    poor = browse.open(write('<img src="page.js"><button></button>'), bypass_csp=True)
    good = browse.open(write("<p>Some words.</p>"), bypass_csp=True)

    assert {finding.partition(" ")[0] for finding in browse.findings(poor)} == {"image-alt", "button-name"}
    assert browse.findings(good) == []


def test_a_page_that_is_too_wide_for_a_phone_is_noticed(browse: Browsing, write: Write) -> None:
    wide = browse.open(write(f"<p>{'W' * 100}</p>"), width=PHONE)
    narrow = browse.open(write("<p>W</p>"), width=PHONE)

    assert sideways(wide) > 0
    assert sideways(narrow) == 0
