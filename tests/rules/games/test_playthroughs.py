"""Golden playthroughs: for every preset, and some unusual sets of options, one short match as a text to read.

`pytest tests/rules/games/test_playthroughs.py --write` writes playthroughs/*.txt beside it anew after a wanted change.
Read the difference before it is committed. In a file, a line `SEATS DECISION ?` is a request with its legal actions,
`SEAT >` an answer, and a line that begins with spaces is an event with those who are told this version of it; `-` is
a spectator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from golden import Golden
from msgspec import Struct, field

from protocol.actions import Action, Pass, Slap
from protocol.cards import rank
from protocol.offers import ACTIONS, Choice, Offer, OneOf, Pick, in_words
from referee.play.talk.script import table_message
from referee.rules.book.presets import PRESETS
from referee.rules.book.variants import customised
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.table.asks import Ask, Question, Response, Sealed, SlapOrder, Window
from referee.rules.table.chance import Keyed
from referee.rules.table.seen import Happening, view
from referee.rules.table.streams import Stream

FOLDER = Path(__file__).parent / "playthroughs"

MOST_LINES = 300


class Case(Struct, frozen=True, kw_only=True):
    """What is played in a playthrough."""

    preset: str
    seats: int
    salt: int
    """Makes the deal key, and with it the answers."""
    options: dict[str, Any] = field(default_factory=lambda: {"rounds": 1})
    patience: int = 0
    """How many answers are given before anybody knocks or ends a hole."""
    eager: tuple[str, ...] = ()
    """Kinds of action that are mostly chosen where they are offered."""

    @property
    def key(self) -> bytes:
        return f"playthrough/{self.preset}/{self.salt}".encode()


def case(preset: str, seats: int, salt: int, *eager: str, patience: int = 0, **options: Any) -> Case:
    """A match of one round, or over the given course."""
    rounds = {} if "course" in options else {"rounds": 1}
    return Case(preset=preset, seats=seats, salt=salt, options=rounds | options, patience=patience, eager=eager)


CASES = {
    "six-card": case("six-card", 2, 1191, "flip"),
    "six-card-knock": case("six-card-knock", 2, 32, patience=12),
    "single-deck": case("single-deck", 3, 1471, "flip"),
    "four-card": case("four-card", 3, 307, patience=12),
    "nine-card": case("nine-card", 2, 465, "flip"),
    "eight-card": case("eight-card", 2, 111, "flip"),
    "cutthroat": case("cutthroat", 2, 1115, "flip", "trade"),
    "cambio": case("cambio", 3, 1254, "discard", "peek", "exchange", "rearrange", patience=24),
    "powers": case("powers", 3, 2730, "discard", "copy", "shield", "block", "cancel_knock", patience=26),
    "cactus": case("cactus", 3, 620, "peek", "switch", patience=30),
    "four-turns": case("four-turns", 3, 142),
    "two-deck": case("two-deck", 2, 388, "flip", "discard_pairs"),
    "par-3": case("par-3", 2, 12),
    "par-4": case("par-4", 2, 1059),
    "par-5": case("par-5", 2, 830, "stroke"),
    "no-par": case("no-par", 2, 43, patience=8),
    "par-course": case("par-course", 2, 1233, "stroke", course=(3, 4)),
    # Unusual sets of options
    "six-card-traded": case(
        "six-card", 3, 2095, "trade", "flip", patience=8, flip_instead=True, jack_skip=True, cutthroat_trade=True,
        final_turns="one_each", end_mode="both", jokers=2, joker_value=15, joker_pair=-5, one_eyed_wild=True,
    ),
    "two-deck-last-card": case(
        "two-deck", 7, 1181, "discard_pairs", decks=1, flip_on_discard="must", pairs_zero_at_end=True,
    ),
    "four-card-secret-look": case(
        "four-card", 3, 1318, "discard", "rearrange", "exchange", patience=16, initial_look="any:2",
        cambio_powers={"J": "peek_own", "Q": "peek_other", "K": "exchange", "A": "rearrange", "7": "rearrange"},
        any_pair="all_pairs",
    ),
    "nine-card-everything": case(
        "nine-card", 2, 1984, "flip", "trade", patience=4, initial_up=3, flip_instead=True, jack_skip=True,
        cutthroat_trade=True, end_mode="both", final_turns="one_each", jokers=2, joker_value=-4, qs40=True,
        cancel=("col", "row", "diag"), cancel_pairs=("col", "row"), block_bonus=-25, block_match="points",
        straight_score=-12, four_kind_wins=True, moon=True, moon_at=70, knock_penalty="highest",
        knock_bonus="minus_players",
    ),
    "nine-card-alone": case("nine-card", 1, 3, "flip"),
    "cambio-slaps": case(
        "cambio", 3, 528, "discard", "rearrange", patience=24, slaps=True, slap_order="clockwise", jokers=6,
        hidden_rearrange=False, protect_ender=True, initial_look="any:2",
    ),
    "powers-pile": case(
        "powers", 2, 1233, "shield", "block", "swap_lines", "add", patience=34, powers_draw_pile=True, shield_uses=2,
        hidden_rearrange=False, protect_ender=True, twos="plus2",
    ),
    "powers-drawn-kings": case(
        "powers", 3, 13811, "discard", "take_two", "copy", "knock", patience=3, black_king_cancels="drawn",
    ),
    "cactus-kings": case(
        "cactus", 4, 625, "switch", patience=30, cactus_ranks="KA", slap_order="lottery", stock_out="reshuffle",
        protect_ender=True, fixed_starter=True, cactus_knock=(0, 3),
    ),
    "par-chosen": case("par-course", 2, 0, "stroke", par_choice="dealer", course=(3, 4)),
    "par-blind": case("par-4", 2, 22, "stroke", arrange="blind", strokes_per_turn="unlimited", twos="plus2"),
}  # fmt: skip
"""By the name of the file."""


# Players


class Players:
    """Who answers: all choices come from one keyed stream, so that every Python version plays the same."""

    def __init__(self, chosen: Case) -> None:
        self._case = chosen
        self._dice = Stream(chosen.key, "answers")
        self._answers = 0

    def respond(self, game: Game) -> tuple[tuple[Action, ...], Response]:
        """The seats' answers in the order of the asks, and the response that they make."""
        question = game.question
        assert question is not None
        answers = tuple(
            self._slap(game, ask) if ask.decision == "slap" else self._act(ask) for ask in asks_of(question)
        )
        if isinstance(question, Window):
            actions = {ask.seat: action for ask, action in zip(question.asks, answers, strict=True)}
            times = {ask.seat: float(self._dice.below(300)) for ask in question.asks}
            lots = game.table.chance.lots(game.table.round, question.number)
            return answers, order_slaps(game.table.options, question, actions, times, lots)
        return answers, answers if isinstance(question, Sealed) else answers[0]

    def _act(self, ask: Ask) -> Action:
        self._answers += 1
        offers = [
            offer for offer in ask.offers if offer.kind not in {"knock", "end"} or self._answers > self._case.patience
        ]
        eager = [offer for offer in offers if offer.kind in self._case.eager]
        if eager and self._dice.below(4):
            offers = eager
        offer = offers[self._dice.below(len(offers))]
        return ACTIONS[offer.kind](**{name: self._value(choice) for name, choice in offer.choices().items()})

    def _value(self, choice: Choice) -> Any:
        if isinstance(choice, OneOf):
            return choice.one_of[self._dice.below(len(choice.one_of))]
        if isinstance(choice, Pick):
            return tuple(self._dice.shuffled(choice.of)[: choice.pick])
        return tuple(value for value in choice.any_of if self._dice.below(2))

    def _slap(self, game: Game, ask: Ask) -> Action:
        """Mostly a pass; a slap is more often right than wrong, which a player could not know."""
        targets = game.table.targets(ask.seat, up=False)
        right = [target for target in targets if rank(game.table.at(*target).card) == rank(game.table.pile[-1])]
        admitted = [offer.target for offer in ask.offers if isinstance(offer.target, OneOf)]
        likely = right if right and self._dice.below(3) else targets if self._dice.below(12) == 0 else ()
        chosen = [target for target in likely if any(target in choice.one_of for choice in admitted)]
        return Slap(target=chosen[self._dice.below(len(chosen))]) if chosen else Pass()


