"""What a wrong slap costs: the worked examples of tournaments/HIGHLIGHTS.md in games that are played."""

from msgspec.structs import replace
from recorded_matches import BY_PRESET
from scripted import Script, Start

from referee.highlights.highlight import Found, Match, parts_of, sentence_of
from referee.highlights.slaps import dearest_wrong_slap
from referee.rules.counts import SeatCounts, WrongSlap, seat_counts

ZERO = "(2S) (3S) / (4S) (QD)"
ONE = "(2H) (1H) / -- --"
TWO = "(2D) (7D) / (4D) (5D)"


def play(match: Script, text: str) -> Found | None:
    """Play lines with `;` between them, `0 quiet` being a turn that discards a card of the stock; then look for one."""
    lines = text.split("; ")
    turns = [f"{line[0]} turn: draw stock\n{line[0]} place: discard\nwindow: nobody" for line in lines]
    match.play("\n".join(turn if line.endswith("quiet") else line for line, turn in zip(lines, turns, strict=True)))
    result = match.game.result or BY_PRESET["cactus"].result
    return dearest_wrong_slap(
        Match(id=1, number=0, variant="game", bots=("ann", "bob", "cy"), result=result, counts=seat_counts(match.game))
    )


def sentence(found: Found | None) -> str:
    assert found is not None
    return sentence_of(parts_of(found.words), ("ann", "bob", "cy"))


def test_a_wrong_slap_costs_what_its_card_comes_to_at_the_showdown(start: Start) -> None:
    """CAC-41: the knocker has more than 5 points because of it, and they are doubled."""
    match = start("cactus", [ZERO, ONE, TWO], stock="7C 9D 3H 3D", rounds=1)

    found = play(match, "0 turn: draw stock; 0 place: discard; window: 1 at 1 s0; 1 turn: knock; 2 quiet; 0 quiet; end")

    assert found is not None
    assert (found.score, found.seats, found.moment) == (21, (1,), "r1w1")
    assert sentence(found) == (
        "bob wrongly slaps a card of its own in round 1 and must take another. At the end of the round it scores 24 "
        "instead of 3: the slap costs 21 strokes and the match."
    )


def test_what_lies_in_the_slot_in_the_end_counts(start: Start) -> None:
    """The slapper has swapped the penalty card for a 0 by then."""
    match = start("cactus", [ZERO, ONE, TWO], stock="7C 9D 0H 3D 3H", rounds=1)

    found = play(
        match,
        "0 turn: draw stock; 0 place: discard; window: 1 at 1 s0; 1 turn: draw stock; "
        "1 place: swap s4; window: nobody; 2 turn: knock; 0 quiet; 1 quiet; end",
    )

    assert found is None


def test_a_wrong_card_of_another_seat_costs_what_it_is_worth(start: Start) -> None:
    match = start("cactus", [ZERO, ONE, TWO], stock="3H 7C 3D 3C", rounds=1)

    found = play(
        match,
        "0 quiet; 1 turn: draw stock; 1 place: discard; window: 2 at 0 s3; 2 turn: knock; 0 quiet; 1 quiet; end",
    )

    assert found is not None
    assert (found.seats, found.moment) == ((2, 0), "r1w2")
    assert sentence(found).startswith(
        "cy wrongly slaps a card of ann in round 1 and must keep that card. At the end of the "
    )


def test_of_the_wrong_slaps_of_a_match_the_most_expensive_counts_and_of_equals_the_first() -> None:
    slap = WrongSlap(owner=0, round=1, window=2, scored=9, without=4)
    counts = tuple(SeatCounts(dearest=one) for one in (None, slap, replace(slap, window=1)))
    result = BY_PRESET["cactus"].result

    found = dearest_wrong_slap(
        Match(id=1, number=0, variant="game", bots=("ann", "bob", "cy"), result=result, counts=counts)
    )

    assert found is not None
    assert (found.score, found.seats, found.moment) == (5, (2, 0), "r1w1")
