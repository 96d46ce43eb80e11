"""What tests share: matches by a script, as the worked cases of the rule book tell them, and by the dice; for
tests with real processes a mark by which a bot and all that it starts can be found again, and an arena in which a
hostile program plays an honest one.
"""

import contextlib
import os
import select
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast
from uuid import uuid4

import pytest
from arena import PATIENCE_S, Arena
from hypothesis import strategies as st
from msgspec import convert

from protocol.actions import Action, Target, TurnUp
from protocol.actions import Slap as SlapAction
from protocol.cards import Card, rank
from protocol.events import Event
from protocol.offers import Offer
from referee.rules.book.options import COMBINES, BadOptions
from referee.rules.book.variants import PRESETS, Variant, customised, deck, has_up_card, size
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.scoring.grid import Cell, format_grid
from referee.rules.table.asks import Ask, IllegalAnswer, Response, Sealed, Slap, SlapOrder, Window
from referee.rules.table.chance import Stacked
from referee.rules.table.seen import view
from referee.rules.table.table import Table
from referee.tournament.run.estimate import any_action


@pytest.fixture
def mark() -> Iterator[dict[str, str]]:
    """An environment for the bots of a test. The test fails if one of them, or what it started, is left over."""
    mark = {"GOLFREF_TEST": uuid4().hex}
    yield mark
    left = _processes(mark)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert not left, f"processes were left behind: {left}"


@pytest.fixture
def marked(mark: dict[str, str]) -> Callable[[], dict[int, str]]:
    """Finds the processes that live in the marked environment now; none where the system has no /proc."""
    return lambda: _processes(mark)


@pytest.fixture
def until_gone(mark: dict[str, str]) -> Callable[[], None]:
    """Waits for the marked processes to end by themselves."""

    def wait() -> None:
        end = time.monotonic() + PATIENCE_S
        while (left := _processes(mark)) and time.monotonic() < end:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    fd = os.pidfd_open(pid)
                    select.select([fd], [], [], max(0.0, end - time.monotonic()))
                    os.close(fd)

    return wait


def _processes(mark: dict[str, str]) -> dict[int, str]:
    """Command lines by process id."""
    (entry,) = (f"{name}={value}".encode() for name, value in mark.items())
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
    return found


@pytest.fixture
def arena(tmp_path: Path, mark: dict[str, str]) -> Iterator[Arena]:
    """An arena; the test fails if something is left on the host afterwards."""
    arena = Arena(tmp_path, mark)
    yield arena
    arena.close()


@pytest.fixture(scope="session")
def calm_kb(tmp_path_factory: pytest.TempPathFactory) -> int:
    """What the referee of a match of two honest programs needs at most, in kilobytes."""
    arena = Arena(tmp_path_factory.mktemp("calm"), {"GOLFREF_TEST": uuid4().hex})
    arena.play(arena.bot("honest"), arena.bot("honest"), isolation="limits")
    arena.close()
    return arena.peak_kb


# Scripted matches


ANY = "??"
"""A card that a case does not name."""


