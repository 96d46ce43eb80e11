"""Every game scored twice: by the engine and by a second scorer that follows RULES.md whatever it costs.

The second scorer reads the same requests as `golfref score --jsonl` and shares nothing with the engine, not even the
defaults. It looks at cells by row and column and tries every rank for every wild jack, every order of taking bonuses
and every way to pair jokers. It also says which option sets cannot be.
"""

import json
from collections.abc import Iterator
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from options_to_try import TO_TRY

from referee.commands.score import ScoreError, score_line
from referee.rules.check_options import with_options
from referee.rules.options import OPTIONS
from referee.rules.scoring.by_hand import Scores
from referee.rules.scoring.knocker import score_round
from referee.rules.variants import PRESETS

Place = tuple[int, int]
Layout = dict[Place, str]
"""Row and column -> card; empty slots are left out."""
Changes = dict[str, Any]
Request = dict[str, Any]

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SUITS = "SHDC"

# --- the second scorer: which game it is ------------------------------------------------------------------------------

TAGS = {
    "six-card": "SIX", "six-card-knock": "SIX", "single-deck": "SGL", "four-card": "FOU", "nine-card": "NIN",
    "eight-card": "EIG", "cutthroat": "CUT", "cambio": "CMB", "powers": "POW", "cactus": "CAC", "four-turns": "T4",
    "two-deck": "TDK", "par-3": "PAR", "par-4": "PAR", "par-5": "PAR", "no-par": "PAR", "par-course": "PAR",
}  # fmt: skip
FAMILY = {"SIX", "SGL", "FOU", "NIN", "EIG", "CUT"}
SHAPES = {"FOU": (2, 2), "NIN": (3, 3), "EIG": (2, 4), "CMB": (2, 2), "CAC": (2, 2), "T4": (2, 2), "TDK": (3, 2)}
"""Rows and columns by tag; the others have 2x3."""
PAR_ROWS = {"par-3": [3], "par-4": [4], "par-5": [5], "no-par": [2], "par-course": [3, 4, 5]}
OURS_1 = {"name": "ours-1", "rules": [{"if": {"same_rank": True}, "score": 0}, {"if": {"any": True}, "score": "sum"}]}

DEFAULTS: Changes = {
    "joker_value": -5, "joker_pair": "zero", "queen_value": 10, "qs40": False, "one_eyed_wild": False,
    "one_eyed_pairs": [], "j0q12k13": False, "jack_value": 10, "twos": "minus2", "kings15": False, "values": {},
    "cancel": [], "cancel_pairs": [], "any_pair": "none", "block_bonus": None, "block_match": "rank",
    "straight_score": None, "moon": False, "moon_at": None, "kings_side": None, "pairs_zero_at_end": False,
    "knock_penalty": "none", "knock_bonus": "none", "knock_tie": "neutral", "cactus_knock": [5, 2],
    "cactus_ranks": "01", "par_table": OURS_1, "slaps": False, "lines_leave": False,
}  # fmt: skip
OWN_DEFAULTS: dict[str, Changes] = {
    "NIN": {"joker_value": -4},
    "EIG": {"kings_side": -16},
    "CUT": {"kings15": True},
    "T4": {"any_pair": "one_per_rank"},
    "TDK": {"knock_penalty": "add:10", "knock_tie": "penalty"},
}


def options_of(request: Request) -> Changes:
    tag = TAGS[request["preset"]]
    family = {"cancel": ["col"]} if tag in FAMILY else {}
    changes: Changes = request["options"]
    return DEFAULTS | family | OWN_DEFAULTS.get(tag, {}) | changes | {"tag": tag}


def judged(request: Request) -> tuple[list[int], list[int]]:
    options = options_of(request)
    raw = [layout_score(options, placed(grid)) for grid in request["grids"]]
    return raw, round_scores(options, raw, request["ender"])


def placed(grid: str) -> Layout:
    rows = [row.split() for row in grid.split("/")]
    cells = {(row, column): cell.strip("()") for row, cards in enumerate(rows) for column, cell in enumerate(cards)}
    return {place: card for place, card in cells.items() if card != "--"}


