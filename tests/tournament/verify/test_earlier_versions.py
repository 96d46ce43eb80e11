"""Records that golfref 0.1.0 made are replayed and verified by every later version.

records_0_1_0.jsonl was written by that version, by `golfref match --record`; the host and the bots' commands are taken
out. Each of its matches is one that the rule book of 0.1.0 did not settle. The file is never written anew: where one of
its matches does not verify any more, it is the code that is wrong.
"""

from pathlib import Path

import msgspec
import pytest

from protocol.events import Blocked, Knocked, Round, Showdown, Slapped
from referee.play.talk.retell import other_version
from referee.rules.game import Game
from referee.rules.record import Record, replay
from referee.tournament.verify.record import check_record

RECORDS = [
    msgspec.json.decode(line, type=Record)
    for line in Path(__file__).with_name("records_0_1_0.jsonl").read_bytes().splitlines()
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.preset} {record.seed}")
def test_all_of_a_record_holds_but_the_bytes_that_were_sent(record: Record) -> None:
    assert list(check_record(record)) == []
    assert str(other_version(record.golfref, record.protocol)).startswith("played by golfref 0.1.0, protocol 1")


def played(seed: str) -> Game:
    """The match of this seed, played again."""
    (record,) = [one for one in RECORDS if one.seed == seed]
    return replay(record)


def test_nin_08_a_joker_counts_what_it_counted() -> None:
    """It counted -5 by default; now it counts -4."""
    game = played("nine0")
    (shown,) = [event for event in game.events if isinstance(event, Showdown)]
    assert any(str(card.value).startswith("X") for layout in shown.layouts for card in layout)
    assert game.table.options.joker_value == -5


def test_cmb_10_a_protected_callers_card_was_slapped() -> None:
    game = played("caller0")
    (caller,) = [event.seat for event in game.events if isinstance(event, Knocked)]
    slapped = [event.target[0] for event in game.events if isinstance(event, Slapped) and event.seat != caller]
    assert caller in slapped
    assert game.table.options.protect_ender


def test_par_22_playoff_holes_have_the_par_of_the_course() -> None:
    playoffs = [event for event in played("playoff0").events if isinstance(event, Round) and event.playoff]
    assert [event.rows for event in playoffs] == [3] * 9


def test_pow_17_a_shield_blocked() -> None:
    blocks = [event for event in played("blocked70").events if isinstance(event, Blocked)]
    assert [block.shield.value is None for block in blocks] == [False] * len(blocks) != []