def asks_of(question: Question) -> tuple[Ask, ...]:
    return (question,) if isinstance(question, Ask) else question.asks


# The text


def lines(chosen: Case) -> Iterator[str]:
    """The playthrough of a case, line by line."""
    variant = customised(chosen.preset, chosen.options)
    game = Game(variant, chosen.seats, Keyed(chosen.key, variant, chosen.seats))
    players, told = Players(chosen), 0
    yield f"{chosen.preset}, {chosen.seats} seats"
    yield from (f"{name} = {value!r}" for name, value in chosen.options.items())
    while True:
        yield ""
        for event in game.events[told:]:
            yield from versions(event, chosen.seats)
        told = len(game.events)
        if game.question is None:
            break
        yield from requests(game, game.question)
        answers, response = players.respond(game)
        yield from (
            f"{ask.seat} > {words(action)}" for ask, action in zip(asks_of(game.question), answers, strict=True)
        )
        if isinstance(response, SlapOrder) and len(response.slaps) > 1:
            yield f"order: {' '.join(str(slap.seat) for slap in response.slaps)}"
        game.answer(response)
    yield f"totals {game.result.totals}, ranks {game.result.ranks}, capped {game.result.capped}"


def versions(event: Happening, seats: int) -> Iterator[str]:
    """An event in the versions that seats and spectators are told, each with those who are told it."""
    audiences: dict[str, list[str]] = {}
    for viewer in (*range(seats), None):
        audiences.setdefault(words(view(event, viewer)), []).append("-" if viewer is None else str(viewer))
    for text, viewers in audiences.items():
        yield f"    {'all' if len(audiences) == 1 else ' '.join(viewers)}: {text}"


