"""The conversation of a match against scripts: what is asked, what is told, and what an answer or a fault costs.

A script is a list of `expect X, answer Y`; it fails on any other question, and when it is not used up.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import shake_256
from itertools import islice
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from protocol.actions import Action, Discard, Draw, Flip, Give, Knock, Nothing, Pass, Slap, Swap, TurnUp
from protocol.events import Forfeited, Slapped, WindowClosed
from protocol.messages import (
    Answer,
    Clocks,
    End,
    Fault,
    FaultKind,
    FaultPolicy,
    FromReferee,
    GameMessage,
    Hello,
    Limits,
    Match,
    Ready,
    Request,
)  # fmt: skip
from referee.play.faults import Trouble
from referee.play.talk.conversation import FATAL, Conversation
from referee.play.talk.exchange import READY, Delivery, Reply, Saying
from referee.play.talk.script import announcements, hello, request_ids
from referee.rules.chance import Keyed, Stacked
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Move


class Step(Struct, frozen=True, kw_only=True):
    """A seat is asked this decision (or greeted) and answers so, after so long; None is silence."""

    seat: int
    asked: str
    says: Action | Ready | Trouble | None
    then: Action | None = None
    took_s: float = 0.001
    waived_s: float = 0.0


def step(seat: int, asked: str, says: Action | Ready | Trouble | None, **more: Any) -> Step:
    return Step(seat=seat, asked=asked, says=says, **more)


class Table:
    """A match between scripted bots. `lines` are the referee's messages by seat."""

    def __init__(
        self,
        preset: str,
        script: Iterable[Step],
        *,
        seats: int = 2,
        options: dict[str, Any] | None = None,
        clocks: Clocks | None = None,
        faults: FaultPolicy | None = None,
        decks: Sequence[Sequence[str]] = (),
    ) -> None:
        variant = with_options(preset, {"rounds": 1} | (options or {}))
        chance = Stacked(bytes(32), variant, seats, decks)
        self.game = Game(variant, seats, chance)
        games = (GameMessage(variant=preset, name=preset, seats=seats),)
        matches = announcements(
            variant, preset, seeds=range(seats), clocks=clocks or Clocks(), faults=faults or FaultPolicy()
        )
        self.talk = Conversation(self.game, chance, hello=hello(games, Limits()), matches=matches, id_key=bytes(16))
        self.lines: list[list[FromReferee]] = [[] for _ in range(seats)]
        self.dismissed: list[int] = []
        self._script = list(script)
        self._play()
        assert not self._script, f"not used: {self._script}"

    def _play(self) -> None:
        steps = self.talk.steps()
        exchange = next(steps)
        try:
            while True:
                exchange = steps.send(self._replies(exchange))
        except StopIteration:
            return

    def _replies(self, exchange: Saying) -> list[Reply]:
        self.dismissed += exchange.dismissed
        return [reply for delivery in exchange.deliveries if (reply := self._reply(delivery)) is not None]

    def _reply(self, delivery: Delivery) -> Reply | None:
        assert delivery.seat not in self.dismissed
        messages = [msgspec.json.decode(line, type=FromReferee) for line in delivery.data.splitlines()]
        self.lines[delivery.seat] += messages
        last = messages[-1]
        if delivery.awaits is None:
            assert isinstance(last, End)
            return None
        asked = last.decision if isinstance(last, Request) else last.__struct_config__.tag
        assert self._script, f"seat {delivery.seat} is asked {asked} beyond the script"
        one = self._script.pop(0)
        assert (delivery.seat, asked) == (one.seat, one.asked)
        heard: Any = one.says
        if isinstance(last, Request):
            assert delivery.awaits == last.id
            assert delivery.limit_s == pytest.approx(last.time_s, abs=0.001)
            if one.says is not None and not isinstance(one.says, Ready | Trouble):
                heard = Answer(id=last.id, action=one.says, then=one.then)
        else:
            assert delivery.awaits == READY
        assert heard is None or isinstance(heard, Ready | Answer | Trouble)
        us = one.took_s * 1e6
        return Reply(one.seat, heard, us, waived_us=one.waived_s * 1e6, wait_us=0.0, corrected_us=us)

    def requests(self, seat: int) -> list[Request]:
        return [line for line in self.lines[seat] if isinstance(line, Request)]

    def told(self, seat: int) -> list[Fault]:
        """The faults that this seat is told of."""
        lines = [line for line in self.lines[seat] if isinstance(line, Request | End)]
        return [event for line in lines for event in line.events if isinstance(event, Fault)]

    def moves(self, *kinds: type[Move]) -> list[Any]:
        return [move for move in self.talk.moves if isinstance(move, kinds)]