class Script:
    """A match driven line by line: `play` says who is asked what and what is answered, the rest looks at the table.

    A line is `SEAT DECISION: ANSWER` (`0 place: swap s5`, `1 power: switch 1 s2, 2 s2`), `window: SLAPS`
    (`1 at 1 s1, 2 at 0 s3`, or `nobody`) or `sealed: ANSWERS` by seat (`look s0 s1 | look s2 s3`). The last line of a
    play has no answer: it is the question that must then be open, or `end`.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._mark = len(game.events)

    @property
    def table(self) -> Table:
        return self.game.table

    @property
    def ask(self) -> Ask:
        """The open question, which must be one of a single seat."""
        assert isinstance(self.game.question, Ask)
        return self.game.question

    def play(self, text: str) -> None:
        """Play the lines; what happens from here on is the `news`."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        self._mark = len(self.game.events)
        for number, line in enumerate(lines):
            asked, colon, answer = line.partition(":")
            assert self.open == asked, f"line {number + 1} expects `{asked}`, but open is `{self.open}`"
            assert bool(colon) == (number + 1 < len(lines)), f"`{line}`: the last line, and only that, has no answer"
            if colon:
                self.game.answer(self._response(answer))

    def refuses(self, answer: str) -> None:
        """The open question does not offer this answer, and nothing comes of it."""
        events, question = len(self.game.events), self.game.question
        with pytest.raises(IllegalAnswer):
            self.game.answer(self._response(answer))
        assert (events, question) == (len(self.game.events), self.game.question)

    def _response(self, text: str) -> Response:
        if isinstance(self.game.question, Sealed):
            return tuple(_action(one) for one in text.split("|"))
        return _slaps(text) if isinstance(self.game.question, Window) else _action(text)

    @property
    def open(self) -> str:
        """The open question as a script names it."""
        question = self.game.question
        if isinstance(question, Ask):
            return f"{question.seat} {question.decision}"
        return "end" if question is None else type(question).__name__.lower()

    @property
    def offered(self) -> dict[str, list[Any]]:
        """What the open question offers: kinds, each with the values of its one choice."""
        values = {offer.kind: list(offer.choices().values()) for offer in self.ask.offers}
        return {kind: [one for choice in chosen for one in _listed(choice)] for kind, chosen in values.items()}

    def news(self, viewer: int | None) -> list[Event]:
        """What this seat (None: a spectator) was told during the last `play`."""
        return [view(event, viewer) for event in self.game.events[self._mark :]]

    def grid(self, seat: int) -> str:
        """A seat's layout in the notation of the rule book; slots beyond the dealt ones make further rows."""
        width = self.table.variant.columns
        layout = self.table.layouts[seat]
        cells = [None if slot is None else Cell(card=slot.card, up=slot.up) for slot in layout]
        return format_grid([cells[start : start + width] for start in range(0, len(cells), width)])

    def leave_in_stock(self, count: int) -> None:
        """Take all but the top cards of the stock out of the game."""
        self.table.stock = self.table.stock[-count:] if count else []


class Start:
    """Called as `start(preset, layouts, ...)`, begins a match with the given cards."""

    def __call__(
        self,
        preset: str,
        layouts: Sequence[str],
        *,
        up: Card = ANY,
        stock: str = "",
        later: Sequence[Sequence[str]] = (),
        **options: Any,
    ) -> Script:
        """A match with its initial cards turned up, seat 0 to move unless `first_dealer` says otherwise.

        `layouts` by seat as in `KS 4H 9D / KD AC (7S)`, an empty text for a layout that does not matter; `--` slots
        are emptied after the deal. `later` holds the layouts of further rounds; the `rounds` are as many unless given.
        """
        seats = len(layouts)
        grids = [_grids(preset, one) for one in (layouts, *later)]
        standard: dict[str, Any] = {"rounds": len(grids)}
        if preset != "cactus":
            standard["first_dealer"] = seats - 1
        if PRESETS[preset].tag in COMBINES["initial_up"] and "initial_look" not in options:
            standard["initial_up"] = len(_face_up(grids[0][0]))
        variant = customised(preset, standard | options)
        pack = deck(variant, seats)
        dealer = variant.options.first_dealer
        decks = [
            _stacked(pack, grid, (dealer + number + 1) % seats, (up,) * has_up_card(variant), stock)
            for number, grid in enumerate(grids)
        ]
        game = Game(variant, seats, Stacked(b"", variant, seats, decks))
        if isinstance(game.question, Sealed) and game.question.asks[0].decision == "turn_up":
            game.answer(tuple(TurnUp(slots=_face_up(grid)) for grid in grids[0]))
        for seat, grid in enumerate(grids[0]):
            for slot in (number for number, word in enumerate(grid) if word == "--"):
                game.table.stock.insert(0, game.table.remove(seat, slot))
        return Script(game)


@pytest.fixture
def start() -> Start:
    """Begins scripted matches."""
    return Start()


def _grids(preset: str, layouts: Sequence[str]) -> list[list[str]]:
    """Each layout as its words; one that does not matter has as many cards up as the first."""
    words = [layout.replace("/", " ").split() for layout in layouts]
    up = len(_face_up(words[0]))
    blank = [ANY] * up + [f"({ANY})"] * (size(customised(preset, {})) - up)
    return [one or blank for one in words]


