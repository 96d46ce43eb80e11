"""The kit for bots in Python: its table keeps what a seat can know, its bot answers whatever is asked, its loop ends.

What plays whole games with it is in test_shipped_bots.py: keeper, and the bot of its README.
"""

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.actions import Action, Slap
from protocol.codec import decode_answer, encode
from protocol.messages import Answer, Clocks, FaultPolicy
from protocol.offers import admits
from referee.play.spec import SHIPPED
from referee.play.talk.script import announcements
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Sealed, Window
from referee.rules.secrets import view
from referee.rules.variants import PRESETS, Variant

Message = dict[str, Any]


@pytest.fixture(scope="module")
def kit() -> Iterator[Any]:
    """The kit, imported as a bot imports it."""
    sys.path.insert(0, str(SHIPPED))
    yield importlib.import_module("kit")
    sys.path.remove(str(SHIPPED))


def match_messages(variant: Variant, seats: int) -> list[Message]:
    told = announcements(variant, variant.preset, seeds=range(seats), clocks=Clocks(), faults=FaultPolicy())
    return [json.loads(encode(message)) for message in told]


# The table


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=2)
@given(data=st.data(), seed=st.integers(0, 1 << 32), haste=st.sampled_from((0.02, 0.1, 0.4)))
def test_the_events_tell_all_that_a_seat_can_know(
    preset: str, kit: Any, data: st.DataObject, seed: int, haste: float
) -> None:
    """No card is taken for another, and none is lost, without any look at the `table` of a request."""
    variant, seats = data.draw(AtRandom().tables(preset))
    follow(kit, variant, min(seats, 4), seed, haste)


@pytest.mark.parametrize(
    ("seed", "haste"),
    [
        pytest.param(1581, 0.02, id="the first of two equal cards is kept"),
        pytest.param(16, 0.1, id="a black king is shown when it is drawn"),
        pytest.param(194, 0.02, id="a 2 stands in that lies below other cards"),
        pytest.param(208, 0.02, id="a 2 has stood in before it copies an 8"),
    ],
)
def test_the_events_of_powers_tell_all_that_a_seat_can_know(kit: Any, seed: int, haste: float) -> None:
    options = {"hidden_rearrange": False, "black_king_cancels": "drawn", "rounds": 1, "turn_cap": 25}
    follow(kit, with_options("powers", options), 4, seed, haste)


def follow(kit: Any, variant: Variant, seats: int, seed: int, haste: float) -> None:
    """Play by chance, and compare the table of each seat with the referee's after every answer."""
    at_random, dice = AtRandom(), Random(seed)  # noqa: S311
    game = Game.from_seed(variant, seats, str(seed))
    matches = match_messages(variant, seats)
    tables = [kit.Table(match) for match in matches]
    told = 0
    for _ in range(100):
        for viewer, table in enumerate(tables):
            for happening in game.events[told:]:
                table.read(json.loads(msgspec.json.encode(view(happening, viewer))))
        told = len(game.events)
        if game.question is None:
            return
        if game.table.layouts:
            for table, match in zip(tables, matches, strict=True):
                assert_true(kit, table, kit.Unseen(match), game)
            assert_known_by_whom(kit, tables, game)
        response = at_random.response(game, dice, haste=haste)
        if isinstance(game.question, Ask):
            tables[game.question.seat].answered(json.loads(msgspec.json.encode(response)))
        game.answer(response)


def assert_true(kit: Any, table: Any, unseen: Any, game: Game) -> None:
    """What a seat believes is so, and what it has not seen is what lies elsewhere."""
    real = game.table
    elsewhere = Counter(real.stock)
    for believed, faces, layout in zip(table.layouts, table.faces, real.layouts, strict=True):
        assert faces == [slot is not None and slot.up for slot in layout]
        for card, slot in zip(believed, layout, strict=True):
            assert (card is None) == (slot is None)
            if slot is not None and not kit.is_known(card):
                assert not slot.up
                elsewhere[slot.card] += 1
            elif slot is not None:
                assert card == slot.card
    assert table.pile == real.pile
    assert (table.stock, table.knocker, table.totals) == (len(real.stock), real.ended_by, list(real.totals))
    unseen.see(table.seen())
    in_hands = Counter(unseen.cards) - elsewhere
    assert elsewhere <= Counter(unseen.cards)
    assert sum(in_hands.values()) == table.hand.count(kit.UNKNOWN)
    assert unseen.total == sum(unseen.cards.values()) == len(unseen.listed())


