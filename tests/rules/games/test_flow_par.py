"""Par golf with and without strokes, against the worked cases and clause by clause."""

from typing import Any

import pytest
from scripted import Script, Start, listed

from protocol.actions import Arrange, ChoosePar, Draw, Nothing, Stroke, Swap, SwapOwn
from protocol.events import (
    Arranged,
    Drew,
    Event,
    Finished,
    Knocked,
    Looked,
    ParChosen,
    Reshuffled,
    Round,
    Showdown,
    Stroked,
    Swapped,
    SwappedOwn,
    TurnedUp,
    UpCard,
)
from protocol.offers import Offer, OneOf, Pick
from referee.rules.chance import Keyed
from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import rules_in_brief, rules_in_full
from referee.rules.game import Game
from referee.rules.par_table import OURS_1
from referee.rules.questions import Ask, IllegalAnswer, Sealed
from referee.rules.scoring.by_hand import score_grids
from referee.rules.scoring.grid import BadGrid
from referee.rules.scoring.scoring import raw_score
from referee.rules.secrets import view
from referee.rules.variants import card_values, preset

PAR_3 = "2S 3S / (4S) (5S) / (6S) (7S)"
THREE_ROWS = "?? ?? / (??) (??) / (??) (??)"
TWO_ROWS = "?? ?? / (??) (??)"


def new_game(name: str, seats: int, **options: Any) -> Game:
    variant = with_options(name, options)
    return Game(variant, seats, Keyed(b"key", variant, seats))


def begin(start: Start, name: str, *layouts: str, **given: Any) -> Script:
    """A hole with the cards where the layouts have them: every seat leaves them as they were dealt."""
    match = start(name, layouts, **given)
    leave_as_dealt(match.game)
    return match


def leave_as_dealt(game: Game) -> None:
    if isinstance(game.question, Sealed):
        game.answer(tuple(ask.fallback for ask in game.question.asks))


def pass_turn(match: Script) -> None:
    """The seat in turn takes no stroke and swaps two cards of one row, to no effect."""
    if match.ask.decision == "stroke":
        match.game.answer(Nothing())
    (own,) = [offer.slots for offer in match.ask.offers if offer.kind == "swap_own"]
    assert isinstance(own, Pick)
    first, second = own.of[-2:]
    assert isinstance(first, int)
    assert isinstance(second, int)
    match.game.answer(SwapOwn(slots=(first, second)))


def pass_round(match: Script, turns: int | None = None) -> None:
    """Play this many turns without effect, by default one of each seat."""
    for _ in range(match.table.seats if turns is None else turns):
        pass_turn(match)


def play_out(game: Game) -> list[int]:
    """Fallback answers to the end; returns whose turns they were."""
    turns = []
    while (question := game.question) is not None:
        if isinstance(question, Ask):
            turns += [question.seat] * question.opens_turn
            game.answer(question.fallback)
        else:
            leave_as_dealt(game)
    return turns


# Set-up