def _face_up(grid: Sequence[str]) -> tuple[int, ...]:
    return tuple(number for number, word in enumerate(grid) if word != "--" and not word.startswith("("))


def _stacked(pack: Sequence[Card], grids: list[list[str]], first: int, up: Sequence[Card], stock: str) -> list[Card]:
    """The cards in dealing order (GEN-04): one at a time from the first seat, the up-card, the stock."""
    order = [*range(first, len(grids)), *range(first)]
    named = [grids[seat][slot].strip("()") for slot in range(len(grids[0])) for seat in order]
    named += [*up, *stock.split()]
    spare = (Counter(pack) - Counter(named)).elements()
    return [next(spare) if card in {ANY, "--"} else card for card in named]


def _action(text: str) -> Action:
    """An answer in words."""
    kind, *words = text.replace(",", " ").split()
    choices: dict[str, Any] = {}
    match kind:
        case "draw":
            choices = {"from": words[0]}
        case "swap" | "flip" | "give":
            choices = {"slot": int(words[0][1:])}
        case "look" | "arrange" | "swap_own":
            choices = {"slots": tuple(int(word[1:]) for word in words)}
        case "stroke":
            choices = {"row": int(words[0])}
        case "discard_pairs":
            choices = {"rows": tuple(int(word) for word in words)}
        case "peek" | "trade":
            choices = {"target": next(_targets(words))}
        case "switch":
            choices = {"targets": tuple(_targets(words))}
    return cast(Action, convert({"kind": kind, **choices}, type=Action))


def _targets(words: Sequence[str]) -> Iterator[Target]:
    for seat, slot in zip(words[::2], words[1::2], strict=True):
        yield int(seat), int(slot[1:])


def _slaps(text: str) -> SlapOrder:
    """The slaps of a window in the order in which they are resolved."""
    slaps = [] if text.strip() == "nobody" else [one.split(" at ") for one in text.split(",")]
    return SlapOrder(slaps=tuple(Slap(seat=int(seat), target=next(_targets(target.split()))) for seat, target in slaps))


def _listed(choice: Any) -> Sequence[Any]:
    """The values that a choice names, whatever its form."""
    return next(value for value in (getattr(choice, name) for name in choice.__struct_fields__) if type(value) is tuple)


# Matches by the dice


class AtRandom:
    """Tables with any legal options, and players who do anything that is legal."""

    def tables(self, preset: str) -> st.SearchStrategy[tuple[Variant, int]]:
        """A variant made from the preset, for a few rounds, and a number of seats."""
        pools = {name: values for name, values in _POOLS.items() if PRESETS[preset].tag in COMBINES[name]}
        changes = st.fixed_dictionaries({}, optional={name: st.sampled_from(pool) for name, pool in pools.items()})
        rounds: dict[str, st.SearchStrategy[Any]] = {"rounds": st.integers(1, 3)}
        if PRESETS[preset].options.course is not None:
            rounds = {"course": st.sampled_from(((4,), (3, 4), (5, 3, 4)))}
        short = st.fixed_dictionaries({**rounds, "turn_cap": st.sampled_from((25, 60, 4, 1))})
        variants = st.builds(lambda some, always: _sound(preset, some | always), changes, short)
        return variants.flatmap(lambda variant: st.tuples(st.just(variant), _seat_numbers(*variant.seats)))

    def response(self, game: Game, dice: Random, *, haste: float = 0.1) -> Response:
        """A legal response to the open question; with little `haste` it seldom does what brings a round to its end."""
        question = game.question
        if isinstance(question, Window):
            return self._slaps(game, question, dice, 2 * haste)
        if isinstance(question, Sealed):
            return tuple(any_action(ask.offers, dice) for ask in question.asks)
        assert question is not None
        slow = tuple(offer for offer in question.offers if offer.kind not in _HASTY)
        return any_action(slow if slow and dice.random() > haste else question.offers, dice)

    def _slaps(self, game: Game, window: Window, dice: Random, often: float) -> SlapOrder:
        table = game.table
        answers: dict[int, Action] = {}
        for ask in window.asks:
            targets = [target for offer in ask.offers for target in _targets_of(offer)]
            right = [target for target in targets if rank(table.at(*target).card) == rank(table.pile[-1])]
            if targets and dice.random() < often:
                answers[ask.seat] = SlapAction(target=dice.choice(right if right and dice.random() < 0.7 else targets))
        times = {seat: dice.uniform(0, 200) for seat in answers}
        lots = tuple(dice.sample(range(table.seats), table.seats))
        return order_slaps(table.options, window, answers, times, lots)