def assert_known_by_whom(kit: Any, tables: Sequence[Any], game: Game) -> None:
    """Who knows which card on the rules' table, and of whom that can be told, is what each seat can tell by events."""
    for table, (seat, layout) in product(tables, enumerate(game.table.layouts)):
        for slot, lies in enumerate(layout):
            if lies is not None:
                own = lies.known_by & 1 << table.seat
                assert kit.is_known(table.at((seat, slot))) == bool(own)
                assert table.knowers[seat][slot] == (lies.openly_known_by | own) & table.everybody


# The cards that are not seen, and what cards and layouts cost


def a_match(kit: Any, preset: str, seats: int, seen: Sequence[str] = ()) -> tuple[Any, Any]:
    """The unseen cards and the measure of a match in which these cards are seen."""
    match = match_messages(PRESETS[preset], seats)[0]
    unseen, measure = kit.Unseen(match), kit.Measure(match)
    unseen.see(seen)
    measure.reckon(unseen, match["rows"])
    return unseen, measure


def test_what_layouts_cost(kit: Any) -> None:
    _, six_card = a_match(kit, "six-card", 2)
    assert six_card.cost(["9S", "2H", "4D", "9H", "KC", "AS"]) == -2 + 0 + 4 + 1  # the nines cancel
    average = six_card.points(kit.UNKNOWN)
    assert average == pytest.approx(sum(range(3, 11)) / 13 + (1 - 2 + 10 + 10) / 13)
    assert six_card.cost(["9S", "?", None, "8H", "KC", None]) == pytest.approx(17 + average)

    _, par = a_match(kit, "par-3", 2)
    assert par.cost(["9S", "9H", "4D", "5H", "KC", "AS"]) == 0 + 9 + 1
    assert par.score_of_row(["9S", "9H"]) == 0


# The bot


MINE = """
import sys
from kit import Bot, run

class Mine(Bot):
    matches = 0

    @classmethod
    def prepare(cls, hello):
        print("prepared for", hello["protocol"], file=sys.stderr)

    def place(self, offers):
        return {"kind": "discard"}, {"kind": "flip", "slot": offers.choices("swap", "slot")[-1]}

    def hear(self, event):
        if event["event"] == "later":
            print("heard", event["of_old"], file=sys.stderr)

    def end(self, message):
        Mine.matches += 1
        print("over", Mine.matches, self.table.totals, file=sys.stderr)

run(Mine)
"""