READY_BOTH = [step(0, "hello", Ready(name="ada")), step(1, "hello", Ready(name="bob"))]
OPENING = [*READY_BOTH, step(0, "turn_up", TurnUp(slots=(0, 1))), step(1, "turn_up", TurnUp(slots=(2, 3)))]
"""Seat 1, left of the dealer, has the first turn after it."""
LAST_TURN = [step(0, "turn", Draw(source="stock")), step(0, "place", Swap(slot=5))]
CLOSING = [step(1, "turn", Knock()), *LAST_TURN]
"""The shortest end of a round of six-card-knock."""
BAD = Trouble(kind="bad_message", detail="not JSON", line="hm")


def knock_game(*steps: Step, **more: Any) -> Table:
    return Table("six-card-knock", [*OPENING, *steps], **more)


# The course of a match


def test_a_match_from_hello_to_end() -> None:
    table = knock_game(*CLOSING)

    assert [type(line) for line in table.lines[0]] == [Hello, Match, Request, Request, Request, End]
    assert [type(line) for line in table.lines[1]] == [Hello, Match, Request, Request, End]
    assert [line.seat for lines in table.lines for line in lines if isinstance(line, Match)] == [0, 1]
    assert [type(move) for move in table.talk.moves] == [GivenTogether, Given, Given, Given]
    end = table.lines[0][-1]
    assert isinstance(end, End)
    assert (end.totals, end.ranks, end.forfeited) == (table.game.result.totals, table.game.result.ranks, ())
    assert all(seat.faults.total() == 0 for seat in table.talk.seats)


def test_an_id_is_72_bits_of_a_keyed_hash() -> None:
    """SHAKE-256 of a block's number and the match's secret, base64url: put together here by other means."""
    for key, seat, number in ((bytes(16), 0, 0), (bytes(range(16)), 7, 63), (bytes(range(16)), 7, 300)):
        block, place = divmod(number, 64)
        secret = shake_256(f"golfref/id\0{seat}/{block}\0".encode() + key).digest(64 * 9)[9 * place : 9 * place + 9]
        id_ = b64encode(secret).translate(bytes.maketrans(b"+/", b"-_"))
        assert next(islice(request_ids(key, seat), number, None)) == id_


def test_the_table_comes_with_a_turns_first_request_unless_it_is_declined() -> None:
    declined = [step(0, "hello", Ready(table=False)), *OPENING[1:]]
    with_table, without = knock_game(*CLOSING), Table("six-card-knock", [*declined, *CLOSING])

    shown = {request.decision for request in with_table.requests(0) if request.table}
    assert shown == {"turn"}
    assert not any(request.table for request in without.requests(0))


def test_two_answers_in_one() -> None:
    """DEC-15: what comes along is played without another question."""
    discard = [step(1, "turn", Draw(source="stock")), step(1, "place", Discard(), then=Flip(slot=5))]
    knock = [step(0, "turn", Knock()), step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=0))]
    table = knock_game(*discard, *knock)

    assert table.moves(Given)[2] == Given(seat=1, action=Flip(slot=5), joined=True)


def test_what_comes_along_with_an_answer_that_needs_none_is_nothing() -> None:
    table = knock_game(step(1, "turn", Knock(), then=Flip(slot=5)), *LAST_TURN)
    assert table.talk.seats[1].faults.total() == 0


def test_what_comes_along_with_an_answer_is_checked() -> None:
    discard = [step(1, "turn", Draw(source="stock")), step(1, "place", Discard(), then=Flip(slot=2))]
    knock = [step(0, "turn", Knock()), step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=0))]
    table = knock_game(*discard, *knock)

    assert table.talk.seats[1].faults == {"illegal_action": 1}
    assert (table.moves(Given)[2].action, table.moves(Given)[2].joined) == (Nothing(), True)


def test_what_comes_along_with_an_illegal_answer_is_dropped_with_it() -> None:
    wrong = [step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=6), then=Flip(slot=5))]
    asked_again = [step(1, "flip", Nothing())]
    knock = [step(0, "turn", Knock()), step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=0))]
    table = knock_game(*wrong, *asked_again, *knock)

    assert table.talk.seats[1].faults == {"illegal_action": 1}