def _seat_numbers(fewest: int, most: int) -> st.SearchStrategy[int]:
    """Often the most: with many seats the stock runs out."""
    return st.integers(fewest, most) | st.just(most)


def _targets_of(offer: Offer) -> Sequence[Target]:
    return [target for choice in offer.choices().values() for target in _listed(choice)]


@pytest.fixture(scope="session")
def at_random() -> AtRandom:
    """Random tables and players."""
    return AtRandom()


_HASTY = {"knock", "end", "flip", "swap"}

_POOLS: dict[str, tuple[Any, ...]] = {
    "limit": (None, 10, 30),
    "limit_mode": ("reach", "exceed"),
    "decks": (1, 1, 2, 3),
    "jokers": (1, 2, 4),
    "first_dealer": (1,),
    "fixed_starter": (True,),
    "tiebreak": ("playoff",),
    "stock_out": ("end", "reshuffle"),
    "end_mode": ("all_up", "knock", "both"),
    "final_turns": (None, "one_each"),
    "flip_on_discard": ("may", "must", "must_unless_last", "never"),
    "flip_instead": (True,),
    "initial_up": (0, 1, 3, 5),
    "initial_look": ("near_row", "all", "any:1", "any:2", "any:3"),
    "jack_skip": (True,),
    "cutthroat_trade": (True,),
    "protect_ender": (True,),
    "cambio_powers": ({"J": "peek_own", "Q": "exchange", "2": "rearrange", "7": "peek_other"}, {"A": "rearrange"}, {}),
    "hidden_rearrange": (False,),
    "powers_draw_pile": (True,),
    "shield_uses": (2, "unlimited"),
    "slaps": (True, False),
    "slap_order": ("reaction", "lottery", "clockwise"),
    "photo_finish_us": (0, 200),
    "cactus_ranks": ("KA",),
    "course": ((3, 5),),
    "par": (3, 5),
    "no_par": (True,),
    "arrange": ("blind",),
    "strokes_per_turn": ("unlimited",),
    "no_par_first_end": (2, 3),
    "joker_value": (-4, 15),
    "joker_pair": ("sum", -5),
    "queen_value": (12, 20),
    "qs40": (True,),
    "one_eyed_wild": (True,),
    "j0q12k13": (True,),
    "jack_value": (20,),
    "twos": ("plus2",),
    "kings15": (True,),
    "values": ({"7": -7, "9H": 30},),
    "cancel": ((), ("row",), ("col", "row")),
    "cancel_pairs": (("col", "row", "diag"),),
    "any_pair": ("one_per_rank", "all_pairs"),
    "block_bonus": (-25,),
    "block_match": ("points",),
    "straight_score": (-12,),
    "four_kind_wins": (True,),
    "moon": (True,),
    "moon_at": (30,),
    "kings_side": (None, 7),
    "pairs_zero_at_end": (True,),
    "knock_penalty": ("add:10", "double5", "highest", "twice_players"),
    "knock_bonus": ("zero", "minus_players"),
    "knock_tie": ("penalty", "bonus"),
    "cactus_knock": ((0, 3),),
}


def _sound(preset: str, changes: dict[str, Any]) -> Variant:
    """The preset with these changes but for those that make the set unsound."""
    while True:
        try:
            return customised(preset, changes)
        except BadOptions as bad:
            culprits = {problem.option for problem in bad.problems} & changes.keys()
            # Where an option of the preset itself is at odds with a change, the text names the change.
            culprits = culprits or {name for name in changes if f"`{name}`" in str(bad)}
            if not culprits:
                raise
            changes = {name: value for name, value in changes.items() if name not in culprits}