# --- values -----------------------------------------------------------------------------------------------------------


def rank_of(card: str) -> str:
    return "X" if card.startswith("X") else card[:-1]


def points(options: Changes, card: str) -> int:
    rank = rank_of(card)
    own = options["par_table"].get("values", "B1")
    for named in (options["values"], {} if own == "B1" else own):
        for key in (card, rank):
            if key in named:
                return int(named[key])
    if rank == "X":
        return int(options["joker_value"])
    if rank.isdigit() and (rank not in "28" or options["tag"] in ("CAC", "T4", "TDK")):
        return int(rank)
    return int(special_points(options, rank, card[-1]))


def special_points(options: Changes, rank: str, suit: str) -> int:
    tag, is_j0 = options["tag"], options["j0q12k13"]
    queen = 12 if is_j0 or tag == "TDK" else options["queen_value"]
    king = 10 if tag == "T4" else 13 if is_j0 else 15 if options["kings15"] else 0
    return int({
        "A": 1,
        "2": 2 if options["twos"] == "plus2" else -2,
        "8": 0 if options["qs40"] else 8,
        "J": 0 if tag == "T4" or is_j0 else -2 if tag == "TDK" else options["jack_value"],
        "Q": 40 if options["qs40"] and suit == "S" else queen,
        "K": -1 if tag == "POW" and suit in "HD" else king,
    }[rank])  # fmt: skip


# --- one layout -------------------------------------------------------------------------------------------------------


def layout_score(options: Changes, layout: Layout) -> int:
    tag = options["tag"]
    if tag == "PAR":
        return sum(row_score(options, layout[row, 0], layout[row, 1]) for row, side in layout if side == 0)
    if tag == "TDK" and options["pairs_zero_at_end"]:
        ranks = {place: rank_of(card) for place, card in layout.items()}
        layout = {
            (row, side): card for (row, side), card in layout.items() if ranks.get((row, 0)) != ranks.get((row, 1))
        }
    if tag in ("TDK", "CAC", "POW") or options["slaps"]:
        return sum(points(options, card) for card in layout.values())
    if options["straight_score"] is not None and straight(layout):
        return int(options["straight_score"])
    return min(
        total(options, layout, known_as, taken)
        for known_as in readings(options, layout)
        for taken in bonuses_taken(options, layout)
    )


def row_score(options: Changes, one: str, other: str) -> int:
    values = sorted((points(options, one), points(options, other)))
    made = {"sum": sum(values), "low": values[0], "high": values[1], "diff": values[1] - values[0]}
    ranks = [rank_of(one), rank_of(other)]
    facts: dict[str, Any] = {
        "same_rank": ranks[0] == ranks[1],
        "same_suit": one[-1] == other[-1],
        "same_colour": (one[-1] in "SC") == (other[-1] in "SC"),
        "gap": abs(RANKS.index(ranks[0]) - RANKS.index(ranks[1])),
        "any": True,
    }
    for rule in options["par_table"]["rules"]:
        asked = dict(rule["if"])
        pair = asked.pop("ranks", ranks)
        if pair in (ranks, ranks[::-1]) and all(facts[fact] == wanted for fact, wanted in asked.items()):
            return int(made.get(rule["score"], rule["score"]))
    return 0


def straight(layout: Layout) -> bool:
    held = {rank_of(card) for card in layout.values()}
    return any(held == set(RANKS[start : start + 9]) for start in range(5))


def readings(options: Changes, layout: Layout) -> Iterator[Layout]:
    """Every way to name the wild jacks."""
    wilds = [place for place, card in layout.items() if options["one_eyed_wild"] and card in ("JS", "JH")]
    for names in product([*RANKS, "X"] if options["joker_pair"] == "zero" else RANKS, repeat=len(wilds)):
        known_as = {place: rank_of(card) for place, card in layout.items()}
        yield known_as | dict(zip(wilds, names, strict=True))


