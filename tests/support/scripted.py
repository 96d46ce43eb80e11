"""Matches by a script, as the worked cases tell them: cards are given, and a text says what is asked and answered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from msgspec import convert

from protocol.actions import Action, Target, TurnUp
from protocol.cards import Card
from protocol.events import Event
from referee.rules.chance import Stacked
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask, IllegalAnswer, Response, Sealed, Slap, SlapOrder, Window
from referee.rules.secrets import view
from referee.rules.table import Table
from referee.rules.variants import PRESETS, deck, has_up_card, size

ANY = "??"
"""A card that a case does not name."""


class Script:
    """A match driven line by line: `play` says who is asked what and what is answered, the rest looks at the table.

    A line holds what one seat is asked and answers, `SEAT DECISION: ANSWER; DECISION: ANSWER`, mostly a turn (`0 turn:
    draw stock; place: swap s5`, `1 power: switch 1 s2, 2 s2`). Alone or among them stand `window: SLAPS` (`1 at 1 s1,
    2 at 0 s3`, or `nobody`) and `sealed: ANSWERS` by seat (`look s0 s1 | look s2 s3`). What stands last has no answer:
    it is the question that must then be open, or `end`.
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

    def play(self, *lines: str) -> None:
        """Play the lines, given one by one or as one text; what happens from here on is the `news`."""
        steps = list(_steps("\n".join(lines)))
        self._mark = len(self.game.events)
        for number, step in enumerate(steps, start=1):
            asked, colon, answer = step.partition(":")
            assert self.open == asked, f"step {number} expects `{asked}`, but open is `{self.open}`"
            assert bool(colon) == (number < len(steps)), f"`{step}`: the last step, and only that, has no answer"
            if colon:
                self.game.answer(self._response(answer))

    def refuses(self, answer: str) -> None:
        """The open question does not offer this answer, and nothing comes of it."""
        events, question = len(self.game.events), self.game.question
        with pytest.raises(IllegalAnswer):
            self.game.answer(self._response(answer))
        assert (events, question) == (len(self.game.events), self.game.question), f"`{answer}` changed the game"

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
        return {kind: [one for choice in chosen for one in listed(choice)] for kind, chosen in values.items()}

    def news(self, viewer: int | None) -> list[Event]:
        """What this seat (None: a spectator) was told during the last `play`."""
        return [view(event, viewer) for event in self.game.events[self._mark :]]

    def grid(self, seat: int) -> str:
        """A seat's layout in the notation of the rule book; slots beyond the dealt ones make further rows."""
        width = self.table.variant.columns
        layout = self.table.layouts[seat]
        words = ["--" if slot is None else slot.card if slot.up else f"({slot.card})" for slot in layout]
        return " / ".join(" ".join(words[start : start + width]) for start in range(0, len(words), width))

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
        if PRESETS[preset].has("initial_up") and "initial_look" not in options:
            standard["initial_up"] = len(_face_up(grids[0][0]))
        variant = with_options(preset, standard | options)
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


def _steps(text: str) -> Iterator[str]:
    """The questions of a script with their answers, each with its seat."""
    for line in filter(None, map(str.strip, text.splitlines())):
        first, *further = line.split("; ")
        yield first
        for step in further:
            yield step if step.startswith("window") else f"{first.partition(' ')[0]} {step}"


def _grids(preset: str, layouts: Sequence[str]) -> list[list[str]]:
    """Each layout as its words; one that does not matter has as many cards up as the first."""
    words = [layout.replace("/", " ").split() for layout in layouts]
    up = len(_face_up(words[0]))
    blank = [ANY] * up + [f"({ANY})"] * (size(with_options(preset, {})) - up)
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
        case "choose_par":
            choices = {"par": int(words[0])}
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


def listed(choice: Any) -> Sequence[Any]:
    """The values that a choice names, whatever its form."""
    return next(value for value in (getattr(choice, name) for name in choice.__struct_fields__) if type(value) is tuple)
