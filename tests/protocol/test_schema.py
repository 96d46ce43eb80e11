"""The written specification against what it specifies: schema.json, and the words, numbers and lines of README.md."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import naive_streams as naive
import pytest
from golden import Golden
from msgspec.structs import fields, replace

import protocol
from protocol.actions import Action
from protocol.events import Event
from protocol.messages import (
    Answer,
    Clocks,
    Decision,
    End,
    Fault,
    FaultKind,
    FaultPolicy,
    GameMessage,
    Hello,
    Limits,
    Match,
    Ready,
    Request,
    TableMessage,
)  # fmt: skip
from protocol.schema import schema, text
from referee.rules.chance import Keyed
from referee.rules.keyed_streams import bot_seed
from referee.rules.variants import PRESETS, preset
from referee.tournament.plan.keys import commitment, deal_key, master_key

FOLDER = Path(protocol.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")


# The schema


def test_the_schema_file_is_what_the_types_give(golden: Golden) -> None:
    golden = replace(golden, command="python -m protocol.schema > protocol/schema.json")

    golden.check(FOLDER / "schema.json", text())


def test_every_reference_of_the_schema_leads_to_a_definition() -> None:
    made = schema()

    references = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(made)))

    assert references == set(made["$defs"])


# The words of README.md


def members(union: Any) -> list[Any]:
    """The structs of a union, without their type arguments."""
    return [getattr(one, "__origin__", one) for one in get_args(union)]


def words() -> Iterator[str]:
    """Every word that can stand on the wire as a name: tags, fields, decisions, fault kinds, presets."""
    plain = (Hello, GameMessage, Limits, Ready, Match, Clocks, FaultPolicy, TableMessage, Request, Answer, End, Fault)
    for kind in (*plain, *members(Action), *members(Event)):
        if kind.__struct_config__.tag is not None:
            yield str(kind.__struct_config__.tag)
        yield from (field.encode_name for field in fields(kind))
    yield from (*get_args(Decision), *get_args(FaultKind), *PRESETS)


def test_the_readme_has_every_word_of_the_wire() -> None:
    assert [word for word in sorted(set(words())) if not re.search(rf'[`"]{re.escape(word)}[`"]', README)] == []


def test_the_readme_lists_the_fields_of_every_kind() -> None:
    rows = [row.split("|") for row in README.splitlines() if row.startswith("| `")]

    for kind in (*members(Event), *members(Action)):
        tag = f"`{kind.__struct_config__.tag}`"
        wanted = [field.encode_name for field in fields(kind)]
        listed = [re.findall(r"`(\w+)`", row[2]) for row in rows if tag in row[1]]
        assert any([name for name in one if name in wanted] == wanted for one in listed), kind.__name__


# The worked example of section 9, re-derived from the words of the specification alone


def printed(what: str) -> list[str]:
    """The values that the row `what` of the worked example prints."""
    (row,) = re.findall(rf"^\| {re.escape(what)} \| (.+) \|$", README, flags=re.MULTILINE)
    return re.findall(r"`([^`]+)`", row)


def test_the_keys_of_the_worked_example() -> None:
    bots = ["greedy", "keeper", "random"]
    master = hashlib.sha256(b"golfref/seed\x00demo").digest()
    array = json.dumps(["six-card", bots, 0], separators=(",", ":"))
    key = naive.digest(master, b"golfref/deal\x00" + array.encode())

    assert printed("master key") == [master.hex()]
    assert printed("commitment") == [hashlib.sha256(master).hexdigest()]
    assert printed("JSON") == [array]
    assert printed("deal key") == [key.hex()]
    assert printed("`seating`, three bots") == [" ".join(naive.shuffled(naive.words(key, "seating"), bots))]


def test_the_deal_of_the_worked_example() -> None:
    key = bytes.fromhex(printed("deal key")[0])
    pack = [rank + suit for suit in "SHDC" for rank in ("A", *map(str, range(2, 11)), "J", "Q", "K")]
    deck = naive.shuffled(naive.words(key, "deck/1"), pack)
    seat_1 = deck[0:18:3]
    stream = naive.words(key, "deck/1")

    assert printed("`deck/1`, digest 0")[0] == naive.digest(key, b"deck/1" + bytes(9)).hex()
    assert printed("its first words") == [" ".join(str(next(stream)) for _ in range(3))]
    stream = naive.words(key, "deck/1")
    assert printed("first three draws") == [str(naive.below(stream, n)) for n in (52, 51, 50)]
    assert printed("`deck/1`, one pack")[0] == " ".join(deck[:26])
    assert printed("dealer 0: seat 1, slots 0-5") == [" ".join(seat_1)]
    assert printed("up-card") == [deck[18]]


def test_the_other_streams_of_the_worked_example() -> None:
    key = bytes.fromhex(printed("deal key")[0])
    first, second = (number for number, _ in zip(naive.words(key, "bot/0/2"), range(2), strict=False))

    for purpose, what in (("lots/1/1", "`lots/1/1`, three seats"), ("asking/1/1", "`asking/1/1`, three seats")):
        assert printed(what)[0] == " ".join(map(str, naive.shuffled(naive.words(key, purpose), range(3))))
    assert printed("`bot/0/2`") == [str(first * 2**21 + second // 2**11)]


def test_the_referee_deals_the_worked_example() -> None:
    master = master_key("demo")
    key = deal_key(master, "six-card", ["random", "greedy", "keeper"], 0)

    assert [commitment(master)] == printed("commitment")
    assert [key.hex()] == printed("deal key")
    assert " ".join(Keyed(key, preset("six-card"), 3).deck(1)[:26]) == printed("`deck/1`, one pack")[0]
    assert str(bot_seed(key, 0, 2)) == printed("`bot/0/2`")[0]


# The conversation of section 10


def lines_of_transcripts() -> Iterator[tuple[str, str]]:
    """Who writes, and the line, over all golden transcripts."""
    for path in (FOLDER / "transcripts").iterdir():
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            to = json.loads(line)["to"]
            yield "R" if to == "bot" else "B", line.partition('"line":')[2].removesuffix("}")


def test_the_conversation_is_from_the_transcripts() -> None:
    shown = re.findall(r"^    ([RB])> (.+)$", README, flags=re.MULTILINE)
    said = list(lines_of_transcripts())

    assert len(shown) > 10
    for writer, line in shown:
        pattern = re.compile(".*".join(re.escape(piece) for piece in line.split("...")))
        assert any(who == writer and pattern.fullmatch(whole) for who, whole in said), line


# The table of the games in section 3


def rows_of_games() -> dict[str, list[str]]:
    """The further columns of the table by preset."""
    found = re.findall(
        r"^\| `([a-z0-9-]+)` \| ([\d to]+ x \d) \| (\d+-\d+) \| ([a-z0-9_` ]+) \|$", README, re.MULTILINE
    )
    return {name: others for name, *others in found}


@pytest.mark.parametrize("name", PRESETS)
def test_the_table_of_the_games_is_true(name: str, golden: Golden) -> None:
    golden = replace(golden, command="pytest tests/protocol/test_transcripts.py --write")
    layout, seats, decisions = rows_of_games()[name]
    variant = PRESETS[name]
    asked = re.findall(r'"decision":"(\w+)"', golden.read(FOLDER / "transcripts" / f"{name}.jsonl").decode())

    assert layout == f"{'3 to ' if variant.options.course else ''}{variant.rows} x {variant.columns}"
    assert seats == "{}-{}".format(*variant.seats)
    assert set(re.findall(r"\w+", decisions)) == set(asked)
