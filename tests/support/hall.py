"""The site of a tournament of all games, in which strangers' texts try what can be tried."""

import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from commands import golfref
from quick import FILLER

from referee.rules.book.presets import PRESETS
from referee.rules.record import Record
from referee.tournament.store.store import Store

SCRIPT = "<script>alert(1)</script>"
"""What a bot is called."""

TURNED = "\u202egnp.exe\u2066"
"""A text that would turn around what stands after it."""

MARKUP = '"><img src=x onerror=alert(2)><style>*{display:none}</style></script><script>alert(3)</script>' + TURNED

SETTINGS = """
time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 5 }
[tournament]
name = "Hall & <b>games</b>"
seed = "hall"
seats = 3
deals = 1
trust = "all"
"""

SHORTER = "options = { rounds = 2 }\n"

LONG = {"par-course"}
"""Games that have no fewer rounds."""

BOT = '[[bots]]\nname = "{name}"\nowner = "{owner}"\ncommand = ["{python}", "{program}.py"]\ndir = "{program}"\n'

BEGINNING = (
    FILLER
    + """
from random import Random

dice = Random(1)


def any_of(request, number):
    # No knock before the game has gone on for a while, and a slap wherever there may be one.
    kinds = {offer["kind"] for offer in request["legal"]}
    early = kinds - {"knock"} if number < 30 else kinds
    return right(request, *({"slap"} & kinds or early or kinds), dice=dice)
"""
)

PROGRAMS = {
    "dull": """
start(name="dull", version="1", author="Ann")
for number, request in enumerate(requests()):
    say(any_of(request, number))
""",
    "slapper": f"""
start(name={SCRIPT!r}, version={TURNED!r}, author={MARKUP[:40]!r})
for number, request in enumerate(requests()):
    print({MARKUP!r}, file=sys.stderr, flush=True)
    say(any_of(request, number))
""",
    "faulty": f"""
start(name={TURNED!r}, version={SCRIPT!r}, author="Eve")
for number, request in enumerate(requests()):
    if number in (3, 11):
        print("Oops: " + {MARKUP!r}, file=sys.stderr, flush=True)
        say(answer(request, {{"kind": {MARKUP!r}}}))
        continue
    if number == 7:
        say({MARKUP!r})
    say(any_of(request, number))
""",
}
"""What each bot does: what it likes, by dice; two of them with texts that no page may take for its own."""

BOTS = (("ann", "Ann", "dull"), (SCRIPT, "Bob & <i>Co</i>", "slapper"), ("eve", "Eve", "faulty"))


def hall(folder: Path) -> None:
    """Play the tournament in the folder, and make its site there: `hall.golfref` and `site`."""
    for name, program in PROGRAMS.items():
        (folder / name).mkdir()
        (folder / name / f"{name}.py").write_text(BEGINNING + program, encoding="utf-8")
    text = SETTINGS + "".join(
        f'[[variants]]\npreset = "{preset}"\n' + SHORTER * (preset not in LONG) for preset in PRESETS
    )
    for name, owner, program in BOTS:
        text += BOT.format(name=name, owner=owner, python=sys.executable, program=program)
    (folder / "hall.toml").write_text(text, encoding="utf-8")
    golfref("tournament", "hall.toml", cwd=folder)
    golfref("site", "hall.golfref", "-o", "site", cwd=folder)


class HallMatch(NamedTuple):
    """A match of the hall."""

    number: int
    """In the plan."""
    folder: Path
    """Where its pages lie."""
    record: Record


@cache
def matches(folder: Path) -> dict[str, HallMatch]:
    """The first match of each game."""
    with closing(Store.open(folder / "hall.golfref")) as store:
        first = {row.identity.variant: row for row in reversed(list(store.committed()))}
        return {
            name: HallMatch(
                row.number or 0,
                folder / f"site/matches/{row.id}",
                msgspec.json.decode(store.record_of(row.id), type=Record),
            )
            for name, row in first.items()
        }