@pytest.fixture
def start(tmp_path: Path, mark: dict[str, str]) -> Callable[[str], subprocess.Popen[bytes]]:
    """Starts a bot with the kit beside it."""
    shutil.copytree(SHIPPED / "kit", tmp_path / "kit", ignore=shutil.ignore_patterns("__pycache__"))

    def started(program: str) -> subprocess.Popen[bytes]:
        (tmp_path / "mine.py").write_text(program)
        # Where these tests run in the background, they ignore Ctrl-C, and so would what they start.
        usual = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return subprocess.Popen(
                [sys.executable, "mine.py"],
                cwd=tmp_path,
                env=os.environ | mark,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        finally:
            signal.signal(signal.SIGINT, usual)

    return started


def hello() -> Message:
    game = {"variant": "six-card", "name": "six-card", "seats": 2}
    return {"type": "hello", "protocol": "1", "referee": "golfref", "games": [game]}


def request(decision: str, legal: Sequence[Message], events: Sequence[Message] = (), **more: Any) -> Message:
    return {"type": "request", "id": decision, "decision": decision, "legal": legal, "events": events} | more


def lines(*messages: Message) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\r\n" for message in messages)


DREW = {"event": "drew", "seat": 0, "from": "stock", "card": "QH", "stock": 39}
PLACE = request("place", [{"kind": "swap", "slot": {"one_of": [0, 4]}}, {"kind": "discard"}], [DREW])
LATER = request(
    "later",
    [{"kind": "later", "some": {"pick": 2, "of": [5, 6, 7]}, "one": {"one_of": [[1, 2]]}, "any": {"any_of": [3]}}],
    [{"event": "later", "of_old": "nothing"}],
    later=True,
)


def test_a_bot_of_the_kit_plays_match_after_match(start: Callable[[str], subprocess.Popen[bytes]]) -> None:
    """It answers what it has never heard of, hears of the end, and ends with its input."""
    match = match_messages(PRESETS["six-card"], 2)[0]
    scored = {"event": "scored", "raw": [1, 2], "scores": [1, 2], "totals": [1, 2], "ender": 0, "capped": False}
    over = {"type": "end", "events": [scored], "totals": [1, 2], "ranks": [1, 2], "forfeited": []}
    one = (match, PLACE, LATER, over)
    with start(MINE) as bot:
        said, noted = bot.communicate(lines(hello(), *one, {"type": "later"}, *one))

    assert (bot.returncode, noted.decode().splitlines()) == (
        0,
        ["prepared for 1", "heard nothing", "over 1 [1, 2]", "heard nothing", "over 2 [1, 2]"],
    )
    discard = {"kind": "discard"}
    placed = {"type": "answer", "id": "place", "action": discard, "then": {"kind": "flip", "slot": 4}}
    later = {"kind": "later", "some": [5, 6], "one": [1, 2], "any": []}
    answers = [placed, {"type": "answer", "id": "later", "action": later}]
    assert [json.loads(line) for line in said.splitlines()] == [{"type": "ready", "name": "Mine"}, *answers, *answers]


def test_a_bot_of_the_kit_ends_quietly_at_ctrl_c(start: Callable[[str], subprocess.Popen[bytes]]) -> None:
    with start(MINE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        assert bot.stderr is not None
        bot.stdin.write(lines(hello()))
        bot.stdin.flush()
        bot.stdout.readline()
        bot.send_signal(signal.SIGINT)
        noted = bot.stderr.read()
        bot.wait()
    assert (bot.returncode, noted) == (0, b"prepared for 1\n")


def test_the_bot_of_the_kits_readme_does_what_it_says(start: Callable[[str], subprocess.Popen[bytes]]) -> None:
    """It takes a card of at most two points from the pile, and says so; else the kit decides."""
    (program,) = re.findall(r"```python\n(.*?)```", (SHIPPED / "kit/README.md").read_text(), re.DOTALL)
    match = match_messages(PRESETS["six-card"], 2)[0]
    dealt = {"event": "round", "round": 1, "dealer": 1, "starter": 0, "totals": [0, 0], "rows": 2, "stock": 40}
    draw = [{"kind": "draw", "from": {"one_of": ["stock", "pile"]}}]
    asked = [
        request("turn", draw, [{**dealt, "playoff": False}, {"event": "up_card", "card": card, "stock": 39}])
        for card in ("AS", "QS")
    ]
    with start(program) as bot:
        said, noted = bot.communicate(lines(hello(), match, *asked))

    assert (bot.returncode, noted) == (0, b"")
    answers = [json.loads(line) for line in said.splitlines()[1:]]
    drawn = [(answer["action"], answer.get("comment")) for answer in answers]
    assert drawn == [({"kind": "draw", "from": "pile"}, "AS is cheap"), ({"kind": "draw", "from": "stock"}, None)]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_bot_that_decides_nothing_itself_plays_every_game(preset: str, kit: Any) -> None:
    """Every decision of the kit's own is legal, and it ends rounds before the referee stops them."""
    seats = max(2, PRESETS[preset].seats[0])
    game = Game.from_seed(PRESETS[preset], seats, "any")
    bots = [kit.Bot(match) for match in match_messages(PRESETS[preset], seats)]
    told = [0] * seats

    def answered(ask: Ask) -> Action:
        news = [json.loads(msgspec.json.encode(event)) for event in game.seen(ask.seat, told[ask.seat])]
        told[ask.seat] = len(game.events)
        legal = [json.loads(msgspec.json.encode(offer)) for offer in ask.offers]
        said = bots[ask.seat].answer(request(ask.decision, legal, news))
        answer: Answer = decode_answer(json.dumps(said).encode())
        assert admits(ask.offers, answer.action), said
        return answer.action

    lots = tuple(range(seats))
    for _ in range(400):
        if game.question is None or game.table.round > 2:
            return
        question = game.question
        if isinstance(question, Window):
            slaps = {ask.seat: slap for ask in question.asks if isinstance(slap := answered(ask), Slap)}
            game.answer(order_slaps(game.table.options, question, slaps, dict.fromkeys(slaps, 1.0), lots))
        elif isinstance(question, Sealed):
            game.answer(tuple(map(answered, question.asks)))
        else:
            game.answer(answered(question))
    pytest.fail("two rounds take more than 400 questions")