def total(options: Changes, layout: Layout, known_as: Layout, taken: list[tuple[set[Place], int]]) -> int:
    zeros = set(cancelled(options, layout, known_as))
    apart = set[Place]().union(*[places for places, _ in taken])
    score = sum(bonus for _, bonus in taken)
    rest = {place: card for place, card in layout.items() if place not in apart}
    if isinstance(options["joker_pair"], int):
        jokers = [place for place, card in rest.items() if rank_of(card) == "X"]
        pairs = most_pairs(options, jokers)
        score += pairs * options["joker_pair"] + (len(jokers) - 2 * pairs) * points(options, "X1")
        rest = {place: card for place, card in rest.items() if place not in jokers}
    return score + sum(points(options, card) for place, card in rest.items() if place not in zeros)


def cancelled(options: Changes, layout: Layout, known_as: Layout) -> Iterator[Place]:
    for group in groups(options, layout):
        names = {known_as[place] for place in group}
        if len(names) == 1 and (names != {"X"} or options["joker_pair"] == "zero"):
            yield from group
    for group in groups_of_wilds(options, layout):
        names = {known_as[place] for place in group}
        if len(names) == 1 and (names != {"X"} or options["joker_pair"] == "zero"):
            yield from group
    if options["any_pair"] != "none":
        for rank in set(known_as.values()) - ({"X"} if options["joker_pair"] != "zero" else set()):
            equal = [place for place in layout if known_as[place] == rank]
            equal.sort(key=lambda place: points(options, layout[place]), reverse=True)
            yield from equal[: 2 if options["any_pair"] == "one_per_rank" and len(equal) > 1 else len(equal) // 2 * 2]


def groups(options: Changes, layout: Layout) -> Iterator[list[Place]]:
    height, width = SHAPES.get(options["tag"], (2, 3))
    places = list(product(range(height), range(width)))
    cancel = options["cancel"] if options["any_pair"] == "none" else []
    lines = [[place for place in places if place[1] == column] for column in range(width) if "col" in cancel]
    lines += [[place for place in places if place[0] == row] for row in range(height) if "row" in cancel]
    if "diag" in cancel:
        lines.append([place for place in places if place[0] == place[1]])
        lines.append([place for place in places if place[0] + place[1] == width - 1])
    yield from (line for line in lines if layout.keys() >= set(line))
    yield from ([one, other] for one, other in combinations(layout, 2) if way(one, other) in options["cancel_pairs"])


def groups_of_wilds(options: Changes, layout: Layout) -> Iterator[list[Place]]:
    """The groups that count only because a wild jack is in them: lines in nine-card golf, elsewhere neighbours."""
    kind, other = ("cancel", "cancel_pairs") if options["tag"] == "NIN" else ("cancel_pairs", "cancel")
    meant = options | {kind: options["one_eyed_pairs"], other: [], "any_pair": "none"}
    for group in groups(meant, layout):
        if {layout[place] for place in group} & {"JS", "JH"}:
            yield group


def way(one: Place, other: Place) -> str:
    apart = abs(one[0] - other[0]), abs(one[1] - other[1])
    return {(1, 0): "col", (0, 1): "row", (1, 1): "diag"}.get(apart, "no neighbours")


def most_pairs(options: Changes, jokers: list[Place]) -> int:
    """By leaving the first joker alone, or pairing it with each of the others in turn."""
    if len(jokers) < 2:
        return 0
    first, *others = jokers
    counts = [most_pairs(options, others)]
    for other in others:
        if options["any_pair"] != "none" or way(first, other) in options["cancel"] + options["cancel_pairs"]:
            counts.append(1 + most_pairs(options, [joker for joker in others if joker != other]))
    return max(counts)


def bonuses_taken(options: Changes, layout: Layout) -> list[list[tuple[set[Place], int]]]:
    """What is taken when bonuses are taken in any order, each if all its cards are still there."""
    found: list[tuple[set[Place], int]] = []
    for row, column in layout:
        square = {(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)}
        if options["block_bonus"] is not None and square <= layout.keys():
            alike = {rank_of(layout[place]) for place in square}
            if options["block_match"] == "points":
                alike = {str(points(options, layout[place])) for place in square}
            if len(alike) == 1:
                found.append((square, options["block_bonus"]))
    for row in (0, 1):
        side = {place for place in layout if place[0] == row}
        kings = [place for place in side if rank_of(layout[place]) == "K"]
        if options["kings_side"] is not None and len(kings) == SHAPES["EIG"][1]:
            found.append((side, options["kings_side"]))
    choices = []
    for order in permutations(found):
        free, chosen = set(layout), []
        for places, bonus in order:
            if places <= free:
                free -= places
                chosen.append((places, bonus))
        choices.append(chosen)
    return choices


# --- a round ----------------------------------------------------------------------------------------------------------


def round_scores(options: Changes, raw: list[int], ender: int | None) -> list[int]:
    if options["moon"]:
        rows, columns = SHAPES.get(options["tag"], (2, 3))
        threshold = options["moon_at"] if options["moon_at"] is not None else 10 * rows * columns
        if any(score >= threshold for score in raw):
            return [0 if score >= threshold else threshold for score in raw]
    if ender is None:
        return raw
    return [*raw[:ender], adjusted(options, raw, ender), *raw[ender + 1 :]]


def adjusted(options: Changes, raw: list[int], knocker: int) -> int:
    """What ending the round costs or earns, from the other seats' point of view."""
    mine, others = raw[knocker], raw[:knocker] + raw[knocker + 1 :]
    if options["tag"] == "CAC":
        threshold, factor = options["cactus_knock"]
        return int(mine * factor if mine > threshold else mine)
    strict = all(mine < other for other in others)
    beaten = any(other < mine for other in others)
    tied = not strict and not beaten
    if beaten or (tied and options["knock_tie"] == "penalty"):
        double = 2 * mine if mine > 0 else mine
        costs = {"double": double, "double5": double + 5, "highest": max(raw), "none": mine}
        costs |= {"twice_players": mine + len(raw) + len(raw), "add": mine}
        kind, _, extra = options["knock_penalty"].partition(":")
        return int(costs[kind] + int(extra or 0))
    if strict or options["knock_tie"] == "bonus":
        zero = 0 if mine > 0 else mine
        return int({"none": mine, "zero": zero, "minus_players": mine - len(raw)}[options["knock_bonus"]])
    return mine


# --- which option sets cannot be --------------------------------------------------------------------------------------


def conflict(request: Request) -> bool:
    """OPT-01..OPT-03 and OPT-08 for the pools below."""
    given, options = request["options"], options_of(request)
    setters = ["X"] * ("joker_value" in given)
    setters += ["Q"] * (options["queen_value"] != 10) + ["2"] * (options["twos"] != "minus2")
    setters += ["J"] * ("jack_value" in given) + ["K"] * options["kings15"]
    setters += ["Q", "8"] * options["qs40"] + ["J", "Q", "K"] * options["j0q12k13"]
    setters += ["K", "A"] * (options["cactus_ranks"] == "KA")
    setters += {key if key in RANKS or key == "X" else key[:-1] for key in options["values"]}
    own = options["par_table"].get("values", "B1")
    setters += [] if own == "B1" else list(own)
    square = options["tag"] in ("FOU", "NIN", "CMB")
    return (
        len(setters) != len(set(setters))
        or ("diag" in options["cancel"] and not square)
        or ("lines_leave" in given and (not options["cancel"] or options["any_pair"] != "none"))
        or ("block_match" in given and options["block_bonus"] is None)
        or ("one_eyed_pairs" in given and (not options["one_eyed_wild"] or options["any_pair"] != "none"))
        or ("knock_tie" in given and options["knock_penalty"] == options["knock_bonus"] == "none")
        or ("any_pair" in given and options["any_pair"] != "none" and bool(given.get("cancel")))
        or (options["slaps"] and bool(given.keys() & {"cancel", "cancel_pairs", "any_pair"}))
        or ("twos" in given and options["tag"] == "PAR" and options["par_table"] != OURS_1)
    )


# --- what is compared -------------------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from(["col", "row", "diag"]), max_size=3, unique=True)
STRAIGHT_LINES = st.lists(st.sampled_from(["col", "row"]), max_size=2, unique=True)
POINTS = st.integers(-12, 20)
CONDITIONS = st.fixed_dictionaries(
    {},
    optional={
        "same_rank": st.booleans(),
        "same_suit": st.booleans(),
        "same_colour": st.booleans(),
        "ranks": st.lists(st.sampled_from(["A", "2", "K", "10"]), min_size=2, max_size=2),
        "gap": st.integers(0, 3),
    },
)
PAR_TABLES = st.fixed_dictionaries(
    {
        "name": st.just("mine"),
        "values": st.just("B1") | st.dictionaries(st.sampled_from(["K", "A", "10"]), POINTS, min_size=1),
        "rules": st.lists(
            st.fixed_dictionaries(
                {
                    "if": CONDITIONS.map(lambda condition: condition or {"any": True}),
                    "score": st.sampled_from(["sum", "high", "low", "diff"]) | POINTS,
                }
            ),
            min_size=1,
            max_size=4,
        ),
    }
)
VALUES = st.dictionaries(st.sampled_from(["J", "7", "7H", "QS", "10"]), POINTS, max_size=3)
KING_VALUES = st.dictionaries(st.sampled_from(["K", "KH", "A", "2", "JS"]), POINTS, max_size=3)

ENDER_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "knock_penalty": st.sampled_from(["none", "add:7", "add:20", "double", "double5", "highest", "twice_players"]),
    "knock_bonus": st.sampled_from(["none", "zero", "minus_players"]),
    "knock_tie": st.sampled_from(["neutral", "penalty", "bonus"]),
}
CANCEL_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "joker_value": POINTS.filter(lambda points: points != -5),
    "joker_pair": st.sampled_from(["zero", "sum"]) | POINTS,
    "cancel": STRAIGHT_LINES,
    "cancel_pairs": LINES,
}
FAMILY_OPTIONS = (
    ENDER_OPTIONS
    | CANCEL_OPTIONS
    | {
        "queen_value": st.sampled_from([10, 12, 13, 20]),
        "qs40": st.booleans(),
        "one_eyed_wild": st.booleans(),
        "one_eyed_pairs": LINES,
        "j0q12k13": st.booleans(),
        "jack_value": st.sampled_from([10, 20]),
        "kings15": st.booleans(),
        "moon": st.booleans(),
        "moon_at": st.none() | st.integers(15, 60),
        "lines_leave": st.booleans(),
    }
)
SQUARE = {"cancel": LINES, "any_pair": st.sampled_from(["none", "one_per_rank", "all_pairs"])}
BLOCK = {
    "block_bonus": st.none() | st.sampled_from([-25, -25, -10, 0, 8]),
    "block_match": st.sampled_from(["rank", "points"]),
}
TWOS = {"twos": st.sampled_from(["minus2", "plus2"])}
POOLS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    **dict.fromkeys(("SIX", "SGL", "CUT"), FAMILY_OPTIONS | TWOS),
    "FOU": FAMILY_OPTIONS | TWOS | SQUARE | BLOCK,
    "NIN": FAMILY_OPTIONS | TWOS | BLOCK | {"cancel": LINES, "straight_score": st.none() | POINTS},
    "EIG": FAMILY_OPTIONS | TWOS | BLOCK | {"kings_side": st.none() | st.sampled_from([-16, -30, 0, 6])},
    "CMB": ENDER_OPTIONS | CANCEL_OPTIONS | TWOS | SQUARE | {"slaps": st.booleans()},
    "POW": ENDER_OPTIONS | TWOS,
    "CAC": {
        "cactus_ranks": st.sampled_from(["01", "KA"]),
        "cactus_knock": st.lists(st.integers(0, 12), min_size=2, max_size=2),
    },
    "T4": {"any_pair": SQUARE["any_pair"]},
    "TDK": {
        "pairs_zero_at_end": st.booleans(),
        "knock_penalty": ENDER_OPTIONS["knock_penalty"],
        "knock_tie": ENDER_OPTIONS["knock_tie"],
    },
    "PAR": TWOS | {"par_table": PAR_TABLES},
}
"""By tag: the options of section 21 that scoring reads, and values to try."""

