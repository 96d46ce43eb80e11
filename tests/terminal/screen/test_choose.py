"""Every answer of every game can be given by keys, and what is no key says so."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.actions import Action, Arrange, DiscardPairs, Exchange, Keep, Pass, Slap, Switch, TurnUp
from protocol.offers import AnyOf, Offer, OneOf, Pick, admits
from referee.match_states.follower import Follower
from referee.match_states.view import Placed, View
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.variants import PRESETS, Variant
from referee.terminal.screen.choose import Chooser, WrongKey

NAMES = ("ada", "ben", "cleo")


def table(seats: int = 3, slots: int = 4, columns: int = 2) -> View:
    layouts = tuple(tuple(Placed(10 * seat + slot, up=False) for slot in range(slots)) for seat in range(seats))
    return View(seats=seats, rows=slots // columns, columns=columns, round=1, layouts=layouts, pile=("9H",))


def choose(decision: str, *offers: Offer, view: View | None = None, seat: int = 0) -> Chooser:
    return Chooser(decision, offers, seat, view or table(), NAMES)


def press(chooser: Chooser, *keys: str) -> Action | None:
    """What comes of the keys; only the last may bring the answer."""
    for key in keys[:-1]:
        assert chooser.press(key) is None, key
    return chooser.press(keys[-1])


OWN = OneOf((0, 1, 2, 3))
CARDS = tuple((seat, slot) for seat in range(3) for slot in range(4))
OTHERS = tuple(place for place in CARDS if place[0])


def test_a_card_is_chosen_by_its_key_or_by_the_cursor() -> None:
    offers = (Offer(kind="pass"), Offer(kind="slap", target=OneOf(CARDS)))
    assert choose("slap", *offers).press("2") == Slap(target=(0, 2))
    assert choose("slap", *offers).press("a") == Slap(target=(1, 0))
    assert choose("slap", *offers).press("p") == Pass()
    assert choose("slap", *offers).press("space") == Pass()
    moved = choose("slap", *offers)
    assert press(moved, "right", "right", "down", "enter") == Slap(target=(0, 3))
    assert "9H" in moved.question or choose("slap", *offers).question == "SLAP? The discard is 9H."


def test_the_keys_of_cards_stay_when_a_card_goes() -> None:
    view = table()
    gone = View(
        seats=3, rows=2, columns=2, round=1, layouts=((None, *view.layouts[0][1:]), *view.layouts[1:]), pile=("9H",)
    )
    offer = Offer(kind="slap", target=OneOf(tuple(place for place in CARDS if place != (0, 0))))
    before = choose("slap", Offer(kind="slap", target=OneOf(CARDS)))
    after = choose("slap", offer, view=gone)
    assert {place: key for place, key in before.marks().labels.items() if place != (0, 0)} == after.marks().labels


def test_a_wrong_key_changes_nothing_and_is_named() -> None:
    chooser = choose("place", Offer(kind="swap", slot=OWN), Offer(kind="discard"))
    with pytest.raises(WrongKey, match="`z` means nothing here"):
        chooser.press("z")
    with pytest.raises(WrongKey, match="tab means nothing here"):
        chooser.press("tab")
    assert chooser.press("d") is not None


def test_as_many_cards_as_are_to_be_chosen() -> None:
    offer = Offer(kind="turn_up", slots=Pick(2, (0, 1, 2, 3)))
    assert press(choose("turn_up", offer), "3", "1") == TurnUp(slots=(3, 1))
    assert press(choose("turn_up", offer), "3", "3", "0", "backspace", "2", "1") == TurnUp(slots=(2, 1))
    chooser = choose("turn_up", offer)
    chooser.press("3")
    assert chooser.marks().chosen == ((0, 3),)
    assert "1 chosen" in chooser.question


def test_an_order_is_made_by_exchanging_two_cards_at_a_time() -> None:
    offer = Offer(kind="arrange", slots=Pick(4, (0, 1, 2, 3)))
    assert choose("arrange", offer).press("enter") == Arrange(slots=(0, 1, 2, 3))
    assert press(choose("arrange", offer), "0", "3", "1", "0", "enter") == Arrange(slots=(1, 3, 2, 0))
    chooser = choose("arrange", offer)
    chooser.press("0")
    assert chooser.marks().chosen == ((0, 0),)
    chooser.press("1")
    assert chooser.arranged() == (0, [1, 0, 2, 3])


def test_any_number_of_rows_may_be_chosen() -> None:
    offer = Offer(kind="discard_pairs", rows=AnyOf((0, 2)))
    assert choose("pairs", offer).press("enter") == DiscardPairs(rows=())
    assert press(choose("pairs", offer), "2", "0", "0", "enter") == DiscardPairs(rows=(2,))


def test_an_action_of_several_fields_is_asked_step_by_step() -> None:
    none, exchange = Offer(kind="none"), Offer(kind="exchange", slot=OWN, target=OneOf(OTHERS))
    chooser = choose("power", exchange, none)
    assert press(chooser, "1", "b") == Exchange(slot=1, target=(1, 1))
    back = choose("power", exchange, none)
    assert press(back, "1", "escape", "2", "c") == Exchange(slot=2, target=(1, 2))
    keep = choose("pick8", Offer(kind="keep", slot=OWN, card=OneOf((0, 1, 2))))
    assert press(keep, "2", "0") == Keep(card=2, slot=0)


def test_two_kinds_of_action_at_cards_of_their_own_need_no_menu() -> None:
    """Powers 4: another's card is turned up, an own one is turned down."""
    chooser = choose("power", Offer(kind="expose", target=OneOf(OTHERS)), Offer(kind="hide", slot=OneOf((1,))))
    assert chooser.press("1") is not None
    both = choose("power", Offer(kind="peek", target=OneOf(CARDS)), Offer(kind="switch", targets=Pick(2, CARDS)))
    assert press(both, "x", "0", "a") == Switch(targets=((0, 0), (1, 0)))