@pytest.mark.parametrize(
    ("name", "seats", "cards", "stock"),
    [("par-3", 3, 6, 33), ("par-4", 2, 8, 35), ("par-5", 4, 10, 11), ("no-par", 4, 4, 35)],
)
def test_c_187_par_02_par_03_par_06_two_cards_a_stroke_and_then_the_up_card(
    name: str, seats: int, cards: int, stock: int
) -> None:
    game = new_game(name, seats)
    leave_as_dealt(game)
    assert {len(layout) for layout in game.table.layouts} == {cards}
    assert (game.table.rows, game.table.variant.columns) == (cards // 2, 2)
    assert (len(game.table.pile), len(game.table.stock)) == (1, stock)


def test_par_04_par_05_par_06_each_looks_at_its_cards_arranges_them_and_turns_the_top_row_up(start: Start) -> None:
    match = start("par-3", [PAR_3, THREE_ROWS], up="9D")
    looked, other = match.game.events[1:]
    assert view(looked, 0) == Looked(seat=0, slots=(0, 1, 2, 3, 4, 5), cards=("2S", "3S", "4S", "5S", "6S", "7S"))
    assert view(looked, 1) == view(looked, None) == Looked(seat=0, slots=(0, 1, 2, 3, 4, 5), cards=(None,) * 6)
    assert isinstance(other, Looked)
    assert match.table.pile == []
    match.play("sealed: arrange s5 s1 s2 s3 s4 s0 | arrange s0 s1 s2 s3 s4 s5", "0 turn")
    assert match.grid(0) == "7S 3S / (4S) (5S) / (6S) (2S)"
    arranged, theirs, top, _, up_card = match.news(0)
    assert arranged == Arranged(seat=0, slots=(5, 1, 2, 3, 4, 0))
    assert theirs == Arranged(seat=1, slots=None)
    assert top == TurnedUp(seat=0, slots=(0, 1), cards=("7S", "3S"))
    assert up_card == UpCard(card="9D", stock=39)
    for viewer in (None, 1):
        assert match.news(viewer)[0] == Arranged(seat=0, slots=None)
        assert match.news(viewer)[2] == top


def test_dec_03_any_permutation_of_the_own_cards_sealed() -> None:
    game = new_game("par-3", 2)
    assert isinstance(game.question, Sealed)
    for ask in game.question.asks:
        assert ask.decision == "arrange"
        assert ask.offers == (Offer(kind="arrange", slots=Pick(6, tuple(range(6)))),)
        assert ask.fallback == Arrange(slots=(0, 1, 2, 3, 4, 5))
    for wrong in [(0, 1, 2, 3, 4), (0, 0, 1, 2, 3, 4), (1, 2, 3, 4, 5, 6)]:
        with pytest.raises(IllegalAnswer):
            game.answer((Arrange(slots=wrong), Arrange(slots=(0, 1, 2, 3, 4, 5))))


def test_par_04_blind_the_cards_stay_as_dealt(start: Start) -> None:
    match = start("par-3", [PAR_3, THREE_ROWS], arrange="blind")
    assert match.open == "0 turn"
    assert match.grid(0) == PAR_3
    assert [type(event) for event in match.game.events] == [Round, Looked, Looked, TurnedUp, TurnedUp, UpCard]


def test_par_07_the_seat_left_of_the_dealer_starts(start: Start) -> None:
    assert begin(start, "par-3", THREE_ROWS, "", "", first_dealer=0).open == "1 turn"


# A turn


def test_par_08_par_09_one_action_a_turn_and_a_drawn_card_must_be_swapped_in(start: Start) -> None:
    match = begin(start, "par-3", PAR_3, THREE_ROWS)
    opening = match.ask
    assert match.offered == {"draw": ["stock", "pile"], "swap_own": [0, 1, 2, 3, 4, 5]}
    assert opening.fallback == Draw(source="stock")
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5]}
    assert match.ask.fallback == Swap(slot=0)
    match.refuses("discard")
    match.play("0 place: swap s2", "1 turn")


def told(match: Script) -> dict[int | None, Event]:
    """The last event as a spectator and the two seats were told it."""
    return {viewer: match.news(viewer)[-1] for viewer in (None, 0, 1)}


