"""protocol/OPTIONS.md is made here from the declarations of the options."""

import json
import re
from collections import Counter
from collections.abc import Set
from pathlib import Path
from typing import Any

from golden import Golden

import protocol
from referee.rules.options import EVERY_GAME, FAMILY, OPTIONS, PAR_GOLF, TYPES, expected
from referee.rules.variants import PRESETS

PAGE = Path(protocol.__file__).parent / "OPTIONS.md"

CHAPTERS = {
    "Match and table": "rounds",
    "Course of play": "end_mode",
    "Card values": "joker_value",
    "Combinations of cards": "cancel",
    "Knocker": "knock_penalty",
}
"""The chapters, each with its first option."""

TOP = """# The options that a bot may meet

An organiser may change a game by options. The message `match` names them all in `options`. A bot that fills in what
it is offered needs none of them; a bot that calculates reads those that its calculation depends on. What each card
counts stands in `values` of `match`, after all options.

* An option that a game does not have cannot change the game. It may still stand in `options`, with its default.
* The sentence on an option of true or false says what holds where it is true.
* `null` stands for "not set"; sentences and configurations call it "none". `ours-1` stands for a whole table.
* "Family" is `six-card`, `six-card-knock`, `single-deck`, `four-card`, `nine-card`, `eight-card` and `cutthroat`; "par
  golf" is `par-3`, `par-4`, `par-5`, `no-par` and `par-course`.
* `golfref rules GAME` prints a game in words with any options.

<!-- Written by `pytest tests/protocol/test_options_page.py --write`. -->
"""


def test_the_page_of_the_options_is_what_is_declared(golden: Golden) -> None:
    golden.check(PAGE, page().encode())


def test_every_game_is_named_where_options_name_their_games() -> None:
    assert set(PRESETS) == EVERY_GAME


def page() -> str:
    lines = [TOP.rstrip("\n")]
    for chapter in CHAPTERS:
        rows = [row(name, sets(name), takes(name), default_of(name), games_of(name)) for name in options_of(chapter)]
        lines += ["", f"## {chapter}", "", *table("option", "what it sets", "values", "default", "games"), *rows]
    return "\n".join(lines) + "\n"


def table(*titles: str) -> tuple[str, str]:
    return f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"


def row(name: str, *cells: str) -> str:
    return f"| `{name}` | {' | '.join(cells)} |"


def options_of(chapter: str) -> list[str]:
    names = list(OPTIONS)
    starts = [*(names.index(first) for first in CHAPTERS.values()), len(names)]
    number = list(CHAPTERS).index(chapter)
    return names[starts[number] : starts[number + 1]]


def sets(name: str) -> str:
    return OPTIONS[name].sentence + (f" Needs {needed}." if (needed := needs(name)) else "")


def needs(name: str) -> str:
    """What the option needs besides, in words; nothing where it needs nothing."""
    need = OPTIONS[name].needs
    return need.words if need else ""


def takes(name: str) -> str:
    return re.sub(r'"([^"]*)"', r"`\1`", expected(TYPES[name])).replace("`none`", "`null`")


def default_of(name: str) -> str:
    """The value that most games have unless somebody changes it, and the games that have another."""
    own = {game: options[name] for game, variant in PRESETS.items() if name in (options := variant.own_options())}
    texts = {game: "null" if value is None else wire(value) for game, value in own.items()}
    (usual, _), *others = Counter(texts.values()).most_common()
    but = [f"{', '.join(game for game in texts if texts[game] == value)} `{value}`" for value, _ in others]
    return "; ".join([f"`{usual}`", *but])


def games_of(name: str) -> str:
    games = OPTIONS[name].games
    return "all" if games == EVERY_GAME else min(named(games), f"all but {named(EVERY_GAME - games)}", key=len)


def named(games: Set[str]) -> str:
    words: list[str] = []
    for name, group in (("family", FAMILY), ("par golf", PAR_GOLF)):
        if group <= games:
            words, games = [*words, name], games - group
    return ", ".join([*words, *(game for game in PRESETS if game in games)])


def wire(value: Any) -> str:
    """A value as the message `match` has it; words without quotes, and a scoring table by its name."""
    return value if isinstance(value, str) else json.dumps(value, default=lambda table: table.name).strip('"')
