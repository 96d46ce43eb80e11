"""The size of the games: how many sequences of decisions there are from fixed deals (perft).

The numbers stand in perft.txt: a change of the rules that adds or takes away an answer has to change them knowingly.
`pytest tests/rules/games/test_perft.py --write` writes them anew; read the difference before it is committed. A sealed
question or a slap window counts with the answers of its first seat, the others giving their fallback answers; play
goes on from a sealed question with fallback answers alone, since arrangements run into millions.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from golden import Golden
from msgspec import Struct

from protocol.actions import Slap
from protocol.offers import every_action, size
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask, Question, Response, Sealed, SlapOrder, Window
from referee.rules.questions import Slap as Slapping
from referee.rules.variants import PRESETS


class Deal(Struct, frozen=True, kw_only=True):
    """A fixed deal, whose sequences of up to so many decisions are counted."""

    preset: str
    seats: int
    salt: int
    depth: int
    options: dict[str, Any]


def deal(preset: str, seats: int, salt: int, *, depth: int, **options: Any) -> Deal:
    return Deal(preset=preset, seats=seats, salt=salt, depth=depth, options=options)


DEALS = [
    deal("six-card", 2, 1, depth=7),
    deal("six-card-knock", 2, 1, depth=5),
    deal("single-deck", 2, 1, depth=7),
    deal("four-card", 3, 1, depth=6),
    deal("nine-card", 2, 1, depth=4),
    deal("eight-card", 2, 1, depth=6),
    deal("cutthroat", 2, 1, depth=6),
    deal("cambio", 2, 1, depth=5),
    deal("powers", 2, 1, depth=7),
    deal("cactus", 2, 1, depth=4),
    deal("four-turns", 2, 1, depth=6),
    deal("two-deck", 2, 1, depth=5),
    deal("par-3", 2, 1, depth=3),
    deal("par-4", 2, 1, depth=3),
    deal("par-5", 2, 1, depth=3),
    deal("no-par", 2, 1, depth=4),
    deal("par-course", 2, 1, depth=3),
    # The first stock card is in Powers a 2, A, 7, 9, 4 or 3, else a king, a joker or a queen.
    deal("powers", 2, 0, depth=6),
    deal("powers", 2, 21, depth=7),
    deal("powers", 2, 3, depth=7),
    deal("powers", 2, 5, depth=7),
    deal("powers", 2, 13, depth=7),
    deal("powers", 2, 32, depth=7),
    deal("cutthroat", 2, 15, depth=6),
    deal("cambio", 2, 11, depth=4),
    deal("cambio", 2, 28, depth=5),
    deal("cactus", 2, 9, depth=4),
    # Options
    deal("nine-card", 2, 2, depth=4, flip_instead=True, end_mode="both", initial_up=2),
    deal("cambio", 2, 28, depth=4, slaps=True, protect_ender=True),
    deal("powers", 2, 1, depth=5, powers_draw_pile=True),
    deal("par-3", 2, 2, depth=2, arrange="blind", strokes_per_turn="unlimited"),
    deal("six-card", 3, 1, depth=5, jack_skip=True, cutthroat_trade=True, flip_instead=True, end_mode="both"),
    deal("four-card", 3, 1, depth=4, initial_look="any:2", cambio_powers={"J": "peek_own", "A": "rearrange"}),
    deal("two-deck", 2, 1, depth=6, flip_on_discard="must", pairs_leave="next_turn"),
    deal("powers", 3, 1, depth=5, black_king_cancels="drawn", hidden_rearrange=False, shield_uses=2),
    deal("cactus", 4, 1, depth=4, cactus_ranks="KA", protect_ender=True, power_before_slaps=True),
]  # fmt: skip


def begin(dealt: Deal) -> Game:
    variant = with_options(dealt.preset, dealt.options)
    return Game(variant, dealt.seats, Keyed(b"perft/%d" % dealt.salt, variant, dealt.seats))


def perft(game: Game, depth: int) -> list[int]:
    """How many sequences of one decision there are, of two, and so on."""
    if game.question is None:
        return [0] * depth
    counts = [sum(size(offer) for offer in first_ask(game.question).offers)] + [0] * (depth - 1)
    for response in responses(game.question) if depth > 1 else ():
        after = game.copy()
        after.answer(response)
        for length, count in enumerate(perft(after, depth - 1), start=1):
            counts[length] += count
    return counts


def first_ask(question: Question) -> Ask:
    return question if isinstance(question, Ask) else question.asks[0]


def responses(question: Question) -> Iterator[Response]:
    """Every response that is counted."""
    if isinstance(question, Sealed):
        yield tuple(ask.fallback for ask in question.asks)
        return
    ask = first_ask(question)
    for action in every_action(ask.offers):
        if isinstance(question, Window):
            slaps = (Slapping(seat=ask.seat, target=action.target),) if isinstance(action, Slap) else ()
            yield SlapOrder(slaps=slaps)
        else:
            yield action


def line(dealt: Deal) -> str:
    """The line of a deal in perft.txt."""
    options = "".join(f", {name} = {value!r}" for name, value in dealt.options.items())
    counts = " ".join(map(str, perft(begin(dealt), dealt.depth)))
    return f"{dealt.preset}, {dealt.seats} seats, deal {dealt.salt}{options}: {counts}\n"


def test_there_are_as_many_sequences_of_decisions_as_ever(golden: Golden) -> None:
    golden.check(Path(__file__).with_name("perft.txt"), "".join(map(line, DEALS)).encode())


def test_every_preset_is_counted() -> None:
    assert {dealt.preset for dealt in DEALS} == set(PRESETS)