@pytest.mark.parametrize(
    ("source", "slot", "face_up", "known_to"),
    [("pile", 3, False, (None, 0, 1)), ("stock", 0, True, (None, 0, 1)), ("stock", 4, False, (0,))],
)
def test_c_191_par_10_par_24_a_card_takes_over_the_face_of_its_slot(
    start: Start, source: str, slot: int, face_up: bool, known_to: tuple[int | None, ...]
) -> None:
    match = begin(start, "par-3", PAR_3, THREE_ROWS, up="5D", stock="9C")
    match.play(f"0 turn: draw {source}; place")
    card = "5D" if source == "pile" else "9C"
    seen = {viewer: event.card for viewer, event in told(match).items() if isinstance(event, Drew)}
    assert seen == ({None: card, 0: card, 1: card} if source == "pile" else {None: None, 0: card, 1: None})
    match.play(f"0 place: swap s{slot}", "1 turn")
    replaced = PAR_3.replace("/", "").split()[slot].strip("()")
    for viewer, event in told(match).items():
        shown = card if viewer in known_to else None
        assert event == Swapped(seat=0, slot=slot, card=shown, face_up=face_up, replaced=replaced)
    assert match.table.pile[-1] == replaced
    assert (slot in match.table.face_down(0)) is not face_up


def test_c_193_par_11_par_24_two_own_cards_change_places_and_faces(start: Start) -> None:
    match = begin(start, "par-3", "KD 3S / (4S) (5S) / (6S) (4C)", THREE_ROWS, up="9D")
    match.play("0 turn: swap_own s0 s5", "1 turn")
    assert match.grid(0) == "4C 3S / (4S) (5S) / (6S) (KD)"
    assert set(map(repr, told(match).values())) == {repr(SwappedOwn(seat=0, slots=(0, 5), cards=("4C", None)))}
    pass_turn(match)
    match.play("0 stroke: none; turn: swap_own s2 s4", "1 stroke")
    assert match.grid(0) == "4C 3S / (6S) (5S) / (4S) (KD)"
    assert set(map(repr, told(match).values())) == {repr(SwappedOwn(seat=0, slots=(2, 4), cards=(None, None)))}
    pass_turn(match)
    match.play("0 stroke: none; turn: swap_own s0 s1", "1 stroke")
    assert match.grid(0) == "3S 4C / (6S) (5S) / (4S) (KD)"
    assert match.table.pile == ["9D"]


# Strokes


def test_c_194_par_12_dec_12_a_stroke_is_taken_from_the_second_turn_on_one_a_turn(start: Start) -> None:
    match = begin(start, "par-3", PAR_3, THREE_ROWS)
    match.refuses("stroke 1")
    pass_round(match)
    assert match.open == "0 stroke"
    assert match.offered == {"none": [], "stroke": [0, 1, 2]}
    assert match.ask.fallback == Nothing()
    assert match.ask.opens_turn
    match.play("0 stroke: stroke 1; turn")
    assert (match.ask.opens_turn, match.ask.joins) == (False, True)
    match.refuses("stroke 2")
    assert match.offered == {"draw": ["stock", "pile"], "swap_own": [0, 1, 4, 5]}
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 4, 5]}
    match.play("0 place: swap s4", "1 stroke")
    pass_turn(match)
    assert match.offered == {"none": [], "stroke": [0, 2]}


def test_par_12_any_number_of_strokes_a_turn_by_option(start: Start) -> None:
    match = begin(start, "par-3", PAR_3, THREE_ROWS, strokes_per_turn="unlimited")
    pass_round(match)
    match.play("0 stroke: stroke 1", "0 stroke")
    assert match.offered == {"none": [], "stroke": [0, 2]}
    assert not match.ask.opens_turn
    match.play("0 stroke: stroke 2", "0 stroke: stroke 0", "1 stroke")
    assert match.news(None)[-1] == Finished(seat=0)


def test_par_13_the_top_row_goes_face_down_when_it_is_stroked(start: Start) -> None:
    match = begin(start, "par-3", PAR_3, THREE_ROWS, stock="9C")
    pass_round(match)
    match.play("0 stroke: stroke 0; turn: draw stock; place: swap s2", "1 stroke")
    assert match.grid(0) == "(2S) (3S) / (9C) (5S) / (7S) (6S)"
    assert told(match)[1] == Swapped(seat=0, slot=2, card=None, face_up=False, replaced="4S")


