"""protocol/FIRST_BOT.md is true: golfref says what the page quotes, and the offers of its card are real ones."""

import json
import re
import sys
from pathlib import Path
from typing import get_args

import pytest
from commands import golfref

import protocol
from protocol.messages import Decision

FOLDER = Path(protocol.__file__).parent
PAGE = (FOLDER / "FIRST_BOT.md").read_text(encoding="utf-8")

ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| `(\{.+?\})` \| `(\{.+?\})` \|$", flags=re.MULTILINE)
"""A row of the card: the decision, an offer, an action."""

BOT = """
import json, sys, time

def say(message):
    print(json.dumps(message), flush=sys.argv[1] != "buffer")

if sys.argv[1] == "print":
    print("I begin", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready"})
    elif message["type"] == "request":
        action = {"kind": "turn_up", "slots": [0, 1]}
        answer = {"type": "answer", "id": message["id"], "action": action}
        match sys.argv[1]:
            case "quotes": print(answer, flush=True)
            case "lines": print(json.dumps(answer, indent=2), flush=True)
            case "id": say(answer | {"id": "1"})
            case "beside": say({"type": "answer", "id": message["id"]} | action)
            case "offer": say(answer | {"action": message["legal"][0]})
            case "text": say(answer | {"action": action | {"slots": "0,1"}})
            case "count": say(answer | {"action": action | {"slots": [1, 6]}})
            case "null": sys.exit(1)
"""


@pytest.mark.parametrize(
    ("mistakes", "clock"),
    [
        (["buffer", "buffer"], ["--start-s", "0.4"]),
        (["print", "quotes", "lines", "beside", "offer", "text", "count", "null"], []),
        (["id", "nothing"], ["--move-s", "0.2"]),
    ],
    ids=["start", "lines", "late"],
)
def test_golfref_says_what_the_page_quotes(mistakes: list[str], clock: list[str], tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(BOT)
    bots = [word for mistake in mistakes for word in ("--bot", f"{sys.executable} first.py {mistake}")]

    _, said = golfref("match", *clock, "--variant=six-card", "--option=rounds=1", "--strikes=1", *bots, cwd=tmp_path)

    quotes = [anonymous(quote) for quote in re.findall(r"^> (.+)$", PAGE, flags=re.MULTILINE)]
    heard = {quote for quote in quotes for line in anonymous(said).splitlines() if quote in line}
    assert len(quotes) == 11
    assert len(heard) == len(set(mistakes))


def anonymous(text: str) -> str:
    """A text without what differs from match to match: its numbers, and time that was not charged."""
    return re.sub(r"\d+(\.\d+)?", "N", text).replace(" (not counting N s in which it had to wait for the host)", "")


def test_the_card_has_every_decision_with_an_offer_and_an_action_of_a_transcript() -> None:
    rows = ROW.findall(PAGE)
    said = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "transcripts").iterdir())

    assert [decision for decision, _, _ in rows] == sorted(get_args(Decision), key=[row[0] for row in rows].index)
    for _, offer, action in rows:
        assert offer in said
        assert json.loads(offer)["kind"] == json.loads(action)["kind"]
        assert action in said
