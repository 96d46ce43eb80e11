"""What a check plays and by which rules: every preset, and options that bring what no preset has."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from protocol.messages import Clocks, FaultPolicy
from referee.rules.check_options import with_options
from referee.rules.variants import PRESETS, Variant

SHORT: Mapping[str, Any] = {"rounds": 2}
"""The options with which most matches are over soon."""


class GameToTry(Struct, frozen=True, kw_only=True):
    """A game, its table, and what is special about it."""

    label: str
    """What it is called in findings: the preset, with what was changed."""
    preset: str
    changes: Mapping[str, Any]
    seats: int
    quits: bool = False
    """Whether one of the other seats forfeits."""
    given: Variant | None = None
    """The game as a competition has it, under the name `label`. None: it is the preset with `changes`."""

    @property
    def variant(self) -> Variant:
        """The game with these options."""
        return with_options(self.preset, self.changes) if self.given is None else self.given

    @property
    def name(self) -> str:
        """What bots are told that the game is called."""
        return self.preset if self.given is None else self.label


def _preset(name: str, seats: int) -> GameToTry:
    changes = {"course": [3, 5, 4]} if name == "par-course" else SHORT
    return GameToTry(label=name, preset=name, changes=changes, seats=seats)


def _with(preset: str, seats: int, *, quits: bool = False, **options: Any) -> GameToTry:
    special = ", ".join(f"{name}={_word(value)}" for name, value in options.items()) or f"seats={seats}"
    changes = options if "course" in options else {**SHORT, **options}
    return GameToTry(label=f"{preset} ({special})", preset=preset, changes=changes, seats=seats, quits=quits)


def _named(label: str, *, seats: int = 2, **options: Any) -> GameToTry:
    """A game whose label does not name all of its options."""
    return GameToTry(label=label, preset=label.partition(" ")[0], changes={**SHORT, **options}, seats=seats)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "..." if isinstance(value, dict) else str(value)


_SEATS = {"four-card": 3, "cambio": 3, "powers": 3, "cactus": 4, "two-deck": 3, "cutthroat": 3, "nine-card": 2}

GAMES: Sequence[GameToTry] = tuple(_preset(name, _SEATS.get(name, 2)) for name in PRESETS)
"""Every preset."""

OPTIONS: Sequence[GameToTry] = (
    _with("six-card", 3, flip_instead=True, jack_skip=True, jokers=2, end_mode="both", quits=True),
    _with("nine-card", 1),
    _with("nine-card", 3, flip_on_discard="must", cutthroat_trade=True, stock_out="end"),
    _with("six-card-knock", 2, tiebreak="playoff", knock_penalty="add:10", rounds=1),
    _with("four-card", 3, initial_look="any:2", cambio_powers={"J": "peek_own", "Q": "peek_other", "K": "exchange"}),
    _with("cambio", 3, slaps=True, hidden_rearrange=False, power_before_slaps=True),
    _with("powers", 3, powers_draw_pile=True, shield_uses=2),
    _with("powers", 2, black_king_cancels="drawn", hidden_rearrange=False),
    _with("cactus", 3, slap_tries=3, late_card="slapper", slap_match="points", cactus_ranks="KA"),
    _with("cactus", 3, slap_order="lottery"),
    _with("two-deck", 2, pairs_leave="next_turn"),
    _with("par-course", 2, course=[3, 5, 4], par_choice="dealer", strokes_per_turn="unlimited"),
    _with("par-4", 2, arrange="blind"),
    _with("no-par", 2, no_par_first_end=2),
    _named(
        "six-card (other values)",
        jokers=2,
        joker_value=-4,
        joker_pair="sum",
        queen_value=12,
        jack_value=20,
        twos="plus2",
        kings15=True,
        values={"7": -7, "9H": 30},
        first_dealer=1,
        turn_cap=30,
    ),
    _named(
        "six-card (other scoring)",
        qs40=True,
        one_eyed_wild=True,
        one_eyed_pairs=["row"],
        cancel=["row"],
        cancel_pairs=["col", "row"],
        four_kind_wins=True,
        moon=True,
        moon_at=30,
    ),
    _named("nine-card (lines and blocks)", j0q12k13=True, block_bonus=-25, block_match="points", straight_score=-12),
    _named("eight-card (final turns)", kings_side=None, final_turns="one_each"),
    _named("four-card (knocks)", any_pair="all_pairs", knock_bonus="zero", knock_tie="bonus"),
    _named(
        "cactus (knocks)", cactus_knock=[0, 3], fixed_starter=True, protect_ender=True, photo_finish_us=200, seats=3
    ),
    _named("two-deck (pairs)", pairs_zero_at_end=True, seats=3),
    _named("par-3 (table)", par_table={"name": "high", "rules": [{"if": {"any": True}, "score": "high"}]}),
    _with("nine-card", 2, lines_leave=True, up_in_each_row=True, cancel=["col", "row"]),
    _with("six-card-knock", 2, knock_ends_at_once=True, knock_penalty="double"),
)
"""Games with other options."""

POSITIONS: Sequence[GameToTry] = (
    _with("powers", 3, rounds=25, shield_uses=2),
    _with("cambio", 3, rounds=25),
    _with("cactus", 4, rounds=20, limit="none"),
    _with("two-deck", 3, rounds=12),
    _with("par-course", 3, course=[3, 4, 5] * 4, par_choice="dealer", strokes_per_turn="unlimited"),
    _with("no-par", 3, rounds=12),
    _with("four-card", 3, rounds=12, initial_look="any:2", cambio_powers={"J": "peek_own", "7": "rearrange"}),
    _with("six-card", 4, rounds=12, flip_instead=True, jack_skip=True, end_mode="both", decks=1, quits=True),
    _with("cutthroat", 3, rounds=12),
    _with("powers", 4, rounds=12, powers_draw_pile=True, black_king_cancels="drawn"),
)
"""Long matches in which sooner or later everything comes up that a bot may not have reached by itself."""

CROWDS: Sequence[GameToTry] = (
    _with("cactus", 24, rounds=1),
    _with("cambio", 10, rounds=1),
    _with("nine-card", 10, rounds=1),
    _with("six-card", 8, rounds=1),
)
"""Tables as large as they can be."""


class CheckRules(Struct, frozen=True, kw_only=True):
    """Clocks and faults as each `match` tells them, and what else than the games themselves is played."""

    clocks: Clocks = Clocks()
    faults: FaultPolicy = FaultPolicy()
    positions: Sequence[GameToTry] = POSITIONS
    """In which a bot is asked what it has not been asked before, after the dice have played up to there."""
    tries: int = 3
    """How often each of them may be played for that."""
    crowds: Sequence[GameToTry] = CROWDS
    """The largest tables."""
    only_these: bool = False
    """Whether no other game may be played than these, nor with other options: those of a competition."""
    reuses: bool = True
    """Whether a process plays several matches."""


BY_THE_BOOK = CheckRules()
"""The clocks that hold by default, and all that any game can bring."""


def some_games(games: Sequence[GameToTry], most: int) -> Sequence[GameToTry]:
    """Return the first games of different courses of play, as many as there are but not more than `most`."""
    first = {game.variant.play: game for game in reversed(games)}
    return list(reversed(first.values()))[:most]
