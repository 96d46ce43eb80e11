"""protocol/OPTIONS.md explains to bots' authors every option and its values, in the words of `golfref rules`.

The page is made here, from the declarations of the options and the sentences that depend on their values.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from golden import Golden

import protocol
from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import rules_in_full
from referee.rules.options import OPTIONS, TYPES, expected
from referee.rules.variants import PRESETS

PAGE = Path(protocol.__file__).parent / "OPTIONS.md"

HEADINGS = {
    "rounds": "Match and table",
    "end_mode": "Course of play",
    "joker_value": "Card values",
    "cancel": "Combinations of cards",
    "knock_penalty": "Who ended the round",
}
"""The chapters of RULES.md 21 by their first option."""

EXAMPLES: Mapping[str, tuple[Any, ...]] = {
    "rounds": (9, 1),
    "limit": (100,),
    "jokers": (0, 2),
    "turn_cap": (60,),
    "initial_up": (0, 1, 2),
    "initial_look": ("near_row", "any:2", "all"),
    "cambio_powers": ({"J": "peek_own", "Q": "peek_other", "K": "exchange"}, {}),
    "shield_uses": (1, 2),
    "photo_finish_us": (50,),
    "slap_tries": (1, 2),
    "course": ((3, 4, 5),),
    "no_par_first_end": (3,),
    "joker_value": (-5, 0),
    "joker_pair": (-10,),
    "one_eyed_pairs": (("col",), ("row", "diag")),
    "values": ({"K": -1, "QS": 30},),
    "cancel": (("col",), ("col", "row", "diag")),
    "cancel_pairs": (("col",), ("row",)),
    "block_bonus": (-25,),
    "straight_score": (0,),
    "moon_at": (50,),
    "kings_side": (-20,),
    "knock_penalty": ("add:5", "double5", "highest", "twice_players"),
    "cactus_knock": ((5, 2), (7, 3)),
}
"""Values of the options that take more than can be listed."""

SHOWN_IN: Mapping[str, str] = {
    "initial_look": "cambio",
    "cancel": "nine-card",
    "no_par_first_end": "no-par",
}
"""The game whose description shows what the option does; otherwise the first that has it."""

BESIDES: Mapping[str, Mapping[str, Any]] = {
    "limit_mode": {"limit": 100},
    "slap_order": {"slaps": True},
    "photo_finish_us": {"slaps": True},
    "slap_tries": {"slaps": True},
    "slap_match": {"slaps": True},
    "late_card": {"slaps": True},
    "power_before_slaps": {"slaps": True},
    "joker_value": {"jokers": 2},
    "joker_pair": {"jokers": 2},
    "one_eyed_pairs": {"one_eyed_wild": True},
    "block_match": {"block_bonus": -25},
    "moon_at": {"moon": True},
    "knock_tie": {"knock_penalty": "double5"},
}
"""Further options without which one has no effect."""

TOP = """# The options that a bot may meet

An organiser may change a game by options. The message `match` names them all in `options`. A bot that fills in what
it is offered needs none of them. A bot that reckons reads those on which its reckoning depends.

This page has each option with the sentence that `golfref rules` has about it, the games that have it, and what the
description of a game says for each of its values. The program wrote it, so it says what your copy of golfref does.

* `null` stands for "not set". The sentences and an organiser's configuration call it "none".
* An option that a game does not have cannot change it. It may still stand in `options`, with its default.
* What a card is worth stands in `values` of `match` itself, after all options; that is easier to read than the options.
* `par_table` is a whole table in `match`; this page gives its name.
* In the rules, s0, s1, ... are slots. Where an option takes any number, the table shows examples.

<!-- Written by `pytest tests/protocol/test_options_page.py --write`. -->
"""


def test_the_page_of_the_options_is_what_the_rules_say(golden: Golden) -> None:
    golden.check(PAGE, page().encode())


def page() -> str:
    return "\n".join([TOP.rstrip("\n"), *(line for name in OPTIONS for line in section(name))]) + "\n"


def section(name: str) -> Iterator[str]:
    """One option: what it decides, which games have it with which value, and what each value means."""
    if name in HEADINGS:
        yield from ("", f"## {HEADINGS[name]}")
    yield from ("", f"### `{name}`", "", OPTIONS[name].does, "")
    values = [value for value in listed(TYPES[name]) if value is not None] + list(EXAMPLES.get(name, ()))
    values += [None] if None in listed(TYPES[name]) else []
    takes = expected(TYPES[name]).replace('"none"', "`null`").replace('"', "`")
    yield f"It takes {takes}. {games_of(name)}"
    said = {wire(value): texts for value in values if (texts := sentences(name, value)) is not None}
    in_all = set.intersection(*map(set, said.values())) if len(said) > 1 else set[str]()
    rows = [(value, " ".join(text for text in texts if text not in in_all)) for value, texts in said.items()]
    if any(text for _, text in rows) and len(said) > 1:
        yield from ("", "| value | what the description says then |", "|---|---|")
        yield from (f"| `{value}` | {text or '(nothing more)'} |" for value, text in rows)
    elif OPTIONS[name].silent:
        yield from ("", f"No description speaks of it: {OPTIONS[name].silent}.")
    if needs := OPTIONS[name].needs:
        yield from ("", f"It has an effect only with {needs.words}.")


def games_of(name: str) -> str:
    """The games that have the option, and which value it has there unless somebody changes it."""
    own = {game: wire(options[name]) for game, variant in PRESETS.items() if name in (options := variant.own_options())}
    usual, _ = Counter(own.values()).most_common(1)[0]
    others = [
        f"`{value}` in {code(game for game in own if own[game] == value)}"
        for value in sorted({*own.values()} - {usual})
    ]
    games = "every game" if len(own) == len(PRESETS) else code(own)
    changed = f", but {' and '.join(others)}" if others else ""
    return f"It belongs to {games}. Unless somebody changes it, it is `{usual}`{changed}."


def code(names: Iterable[str]) -> str:
    return ", ".join(f"`{one}`" for one in names)


def sentences(name: str, value: Any) -> list[str] | None:
    """What the description of a game says with this value, sentence by sentence; None where it cannot have this value.

    The list of the options at its end is left out.
    """
    game = SHOWN_IN.get(name) or next(preset for preset, variant in PRESETS.items() if name in variant.own_options())
    given = "none" if value is None else value
    try:
        variant = with_options(game, {**BESIDES.get(name, {}), name: given})
    except BadOptions:
        return None
    chapters = rules_in_full(variant).partition("Options (")[0].splitlines()[2:]
    lines = [line.strip() for line in chapters if line.startswith("  ")]
    return [f"{line} ..." if line.endswith((",", ":")) else line for line in lines]


def listed(kind: Any) -> list[Any]:
    """The values of a type that has few: booleans, words, null; nothing for numbers, lists and tables."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return listed(args[0])
    if origin is Literal:
        return list(args)
    if origin in (Union, UnionType):
        return [value for one in args for value in listed(one)]
    few: dict[Any, list[Any]] = {bool: [False, True], type(None): [None]}
    return few.get(kind, [])


def wire(value: Any) -> str:
    """A value as the message `match` has it."""
    return json.dumps(value, default=lambda table: table.name)