RELATED = [
    (),
    ("par_table",),
    ("any_pair", "one_eyed_wild", "joker_pair"),
    ("any_pair", "cancel_pairs", "values"),
    ("joker_pair", "joker_value", "cancel", "cancel_pairs"),
    ("one_eyed_wild", "values", "cancel_pairs"),
    ("one_eyed_wild", "one_eyed_pairs", "cancel", "joker_pair"),
    ("block_bonus", "block_match", "joker_pair", "joker_value"),
    ("block_bonus", "kings_side", "one_eyed_wild"),
    ("block_bonus", "straight_score", "cancel"),
    ("lines_leave", "block_bonus", "block_match", "kings_side", "straight_score"),
    ("lines_leave", "cancel", "cancel_pairs", "one_eyed_wild", "one_eyed_pairs"),
    ("lines_leave", "joker_pair", "joker_value", "cancel_pairs"),
]
"""Options that meddle with each other; those that a game does not have are left out."""


def test_the_second_scorer_knows_every_game() -> None:
    assert set(TAGS) == set(PRESETS), "the second scorer's TAGS lack a preset"
    assert set(POOLS) == set(TAGS.values()), "the second scorer's POOLS lack a game"


def pool_of(tag: str) -> dict[str, st.SearchStrategy[Any]]:
    return POOLS[tag] | {"values": VALUES if tag == "CAC" else VALUES | KING_VALUES}


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name != "slaps"])  # in Cactus no layout has a shape
def test_the_second_scorer_tries_every_option_that_it_knows(name: str) -> None:
    games = {TAGS[game] for game in PRESETS if PRESETS[game].has(name)}
    lacking = [tag for tag in POOLS if tag in games and name not in pool_of(tag)]
    assert not lacking, f"the second scorer tries no values of `{name}` in {', '.join(lacking)}: add them to POOLS"


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in DEFAULTS])
def test_no_score_changes_with_an_option_that_the_second_scorer_does_not_know(name: str) -> None:
    assert not changes_a_score(name, tries=60), f"scores change with `{name}`: the second scorer must know it"