def test_c_196_par_14_the_final_stroke_ends_the_turn_and_every_other_seat_has_one_more(start: Start) -> None:
    match = begin(start, "par-3", PAR_3, THREE_ROWS, "")
    pass_round(match)
    for row in (1, 2):
        match.game.answer(Stroke(row=row))
        pass_round(match)
    match.play("0 stroke: stroke 0", "1 stroke")
    assert match.news(None) == [Stroked(seat=0, row=0), Finished(seat=0)]
    assert play_out(match.game) == [1, 2]
    assert match.game.result.rounds[0].ender == 0


def test_c_197_par_15_par_16_strokes_in_the_last_turn_do_not_change_what_the_cards_score(start: Start) -> None:
    layouts = ["2S 3S / (4S) (5S) / (6S) (7S)", "5C 5D / (2C) (KH) / (QS) (3H)"]
    for strokes in ([], [2], [1, 0, 2]):
        match = begin(start, "par-3", *layouts, strokes_per_turn="unlimited")
        pass_round(match)
        match.play("""
            0 stroke: stroke 0; stroke: stroke 1; stroke: stroke 2
            1 stroke
        """)
        for row in strokes:
            match.game.answer(Stroke(row=row))
        if len(strokes) < 3:
            pass_turn(match)
        assert match.open == "end"
        (result,) = match.game.result.rounds
        assert (result.ender, result.scores) == (0, (23, 11))
        assert sum(isinstance(event, Finished) for event in match.game.events) == 1


# No-Par


def test_par_17_par_18_who_ends_a_no_par_hole_gives_every_other_seat_one_more_turn(start: Start) -> None:
    match = begin(start, "no-par", TWO_ROWS, "", "")
    assert match.offered == {"draw": ["stock", "pile"], "swap_own": [0, 1, 2, 3], "end": []}
    pass_turn(match)
    match.play("1 turn: end", "2 turn")
    assert match.news(None) == [Knocked(seat=1)]
    assert match.offered == {"draw": ["stock", "pile"], "swap_own": [0, 1, 2, 3]}
    match.refuses("end")
    assert play_out(match.game) == [2, 0]
    assert match.game.result.rounds[0].ender == 1


def test_par_17_strokes_do_not_exist_and_the_first_end_can_be_put_off(start: Start) -> None:
    match = begin(start, "no-par", TWO_ROWS, "", no_par_first_end=3)
    for _ in range(2):
        assert match.open == "0 turn"
        match.refuses("end")
        pass_round(match)
    match.play("0 turn: end", "1 turn")


# Stock, course and match


def test_c_220_par_20_the_pile_below_the_up_card_becomes_the_stock(start: Start) -> None:
    match = begin(start, "par-5", *["?? ?? " + "(??) " * 8] * 4)
    assert len(match.table.stock) == 11
    for draw in range(11):
        assert match.open == f"{draw % 4} {'turn' if draw < 4 else 'stroke'}"
        if draw >= 4:
            match.game.answer(Nothing())
        match.game.answer(Draw(source="stock"))
        match.game.answer(Swap(slot=2))
    pile = list(match.table.pile)
    assert (len(match.table.stock), len(pile)) == (0, 12)
    match.play("3 stroke: none; turn: draw stock; place")
    assert match.news(0) == [Reshuffled(stock=11), Drew(seat=3, source="stock", card=None, stock=10)]
    assert match.table.pile == pile[-1:]
    assert sorted([*match.table.stock, match.table.hand or ""]) == sorted(pile[:-1])


def test_c_199_par_22_nine_holes_of_par_3_4_and_5() -> None:
    game = new_game("par-course", 2, turn_cap=1)
    play_out(game)
    begun = [event for event in game.events if isinstance(event, Round)]
    assert [event.rows for event in begun] == [4, 3, 4, 5, 4, 4, 3, 5, 4]
    shown = [event for event in game.events if isinstance(event, Showdown)]
    assert [len(event.layouts[0]) for event in shown] == [8, 6, 8, 10, 8, 8, 6, 10, 8]
    assert len(game.result.rounds) == 9