def ways(chooser: Chooser) -> list[str]:
    """The keys that mean something now."""
    keys = [*chooser.marks().labels.values(), *(entry.key for entry in chooser.menu())]
    return keys + ["enter"] * any(key == "Enter" for key, _ in chooser.hints())


@pytest.mark.parametrize("preset", PRESETS)
def test_whatever_is_pressed_of_what_is_shown_leads_to_a_legal_answer(preset: str, at_random: AtRandom) -> None:
    @settings(max_examples=2)
    @given(at_random.tables(preset), st.integers(0, 2**32))
    def play(made: tuple[Variant, int], seed: int) -> None:
        variant, seats = made
        dice = Random(seed)  # noqa: S311
        game = Game(variant, seats, Keyed(b"choose%d" % seed, variant, seats))
        followers = [Follower(seats=seats, rows=variant.rows, columns=variant.columns) for _ in range(seats)]
        names = [f"bot {seat}" for seat in range(seats)]
        told = 0
        for _ in range(150):
            if game.question is None:
                break
            for viewer, follower in enumerate(followers):
                for event in game.seen(viewer, told):
                    follower.follow(event)
            told = len(game.events)
            for ask in asks(game):
                chooser = Chooser(ask.decision, ask.offers, ask.seat, followers[ask.seat].view, names)
                assert admits(ask.offers, answered(chooser, dice))
            game.answer(at_random.response(game, dice))

    play()


def asks(game: Game) -> Iterator[Ask]:
    question = game.question
    if question is not None:
        yield from [question] if isinstance(question, Ask) else islice(question.asks, 2)


def answered(chooser: Chooser, dice: Random) -> Action:
    """Press shown keys by chance; now and then take something back, or move the cursor."""
    for step in range(200):
        keys = ways(chooser)
        assert keys
        assert len(set(keys)) == len(keys), "a key means two things"
        aside = ("escape", "right", "down", "left", "up")
        is_aside = step < 20 and dice.random() < 0.2
        if not (is_aside and (key := dice.choice(aside)) and (chooser.marks().labels or key == "escape")):
            key = dice.choice(keys)
        if (action := chooser.press(key)) is not None:
            return action
    raise AssertionError("no answer in 200 keys")


def test_a_turn_after_the_end_of_the_round_is_called_the_last() -> None:
    draw = Offer(kind="draw", source=OneOf(("stock", "pile")))
    assert choose("turn", draw, view=replace(table(), knocker=2)).question == (
        "Your last turn, as 2 cleo has ended the round"
    )
    assert choose("turn", draw).question == "Your turn"