def changes_a_score(name: str, *, tries: int) -> bool:
    """Whether some layouts score otherwise with a value of the option than without, beside other options or alone."""
    dice = Random(name)  # noqa: S311
    presets = [preset for preset in TAGS if PRESETS[preset].has(name)]
    for _ in range(tries):
        preset = dice.choice(presets)
        others = [other for other in TO_TRY if other != name and PRESETS[preset].has(other)]
        beside = {other: dice.choice(TO_TRY[other]) for other in dice.sample(others, dice.randint(0, 3))}
        cards = some_cards(TAGS[preset], beside, dice)
        given = beside | {name: dice.choice(TO_TRY.get(name, ("none",)))}
        grids = [some_layout(preset, given, cards, dice) for _ in range(3)]
        with_it, without = (
            score_line(json.dumps({"preset": preset, "options": options, "grids": grids, "ender": 0}).encode())
            for options in (given, beside)
        )
        if isinstance(with_it, Scores) and isinstance(without, Scores) and with_it != without:
            return True
    return False


ROUNDS = 6
MOST_WILDS = 2
"""A third wild jack in a layout would mean thousands of readings for the second scorer."""


@st.composite
def tables(draw: st.DrawFn, preset: str) -> list[Request]:
    """A few options, sound or not, and rounds of one to four seats, of few ranks so that many cards are equal."""
    tag = TAGS[preset]
    pools = pool_of(tag)
    related = [name for name in draw(st.sampled_from(RELATED)) if name in pools]
    names = related + draw(st.lists(st.sampled_from(sorted(pools)), max_size=4))
    changes = {name: draw(pools[name]) for name in dict.fromkeys(names)}
    dice = draw(st.randoms(use_true_random=True))
    rounds = []
    for _ in range(ROUNDS):
        pack = some_cards(tag, changes, dice)
        grids = [some_layout(preset, changes, pack, dice) for _ in range(dice.randint(1, 4))]
        ender = dice.choice([None, *range(len(grids))])
        rounds.append({"preset": preset, "options": changes, "grids": grids, "ender": ender})
    return rounds


