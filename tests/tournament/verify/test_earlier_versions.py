"""Records that earlier versions of golfref made are replayed and verified by every later version.

records_0_1_0.jsonl and the files of later versions were written by those versions, by `golfref match --record`; the
host and the bots' commands are taken out. Each match of the first file is one that the rule book of 0.1.0 did not
settle; the others have a match of every preset. The files are never written anew: where one of their matches does not
verify any more, it is the code that is wrong.
"""

import gzip
from itertools import chain
from pathlib import Path

import msgspec
import pytest
from commands import golfref
from msgspec.structs import replace

from protocol.events import Blocked, Knocked, Round, Showdown, Slapped
from referee import __version__
from referee.play.talk.retell import other_version
from referee.rules.game import Game
from referee.rules.record import Record
from referee.rules.record import replay as replayed
from referee.rules.variants import PRESETS
from referee.tournament.verify.record import check_record

pytestmark = pytest.mark.full

RECORDS = [
    msgspec.json.decode(line, type=Record)
    for line in Path(__file__).with_name("records_0_1_0.jsonl").read_bytes().splitlines()
]

SAME_WIRE = {
    version: [
        msgspec.json.decode(line, type=Record)
        for line in gzip.decompress(Path(__file__).with_name(f"records_{version}.jsonl.gz").read_bytes()).splitlines()
    ]
    for version in ("0_2_0", "0_3_0", "0_4_0", "0_5_0", "0_6_0", "0_7_0", "0_8_0")
}
"""Records by the version that made them, one of those that sent the same bytes as this one."""


@pytest.mark.parametrize(
    "record", [*chain(*SAME_WIRE.values())], ids=lambda record: f"{record.golfref}-{record.preset}"
)
def test_what_a_version_with_the_same_wire_sent_is_told_again_to_the_byte(record: Record) -> None:
    """A change of what bots are sent takes these versions out of retell.py's SAME_WIRE, and they are tested as below.

    `hello` tells the version, so that a record which claims another one is found out.
    """
    assert list(check_record(record)) == []
    assert other_version(record.golfref, record.protocol) is None
    claimed = list(check_record(replace(record, golfref=__version__)))
    assert {finding.rpartition(": ")[2] for finding in claimed} == {"it was sent other bytes than the record tells"}


@pytest.mark.parametrize("records", SAME_WIRE.values(), ids=SAME_WIRE)
def test_there_is_a_match_of_every_preset(records: list[Record]) -> None:
    assert {record.preset for record in records} == set(PRESETS)


def test_what_could_not_be_checked_is_named_and_never_all_holds(tmp_path: Path) -> None:
    here = Path(__file__).parent
    said, _ = golfref("verify", "records_0_1_0.jsonl", cwd=here, code=4)
    assert said == (
        "records_0_1_0.jsonl: what could be checked holds: 6 matches replayed; "
        "not checked: what was sent in 6 matches that golfref 0.1.0 played\n"
    )
    (tmp_path / "one.json").write_bytes(msgspec.json.encode(replace(SAME_WIRE["0_2_0"][0], golfref="0.1.0")))
    assert "not checked: what was sent in 1 match" in golfref("verify", "one.json", cwd=tmp_path, code=4)[0]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.preset} {record.seed}")
def test_all_of_a_record_holds_but_the_bytes_that_were_sent(record: Record) -> None:
    assert list(check_record(record)) == []
    assert str(other_version(record.golfref, record.protocol)).startswith("played by golfref 0.1.0, protocol 1")


def played(seed: str) -> Game:
    """The match of this seed, played again."""
    (record,) = [one for one in RECORDS if one.seed == seed]
    return replayed(record)


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