def test_par_22_playoff_holes_go_round_the_course_again() -> None:
    """PAR-22 [AMB-87 GEN-13]: a table on which every hole is a tie."""
    even = {"name": "even", "rules": [{"if": {"any": True}, "score": 0}]}
    game = new_game("par-course", 2, course=[3, 5], turn_cap=1, tiebreak="playoff", par_table=even)
    play_out(game)
    begun = [event for event in game.events if isinstance(event, Round)]
    assert [event.rows for event in begun if not event.playoff] == [3, 5]
    assert [event.rows for event in begun if event.playoff] == [3, 5, 3, 5, 3, 5, 3, 5, 3]
    assert "played off on the holes of the course, from the first on" in rules_in_brief(game.table.variant)


def choose_pars(game: Game, *wanted: int) -> list[tuple[int, list[int]]]:
    """Play to the end; the dealers choose these pars one after the other. Returns who was offered which pars."""
    asked, pars = [], list(wanted)
    while (question := game.question) is not None:
        if isinstance(question, Ask) and question.decision == "par":
            (offer,) = question.offers
            asked.append((question.seat, list(listed(offer.par))))
            game.answer(ChoosePar(par=pars.pop(0)) if pars else question.fallback)
        elif isinstance(question, Ask):
            game.answer(question.fallback)
        else:
            leave_as_dealt(game)
    return asked


def rows_of_holes(game: Game) -> list[int]:
    return [event.rows for event in game.events if isinstance(event, Round)]


def test_par_28_dec_17_amb_90_the_dealer_chooses_the_par_before_anything_is_dealt() -> None:
    game = new_game("par-course", 3, par_choice="dealer", first_dealer=2)
    ask = game.question
    assert isinstance(ask, Ask)
    assert (ask.seat, ask.decision, ask.fallback, ask.opens_turn) == (2, "par", ChoosePar(par=4), False)
    assert ask.offers == (Offer(kind="choose_par", par=OneOf((3, 4, 5))),)
    assert not game.events
    with pytest.raises(IllegalAnswer):
        game.answer(ChoosePar(par=2))
    game.answer(ChoosePar(par=5))
    for viewer in (None, 0, 1, 2):
        chosen, dealt = game.seen(viewer)[:2]
        assert chosen == ParChosen(seat=2, par=5)
        assert isinstance(dealt, Round)
        assert (dealt.dealer, dealt.rows, dealt.stock) == (2, 5, 52 - 30)


def test_par_28_a_course_is_played_in_the_order_that_the_dealers_choose() -> None:
    game = new_game("par-course", 2, course=[3, 4, 4, 5], par_choice="dealer", turn_cap=1)
    assert choose_pars(game, 4, 4, 5) == [(0, [3, 4, 5]), (1, [3, 4, 5]), (0, [3, 5])]
    assert rows_of_holes(game) == [4, 4, 5, 3]
    assert [event.par for event in game.events if isinstance(event, ParChosen)] == [4, 4, 5]


def test_par_28_the_fallback_is_the_next_par_of_the_course() -> None:
    game = new_game("par-course", 4, course=[5, 3, 4], par_choice="dealer", turn_cap=1)
    assert choose_pars(game) == [(0, [3, 4, 5]), (1, [3, 4])]
    assert rows_of_holes(game) == [5, 3, 4]


def test_par_28_without_a_course_any_par_can_be_chosen_for_every_hole() -> None:
    game = new_game("par-4", 2, par_choice="dealer", rounds=4, turn_cap=1)
    assert choose_pars(game, 5, 5, 3) == [(seat, [3, 4, 5]) for seat in (0, 1, 0, 1)]
    assert rows_of_holes(game) == [5, 5, 3, 4]