def some_cards(tag: str, changes: Changes, dice: Random) -> list[str]:
    ranks = [str(number) for number in range(11)] + ["J", "Q"] if tag == "CAC" else RANKS
    if changes.get("cactus_ranks") == "KA":
        ranks = ["A", *ranks[2:], "K"]
    cards = [rank + suit for rank in dice.sample(ranks, dice.choice([1, 2, 3, 7])) for suit in SUITS]
    if tag in FAMILY | {"CMB"} and dice.random() < 0.5:
        cards += ["X1", "X2", "X3", "X14"]
    return cards + ["JS", "JH", "JD"] * bool(changes.get("one_eyed_wild")) + ["10E"] * (tag == "CAC")


def some_layout(preset: str, changes: Changes, cards: list[str], dice: Random) -> str:
    tag = TAGS[preset]
    rows, columns = (dice.choice(PAR_ROWS[preset]), 2) if tag == "PAR" else SHAPES.get(tag, (2, 3))
    if tag in ("CAC", "POW") or changes.get("slaps"):
        rows, columns = dice.randint(1, 4), dice.randint(1, 4)
        cards = cards + ["--"] * (len(cards) // 3)
    drawn = dice.choices(cards, k=rows * columns)
    if tag == "TDK" or changes.get("lines_leave"):
        empty = [row for row in range(rows) if dice.random() < 0.2]
        gone = [column for column in range(columns) if tag != "TDK" and dice.random() < 0.3]
        drawn = [
            "--" if slot // columns in empty or slot % columns in gone else card for slot, card in enumerate(drawn)
        ]
    if changes.get("one_eyed_wild"):
        for slot in [slot for slot, card in enumerate(drawn) if card in ("JS", "JH")][MOST_WILDS:]:
            drawn[slot] = "JD"
    if changes.get("straight_score") is not None and dice.random() < 0.5:
        start = dice.randint(0, 5)  # from 5 on it would go round the ace
        drawn = dice.sample([(RANKS * 2)[start + step] + SUITS[step % 4] for step in range(9)], 9)
    shown = [card if card == "--" or dice.random() < 0.7 else f"({card})" for card in drawn]
    return " / ".join(" ".join(shown[start : start + columns]) for start in range(0, len(shown), columns))


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=15)
@given(data=st.data())
def test_both_scorers_agree_on_every_game(preset: str, data: st.DataObject) -> None:
    rounds = data.draw(tables(preset))
    if conflict(rounds[0]):
        assert isinstance(score_line(json.dumps(rounds[0]).encode()), ScoreError)
        return
    for request in rounds:
        answer = score_line(json.dumps(request).encode())
        assert isinstance(answer, Scores), answer
        assert (list(answer.raw), list(answer.scores)) == judged(request)


