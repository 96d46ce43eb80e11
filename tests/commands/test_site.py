"""golfref site, and golfref tournament --site: what they write, when they tell what, and what they refuse."""

import base64
import contextlib
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from subprocess import DEVNULL

import pytest
from commands import GOLFREF, golfref, until_there
from made_once import made_once
from match_data import data_in
from quick import QUICK
from two_deals import CONFIG, two_deals

from referee.commands.runs.site import problem
from referee.commands.tournament.live_site import check_site
from referee.rules.record import read_record, walk
from referee.site.folder import SiteRefused, commitment_of, site_folder
from referee.tournament.store.store import Store

CARD = re.compile("(10|[2-9AJQK])([SHDC♠♥♦♣])")
SUITS = dict(zip("♠♥♦♣", "SHDC", strict=True))


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """The folder of a copy of a finished run of two deals, with two rotations each."""
    made = made_once(tmp_path_factory, "exported", two_deals)
    for name in ("run.golfref", "run.toml"):
        shutil.copy(made / name, tmp_path)
    return tmp_path


def texts(folder: Path) -> Iterator[str]:
    """All that lies below a folder, with the data of matches unpacked."""
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            yield text
            yield data_in(text)


def cards_in(text: str) -> str:
    """All cards that a text names, one after another."""
    return " ".join(rank + SUITS.get(suit, suit) for rank, suit in CARD.findall(text))


def dealt(store: Store, number: int) -> list[str]:
    """The cards of a match as they were dealt, a text for each seat."""
    game, _ = next(walk(read_record(store.record(store.planned(number).id))))
    return [" ".join(str(slot.card) for slot in layout if slot is not None) for layout in game.table.layouts]


def test_while_a_run_goes_on_nothing_tells_its_key_or_the_cards_that_are_to_be_dealt(run: Path) -> None:
    with closing(Store.open(run / "run.golfref")) as store:
        key, cards = store.meta().master_key, {number: dealt(store, number) for number in range(4)}
        ids = {number: store.planned(number).id for number in range(4)}
    secrets = (key, base64.b64encode(bytes.fromhex(key)).decode())
    whole = (run / "run.golfref").read_bytes()
    with closing(sqlite3.connect(run / "run.golfref")) as connection, connection:
        connection.execute("DELETE FROM places WHERE number = 1")  # as if the run had been killed before it

    _, err = golfref("site", "run.golfref", "-o", "site", cwd=run)

    assert "Interrupted: nobody plays this run now." in (run / "site/index.html").read_text()
    assert "a site of 3 matches" in err
    everything = list(texts(run / "site"))
    named = [cards_in(text) for text in everything]
    assert not any(secret in text for text in everything for secret in secrets)
    assert not any(seat in text for seat in cards[1] for text in named)
    for number in (0, 2, 3):
        assert all(any(seat in text for text in named) for seat in cards[number])
        assert (run / "site" / "matches" / str(ids[number]) / "index.html").is_file()

    (run / "run.golfref").write_bytes(whole)  # it has been played to its end
    _, err = golfref("site", "run.golfref", "-o", "site", "--verify", cwd=run)

    assert "all holds: 4 matches replayed" in err
    assert "all holds: 4 matches replayed" in (run / "site" / "about.html").read_text()
    everything = list(texts(run / "site"))
    named = [cards_in(text) for text in everything]
    assert key in (run / "site" / "about.html").read_text()
    assert all(any(seat in text for text in named) for number in range(4) for seat in cards[number])


def test_what_cannot_be_made_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("all of it")
    (tmp_path / "no-store").write_text("all of it")

    assert "no such store" in golfref("site", "run.golfref", "-o", "site", cwd=tmp_path, code=2)[1]
    assert "not a golfref store" in golfref("site", "no-store", "-o", "site", cwd=tmp_path, code=2)[1]
    for folder, told in (
        ("mine", "mine: this folder holds what is not a site of golfref (thesis.tex); name another folder"),
        (".", "the store run.golfref lies in this folder, and would be published"),
    ):
        with pytest.raises(SiteRefused, match=re.escape(told)), contextlib.chdir(tmp_path):
            check_site(Path(folder), Path("run.golfref"), "ab" * 32, fresh=False)
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "no-store"}


def test_what_is_missing_is_told_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    assert re.search(
        "this needs jinja2 and matplotlib; .* -m pip install jinja2 matplotlib.* the extra `site` of golfref",
        problem() or "",
    )
    with pytest.raises(SiteRefused, match="this needs jinja2 and matplotlib"):
        check_site(tmp_path / "site", tmp_path / "run.golfref", "ab" * 32, fresh=False)


@pytest.fixture
def env(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is started from here lives in the marked environment, and must be gone after the test."""
    for name, value in mark.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("env")
def test_the_site_of_a_tournament_is_there_while_it_is_played_and_its_process_dies_with_it(
    tmp_path: Path, until_gone: Callable[[], None]
) -> None:
    (tmp_path / "run.toml").write_text(CONFIG.format(quick=QUICK).replace("deals = 2", "deals = 9999"))
    with site_folder(tmp_path / "site", "another", "ab" * 32) as folder:
        folder.begin()
        folder.finish()
    command = ("tournament", "run.toml", "--site", "site")
    assert "the site of another run (another" in golfref(*command, cwd=tmp_path, code=2)[1]
    assert not (tmp_path / "run.golfref").exists()

    with subprocess.Popen([*GOLFREF, *command, "--fresh"], cwd=tmp_path, stderr=DEVNULL) as played:
        try:
            until_there(tmp_path / "site.old1")
            until_there(tmp_path / "site" / "status.js")
        finally:
            played.kill()
    until_gone()

    assert sorted(path.name for path in tmp_path.glob("site*")) == ["site", "site.old1"]
    assert str(commitment_of(tmp_path / "site")) in (tmp_path / "site" / "about.html").read_text()


@pytest.mark.full  # the process of the site takes seconds to start
@pytest.mark.usefixtures("env")
def test_the_site_of_a_tournament_is_complete_when_it_ends(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG.format(quick=QUICK))

    _, err = golfref("tournament", "run.toml", "--site", "site", cwd=tmp_path, alone=True)

    assert "site: a site of 4 matches, all of them with pages of their own" in err
    assert '"live":false' in (tmp_path / "site" / "status.js").read_text()