# What a fault costs


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        (None, "timeout"),
        (BAD, "bad_message"),
        (Swap(slot=3), "illegal_action"),
        (Draw(source="stock"), ""),
    ],
    ids=["silence", "nonsense", "against the rules", "right"],
)
def test_the_fallback_is_played_and_the_fault_counted(says: Action | Trouble | None, kind: str) -> None:
    """GEN-07."""
    final = [step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=0))]
    table = knock_game(
        step(1, "turn", says), step(1, "place", Swap(slot=0)), step(0, "turn", Knock()), *final
    )  # fmt: skip

    given = table.moves(Given)[0]
    assert given.action == Draw(source="stock")
    assert (given.fault.kind if given.fault else "") == kind
    assert table.talk.seats[1].faults == ({kind: 1} if kind else {})
    assert table.talk.seats[0].faults == {}
    assert not table.game.table.forfeited


def test_a_fault_is_told_to_its_bot_alone_and_at_once() -> None:
    final = [step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=0))]
    table = knock_game(step(1, "turn", BAD), step(1, "place", Swap(slot=0)), step(0, "turn", Knock()), *final)

    assert table.told(0) == []
    assert table.told(1) == [Fault(kind="bad_message", detail="not JSON", strikes_left=9)]
    assert [event for event in table.requests(1)[2].events if isinstance(event, Fault)] == table.told(1)


def test_the_last_strike_forfeits() -> None:
    """From then on the seat is not asked, plays its fallbacks, is last, and has the round's highest score."""
    table = knock_game(
        step(1, "turn", None), step(1, "place", BAD), step(0, "turn", Knock()), faults=FaultPolicy(strikes=2)
    )

    assert table.dismissed == [1]
    assert table.talk.seats[1].faults == {"timeout": 1, "bad_message": 1}
    assert [(move.seat, move.fault.kind) for move in table.moves(Forfeit)] == [(1, "bad_message")]
    check_forfeit(table, loser=1)


def test_where_the_first_fault_forfeits() -> None:
    table = knock_game(step(1, "turn", BAD), step(0, "turn", Knock()), faults=FaultPolicy(policy="forfeit"))
    assert table.talk.seats[1].faults == {"bad_message": 1}
    check_forfeit(table, loser=1)


@pytest.mark.parametrize("kind", sorted(FATAL - {"start_failed", "start_timeout"}))
def test_after_some_faults_no_strike_is_left(kind: FaultKind) -> None:
    gone = Trouble(kind=kind, detail="it is gone")
    table = knock_game(step(1, "turn", gone), step(0, "turn", Knock()), faults=FaultPolicy(strikes=1000))
    assert table.talk.seats[1].faults == {kind: 1}
    check_forfeit(table, loser=1)


def check_forfeit(table: Table, loser: int) -> None:
    result = table.game.result
    (played,) = result.rounds
    assert result.ranks[loser] == 2
    assert result.ranks[1 - loser] == 1
    assert played.scores[loser] == max(played.scores)
    assert played.scores[1 - loser] == played.raw[1 - loser]
    assert not any(isinstance(line, End) for line in table.lines[loser])
    end = table.lines[1 - loser][-1]
    assert isinstance(end, End)
    assert end.forfeited == (loser,)
    assert table.talk.seats[1 - loser].faults.total() == 0
    assert table.told(1 - loser) == []


@pytest.mark.parametrize(
    ("says", "kind", "detail"),
    [
        (None, "start_timeout", "no `ready` within 10 s of its start; "),
        (Trouble(kind="start_failed", detail="cannot start bot"), "start_failed", "cannot start bot"),
        (Trouble(kind="crashed", detail="exited with code 1"), "start_failed", "exited with code 1 before `ready`"),
        (Trouble(kind="closed_output", detail="closed it"), "start_failed", "closed it before `ready`"),
        (BAD, "start_failed", "its first line was not a `ready` message: not JSON"),
        (Trouble(kind="line_too_long", detail="long"), "line_too_long", "long"),
        (Trouble(kind="flood", detail="much"), "flood", "much"),
    ],
)
def test_who_does_not_get_ready_forfeits(says: Trouble | None, kind: str, detail: str) -> None:
    script = [READY_BOTH[0], step(1, "hello", says), step(0, "turn_up", TurnUp(slots=(0, 1))), step(0, "turn", Knock())]
    table = Table("six-card-knock", script)

    assert table.talk.seats[1].faults == {kind: 1}
    assert table.moves(Forfeit)[0].fault.detail == detail
    assert [type(line) for line in table.lines[1]] == [Hello]
    check_forfeit(table, loser=1)