def requests(game: Game, question: Question) -> Iterator[str]:
    """What is asked: seats with the same offers in one line, and the table that goes with a turn's first request."""
    alike: dict[tuple[str, Sequence[Offer]], list[Ask]] = {}
    for ask in asks_of(question):
        alike.setdefault((ask.decision, ask.offers), []).append(ask)
    for (decision, offers), asks in alike.items():
        seats = " ".join(str(ask.seat) for ask in asks)
        yield f"{seats} {decision} ? {'; '.join(in_words(offer) for offer in offers)}"
        if asks[0].opens_turn:
            yield f"    {seats} table: {words(table_message(game.table))}"


def words(value: Struct) -> str:
    """An event, action or table in one line: its kind and its fields as on the wire, without quotes."""
    fields = msgspec.to_builtins(value)
    kind = fields.pop("event", None) or fields.pop("kind", "")
    shown = (f"{name}={msgspec.json.encode(one).decode()}" for name, one in fields.items())
    return " ".join((kind, *shown)).strip().replace('"', "")


# The golden files


@pytest.mark.parametrize("name", [*PRESETS, *(name for name in CASES if name not in PRESETS)])
def test_every_preset_has_a_playthrough_and_plays_it_again(name: str, golden: Golden) -> None:
    assert name in CASES, f"add a case of {name} to CASES"
    played = list(lines(CASES[name]))

    golden.check(FOLDER / f"{name}.txt", "".join(f"{line}\n" for line in played).encode())
    assert len(played) <= MOST_LINES


def test_no_playthrough_is_left_over(golden: Golden) -> None:
    golden.check_folder(FOLDER, {f"{name}.txt" for name in CASES})