@settings(max_examples=100)
@given(
    raw=st.lists(st.integers(-8, 20), min_size=1, max_size=8),
    seat=st.none() | st.integers(0, 7),
    preset=st.sampled_from(["six-card", "nine-card", "cambio", "powers", "two-deck", "cactus", "par-3"]),
    changes=st.fixed_dictionaries({}, optional=ENDER_OPTIONS | {"moon": st.just(True), "moon_at": st.integers(5, 15)}),
)
def test_both_scorers_agree_on_ties_and_negative_scores(
    raw: list[int], seat: int | None, preset: str, changes: Changes
) -> None:
    request: Request = {"preset": preset, "options": sound(TAGS[preset], changes), "grids": [], "ender": seat}
    ender = None if seat is None else seat % len(raw)
    variant = with_options(preset, request["options"])
    assert list(score_round(variant, raw, ender)) == round_scores(options_of(request), raw, ender)


def sound(tag: str, changes: Changes) -> Changes:
    """Those of the changes that the game has; `knock_tie` only beside what it is about."""
    kept = {name: value for name, value in changes.items() if name in POOLS[tag]}
    if {kept.get("knock_penalty", "none"), kept.get("knock_bonus", "none")} == {"none"}:
        kept.pop("knock_tie", None)
    return kept