def test_without_any_bot_the_match_still_ends() -> None:
    gone = Trouble(kind="crashed", detail="exited with code 1")
    table = Table("six-card", [step(0, "hello", gone), step(1, "hello", gone)])

    assert table.game.result.rounds[0].capped
    assert len(set(table.game.result.ranks)) == 1
    assert sorted(table.dismissed) == [0, 1]


def test_sealed_answers_are_judged_when_all_are_in() -> None:
    """GEN-06: what one seat does, even a crash, is not known to another that is asked at the same time."""
    crash = step(0, "turn_up", Trouble(kind="crashed", detail="exited with code 1"))
    rest = [OPENING[3], step(1, "turn", Knock())]
    table = Table("six-card-knock", [*READY_BOTH, crash, *rest])

    together = table.moves(GivenTogether)[0]
    assert [given.action for given in together.answers] == [TurnUp(slots=(0, 1)), TurnUp(slots=(2, 3))]
    names = [[type(event).__name__ for event in request.events] for request in table.requests(1)]
    assert "Forfeited" not in names[0]
    assert "Forfeited" in names[1]
    check_forfeit(table, loser=0)


# Clocks


def test_thinking_is_paid_from_the_bank() -> None:
    table = knock_game(
        step(1, "turn", Draw(source="stock"), took_s=0.7),
        step(1, "place", Swap(slot=0), took_s=0.4),
        step(0, "turn", Draw(source="stock"), took_s=0.2),
        step(0, "place", Swap(slot=0)),
        *CLOSING,
        clocks=Clocks(move_s=1.0, bank_s=1.5),
    )

    assert [request.bank_s for request in table.requests(1)] == [1.5, 1.499, 0.799, 0.399]
    assert [request.time_s for request in table.requests(1)] == [1.0, 1.0, 0.799, 0.399]
    assert table.requests(0)[-1].bank_s == pytest.approx(1.5 - 0.001 - 0.2 - 0.001 - 0.001)


def test_an_empty_bank_forfeits() -> None:
    table = knock_game(
        step(1, "turn", Draw(source="stock"), took_s=0.7),
        step(1, "place", None, took_s=0.2991),
        step(0, "turn", Knock()),
        clocks=Clocks(move_s=5.0, bank_s=1.0),
        faults=FaultPolicy(strikes=1000),
    )

    assert table.talk.seats[1].faults == {"timeout": 1}
    assert table.moves(Forfeit)[0].fault.detail == "no answer to `place` within 0.299 s; the bank is empty; "
    check_forfeit(table, loser=1)


def test_a_late_bot_is_told_of_the_time_that_was_not_counted() -> None:
    final = [step(1, "turn", Draw(source="stock")), step(1, "place", Swap(slot=0))]
    late = step(1, "turn", None, took_s=1.0, waived_s=0.25)
    table = knock_game(late, step(1, "place", Swap(slot=0)), step(0, "turn", Knock()), *final)
    (told,) = table.told(1)
    assert told.detail.startswith("no answer to `turn` within 1 s (not counting 0.250 s in which it had to wait")
    assert table.moves(Given)[0].waived_us == 250_000


# Slap windows

DEALT = ("2S", "5H", "3S", "2H", "9H", "3H", "2D", "8H", "3D", "2C", "7H", "3C", "5S", "6S", "6H")
"""Seat 2 has 5H in slot 0; seat 0 draws 5S, seat 2 then 6S, seat 0 then 6H."""
CACTUS = with_options("cactus", {"rounds": 1})
Said = Sequence[Action | Trouble | None]


def discard(seat: int) -> list[Step]:
    return [step(seat, "turn", Draw(source="stock")), step(seat, "place", Discard())]


def window(number: int, says: Said, *, asked: Sequence[int] = (0, 1, 2)) -> list[Step]:
    """Everybody is asked in the window's random order; seat 0 takes 10 ms, each further one 10 ms more."""
    order = Keyed(bytes(32), CACTUS, 3).asking(1, number)
    return [step(seat, "slap", says[seat], took_s=0.01 * (seat + 1)) for seat in order if seat in asked]


def cactus(says: Said, *between: Step, asked: Sequence[int] = (0, 1, 2), **more: Any) -> Table:
    """A round of three: the first window is answered so, seat 1 knocks, and nobody slaps any more."""
    nobody = (Pass(), Pass(), Pass())
    script = [step(seat, "hello", Ready(slaps=seat in asked)) for seat in range(3)]
    script += [*discard(0), *window(1, says, asked=asked), *between, step(1, "turn", Knock())]
    script += [*discard(2), *window(2, nobody, asked=asked), *discard(0), *window(3, nobody, asked=asked)]
    return Table("cactus", script, seats=3, decks=(DEALT,), **more)


