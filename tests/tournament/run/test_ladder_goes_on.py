"""A ladder whose bots come, are replaced and withdrawn: what was played goes on counting, and all of it verifies."""

import json
from contextlib import closing
from pathlib import Path

from commands import golfref
from quick import QUICK

from referee.tournament.store.store import Store

HEAD = (
    "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n"
    '[tournament]\nname = "run"\nseed = "abc"\nworkers = 1\nformat = "ladder"\ndeals = 1\n'
)
SIX = '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'


def bot(name: str, mode: str = "") -> str:
    """A bot; it is another version with another environment."""
    return f'[[bots]]\n{QUICK}\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


def test_entries_come_and_go_until_it_is_told_to_end(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(HEAD + "rounds = 1\n" + SIX + bot("ann") + bot("bea") + bot("cid"))
    golfref("tournament", "run.toml", cwd=tmp_path)
    config.write_text(HEAD + "rounds = 2\n" + SIX + bot("bea") + bot("cid", "new") + bot("dan"))
    _, said = golfref("tournament", "run.toml", "--amend", cwd=tmp_path)
    assert "round 2 of the ladder" in " ".join(said.split())
    assert "no more rounds: all 2 rounds of the ladder have been played" in said

    told = json.loads(golfref("standings", "run.golfref", "--json", cwd=tmp_path)[0])
    assert [one["title"] for one in told["rounds"]] == [f"round {number} of the ladder" for number in (1, 2)]
    former = {one["bot"].partition(" (version ")[0] for one in told["ratings"]["former"]}
    assert former == {"ann", "cid"}
    assert {row["bot"]: row["matches"] > 0 for row in told["standings"]} == {"bea": True, "cid": True, "dan": True}
    with closing(Store.open(tmp_path / "run.golfref")) as store:
        places = [(*match.identity.place, match.identity.rotation) for match in store.committed()]
    assert len(set(places)) == len(places), "a new version of a bot has cards that the former one did not see"
    assert "all holds" in golfref("verify", "run.golfref", cwd=tmp_path)[0]
