"""The browser of these tests leaves nothing behind."""

import pytest
from browsing import chromium
from needs import need_chromium
from processes import Marked, family

pytestmark = pytest.mark.browser


def test_a_chromium_and_what_drives_it_are_found_and_gone_afterwards(mark: dict[str, str], marked: Marked) -> None:
    with chromium(need_chromium(), mark) as browser:
        browser.new_page()
        ours = family(marked())
        commands = " ".join(ours.values())
        assert "--type=renderer" in commands
        assert "run-driver" in commands

    assert marked() == {}
    assert not set(ours.items()) & set(family(ours).items())
