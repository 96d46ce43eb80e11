"""How tables of every game are drawn, held against files that a person has read."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from golden import Golden
from msgspec.structs import replace

from referee.match_states.follower import Follower
from referee.rules.dice import any_action
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Response, Sealed, Window
from referee.rules.variants import PRESETS
from referee.terminal.screen.choose import Chooser
from referee.terminal.screen.draw import ASCII, UNICODE, Drawing, Glyphs, draw_layouts, draw_middle, plain

DRAWINGS = Path(__file__).parent / "drawings"

WIDTH = 80

SEATS = 4

YOU = 1

QUIET = {"knock", "end", "flip", "pass"}
"""What is left out where something else is offered, so that there is something to see."""


def answers(game: Game, dice: Random) -> Response:
    question = game.question
    if isinstance(question, Window):
        return order_slaps(game.table.options, question, {}, {}, tuple(range(game.table.seats)))
    if isinstance(question, Sealed):
        return tuple(any_action(ask.offers, dice) for ask in question.asks)
    assert question is not None
    busy = tuple(offer for offer in question.offers if offer.kind not in QUIET)
    return any_action(busy or question.offers, dice)


def own_ask(game: Game) -> Ask | None:
    """The question that the seat is asked now."""
    question = game.question
    asks = [question] if isinstance(question, Ask) else question.asks if question is not None else ()
    return next((ask for ask in asks if ask.seat == YOU), None)


def drawings(preset: str) -> Iterator[str]:
    """The table at one question of each kind that the seat is asked, as it sees it, and after the round."""
    variant = PRESETS[preset]
    game = Game.from_seed(variant, SEATS, f"drawings of {preset}")
    dice = Random(preset)  # noqa: S311
    follower = Follower(seats=SEATS, rows=variant.rows, columns=variant.columns)
    names = ("ada", "you", "a-bot-with-quite-a-long-name", "grace")
    told, shown = 0, set[str]()
    while game.question is not None:
        for event in game.seen(YOU, told):
            view = follower.follow(event)
            if view.scores and "scores" not in shown:
                shown.add("scores")
                yield drawn("the round is over", follower, names, None, UNICODE)
        told = len(game.events)
        ask = own_ask(game)
        turns = game.table.turns
        if ask is not None and ask.decision not in shown and (turns > 2 * SEATS or ask.decision not in SOON):
            shown.add(ask.decision)
            chooser = Chooser(ask.decision, ask.offers, YOU, follower.view, names)
            keys = [f"{key}: {words}" for key, words in chooser.hints()]
            keys += [f"{entry.key}: {entry.words}" for entry in chooser.menu()]
            yield drawn(f"{chooser.question}   {'   '.join(keys)}", follower, names, chooser, UNICODE)
            if ask.decision == "turn":
                yield drawn("without Unicode, and with nothing to choose", follower, names, None, ASCII)
        game.answer(answers(game, dice))


SOON = {"turn", "place", "flip", "slap"}
"""Questions that are shown when something has happened already."""


def drawn(title: str, follower: Follower, names: tuple[str, ...], chooser: Chooser | None, glyphs: Glyphs) -> str:
    marks = None if chooser is None else chooser.marks()
    how = Drawing(names=names, first=YOU, you=YOU, glyphs=glyphs, marks=marks)
    lines = [*draw_layouts(follower.view, how, WIDTH), (), draw_middle(follower.view, how)]
    text = plain(lines)
    assert max(len(line) for line in text.splitlines()) <= WIDTH
    return f"== {title}\n\n{text}\n"


@pytest.mark.parametrize("preset", PRESETS)
def test_tables_are_drawn_as_in_the_files(preset: str, golden: Golden) -> None:
    golden.check(DRAWINGS / f"{preset}.txt", "".join(drawings(preset)).encode())


def test_there_is_a_drawing_of_every_game_and_no_other(golden: Golden) -> None:
    golden.check_folder(DRAWINGS, [f"{preset}.txt" for preset in PRESETS])


def test_points_below_zero_have_one_sign() -> None:
    view = replace(Follower(seats=2, rows=2, columns=2).view, round=1, totals=(3, -2), scores=(3, -2))
    drawing = plain(draw_layouts(view, Drawing(names=["ada", "ben"]), 80))
    assert "3 (+3)" in drawing
    assert "-2 (-2)" in drawing