def test_par_28_playoff_holes_are_chosen_from_the_whole_course_again() -> None:
    """PAR-28 [AMB-87 GEN-13]: a table on which every hole is a tie."""
    even = {"name": "even", "rules": [{"if": {"any": True}, "score": 0}]}
    course = {"course": [3, 5], "par_choice": "dealer", "tiebreak": "playoff"}
    game = new_game("par-course", 2, turn_cap=1, par_table=even, **course)
    asked = choose_pars(game, 5, 5, 3)
    assert asked == [(0, [3, 5])] * 6
    assert rows_of_holes(game) == [5, 3] + [5, 3] + [3, 5] * 3 + [3]
    assert "played off on the holes of the course, in any order" in rules_in_brief(game.table.variant)


def test_par_28_grids_of_every_par_fit_and_no_par_has_no_choice() -> None:
    variant = with_options("par-3", {"par_choice": "dealer"})
    assert (variant.rows, variant.columns, variant.seats) == (5, 2, (2, 4))
    for rows in (3, 4, 5):
        assert score_grids(variant, [" / ".join(["5S 5D"] * rows)]).raw == (0,)
    with pytest.raises(BadGrid, match="expected 3 or 4 or 5 rows"):
        score_grids(variant, ["5S 5D / 5S 5D"])
    with pytest.raises(BadOptions, match="par_choice: needs holes with a par"):
        with_options("no-par", {"par_choice": "dealer"})


# Score


def test_par_25_equal_ranks_count_0_and_the_table_is_marked_as_ours() -> None:
    for name in ("par-3", "par-4", "par-5", "no-par", "par-course"):
        variant = preset(name)
        assert variant.options.par_table == OURS_1
        assert card_values(variant) == card_values(preset("six-card"))
        for text in (rules_in_brief(variant), rules_in_full(variant)):
            assert "the table `ours-1`; this table is ours, not the game publisher's" in text
        assert "Two cards equal in rank: 0. Any two cards: the sum of their values." in rules_in_brief(variant)


TERMS: dict[str, Any] = {
    "name": "terms-demo",
    "values": "B1",
    "rules": [
        {"if": {"ranks": ["A", "A"]}, "score": -3},
        {"if": {"same_rank": True, "same_colour": True}, "score": -2},
        {"if": {"same_rank": True}, "score": -1},
        {"if": {"same_suit": True, "gap": 1}, "score": 0},
        {"if": {"same_suit": True}, "score": 1},
        {"if": {"same_colour": True}, "score": 2},
        {"if": {"any": True}, "score": 3},
    ],
}


def test_c_200_par_26_a_table_of_ones_own(start: Start) -> None:
    match = begin(start, "par-3", "5S 5D / 2C KH / QS 3H", "", turn_cap=1, par_table=TERMS)
    pass_round(match)
    assert match.game.result.rounds[0].raw[0] == 5
    text = rules_in_brief(match.table.variant)
    assert "`terms-demo`" in text
    assert "ours" not in text
    for sentence in (
        "Two cards of the ranks A and A: -3.",
        "Two cards equal in rank, equal in colour: -2.",
        "Two cards equal in suit, 1 apart in rank: 0.",
        "Any two cards: 3.",
    ):
        assert sentence in text


@pytest.mark.parametrize(
    ("pair", "score"),
    [
        ("AS AC", -3), ("5S 5C", -2), ("5S 5D", -1), ("10D JD", 0), ("KC QC", 0), ("3C 2C", 0), ("AC KC", 1),
        ("5C 9C", 1), ("5C 9S", 2), ("5H 9D", 2), ("5H 9S", 3),
    ],
)  # fmt: skip
def test_par_26_par_27_the_first_rule_that_fits_counts_whatever_the_order_of_the_cards(pair: str, score: int) -> None:
    variant = with_options("no-par", {"par_table": TERMS})
    first, second = pair.split()
    assert raw_score(variant, [[first, second], [second, first]]) == 2 * score