def test_a_window_is_recorded_with_its_times() -> None:
    table = cactus((Slap(target=(2, 0)), Pass(), Slap(target=(2, 0))), step(0, "give", Give(slot=3)))

    slaps = table.moves(GivenSlaps)[0]
    assert (slaps.round, slaps.window, slaps.order) == (1, 1, (0, 2))
    assert [reaction.seat for reaction in slaps.reactions] == list(slaps.asked)
    assert {one.seat: one.target for one in slaps.reactions} == {0: (2, 0), 1: None, 2: (2, 0)}
    assert {one.seat: one.raw_us for one in slaps.reactions} == {0: 10_000.0, 1: 20_000.0, 2: 30_000.0}


def test_silence_in_a_window_is_a_pass_and_no_fault() -> None:
    table = cactus((None, Pass(), Slap(target=(2, 0))), faults=FaultPolicy(policy="forfeit"))

    slaps = table.moves(GivenSlaps)[0]
    assert slaps.order == (2,)
    assert [one.seat for one in slaps.reactions if one.late] == [0]
    assert [seat.late_slaps for seat in table.talk.seats] == [1, 0, 0]
    assert [seat.faults.total() for seat in table.talk.seats] == [0, 0, 0]
    assert table.told(0) == []


@pytest.mark.parametrize(
    ("says", "kind"), [(BAD, "bad_message"), (Slap(target=(2, 9)), "illegal_action"), (Knock(), "illegal_action")]
)
def test_a_broken_answer_in_a_window_is_a_fault_and_a_pass(says: Action | Trouble, kind: FaultKind) -> None:
    table = cactus((says, Pass(), Pass()))

    assert table.moves(GivenSlaps)[0].order == ()
    assert table.talk.seats[0].faults == {kind: 1}
    assert [fault.kind for fault in table.told(0)] == [kind]
    assert table.talk.seats[0].late_slaps == 0


def test_slaps_are_not_paid_from_the_bank() -> None:
    table = cactus((None, Pass(), Pass()), clocks=Clocks(bank_s=1.0, slap_s=0.5))
    asked = table.requests(0)
    assert [request.bank_s for request in asked if request.decision == "slap"] == [0.998, 0.998, 0.996]
    assert {request.time_s for request in asked if request.decision == "slap"} == {0.5}


def test_who_has_renounced_slaps_passes_unasked() -> None:
    table = cactus((Pass(), Pass(), Slap(target=(2, 0))), asked=(1, 2))

    assert all(sorted(move.asked) == [1, 2] for move in table.moves(GivenSlaps))
    assert "slap" not in {request.decision for request in table.requests(0)}


def test_cac_45_a_further_window_asks_everybody_again_but_who_has_forfeited() -> None:
    """It is a window of its own: with its order of asking, its times, its lots, and the slaps before it told to all."""
    crash = Trouble(kind="crashed", detail="exited with code 1")
    wrong, left = Slap(target=(0, 0)), (0, 2)
    script = [step(seat, "hello", Ready()) for seat in range(3)]
    script += [*discard(0), *window(1, (wrong, crash, Pass()))]
    script += window(2, (Pass(), None, Slap(target=(2, 0))), asked=left)
    nobody = (Pass(), Pass(), Pass())
    script += [*window(3, nobody, asked=left), step(2, "turn", Knock())]
    script += [*discard(0), *window(4, nobody, asked=left), *window(5, nobody, asked=left)]
    table = Table("cactus", script, seats=3, options={"slap_tries": 2}, decks=((*DEALT, "9S", "9D", "7S"),))

    first, second = table.moves(GivenSlaps)[:2]
    assert [(one.window, one.order, sorted(one.asked)) for one in (first, second)] == [
        (1, (0,), [0, 1, 2]),
        (2, (2,), [0, 2]),
    ]
    again = next(one for one in table.requests(2) if any(isinstance(event, WindowClosed) for event in one.events))
    assert [type(event) for event in again.events] == [Forfeited, Slapped, WindowClosed]
    assert again.decision == "slap"


def test_no_seat_is_told_a_time() -> None:
    """INF-09: the referee's record alone holds them."""
    table = cactus((Slap(target=(2, 0)), Pass(), Slap(target=(2, 0))), step(0, "give", Give(slot=3)))
    lines = b"".join(msgspec.json.encode(line) for lines in table.lines for line in lines)
    assert b"_us" not in lines.replace(b"photo_finish_us", b"")
    assert b"10000" not in lines
