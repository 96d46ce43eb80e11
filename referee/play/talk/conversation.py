"""The conversation of one match, sans I/O: a generator that yields exchanges and takes replies.

It runs the same between live processes, in-memory bots and scripts. It asks, judges and blames; what exactly a bot is
sent is composed in `script.py`. It knows nothing of processes, pipes or clocks; times come with the replies.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence

import msgspec
from msgspec import Struct, field

from protocol.actions import Action, Slap
from protocol.messages import Answer, Decision, FaultKind, Hello, Match, Ready
from protocol.offers import Offer, in_words
from protocol.text import printable
from referee.play.faults import Trouble
from referee.play.talk.exchange import Delivery, Exchange, Reply, Saying
from referee.play.talk.inbox import EXCERPT
from referee.play.talk.script import Script
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Sealed, Window, is_legal
from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Mishap, Move, Reaction

Steps = Generator[Saying, Sequence[Reply], None]
"""Yields what is to be written, and is sent the replies to it, in the order of its deliveries."""

LONGEST_OFFER = 300
"""How many characters of the offers a fault repeats."""


WORTH_TELLING_US = 1000
"""A fault mentions the time that was not charged if it was at least this long."""

FATAL: frozenset[FaultKind] = frozenset(
    {"start_failed", "start_timeout", "crashed", "closed_output", "line_too_long", "flood"}
)
"""Faults that forfeit the match at once, whatever the policy."""


class Seat(Struct, kw_only=True):
    """What the conversation knows of one bot."""

    ready: Ready | None = None
    then: Action | None = None
    faults: Counter[FaultKind] = field(default_factory=Counter)
    late_slaps: int = 0
    forfeited: bool = False


class Conversation:
    """One match: drive `steps`, then read `moves`, `seats` and the game."""

    def __init__(self, game: Game, chance: Chance, *, hello: Hello, matches: Sequence[Match], id_key: bytes) -> None:
        """`matches` holds the `match` message of each seat; the requests' ids come from `id_key`."""
        self.game = game
        self.moves: list[Move] = []
        self.seats = [Seat() for _ in matches]
        self.script = Script(game, hello=hello, matches=matches, id_key=id_key)
        self._chance = chance
        self._dismissed: list[int] = []
        self._preanswered_seats: set[int] = set()
        """The seats whose next answer is known before they are asked: see `_without_asking`."""

    def steps(self) -> Steps:
        """Play the whole match; this ends when every bot has been told the result."""
        yield from self.greet()
        yield from self.play()

    def play(self) -> Steps:
        """Play the match itself, once all bots have been greeted."""
        game, moves, preanswered = self.game, self.moves, self._preanswered_seats
        while (question := game.question) is not None:
            if isinstance(question, Ask):
                given = self._without_asking(question) if question.seat in preanswered else None
                if given is None:
                    request = self.script.request(question)
                    (reply,) = yield self._exchange((request,)) if self._dismissed else request
                    given = self._judge(question, reply)
                moves.append(given)
                game.go_on(given.action)
            elif isinstance(question, Sealed):
                yield from self._ask_together(question)
            else:
                yield from self._open_window(question)
        yield self._exchange([self.script.end(seat) for seat in self._present()])

    def greet(self, known: Mapping[int, Ready] | None = None) -> Steps:
        """Say `hello` to every bot and hear `ready` from it; a bot that fails to start forfeits.

        A process that has been greeted before a match of its own is not greeted again: `known` has what it said. It
        has read the line of `match`, too.
        """
        for number, ready in (known or {}).items():
            self._note_ready(number, ready)
            self.script.match(number)
        new = [number for number, seat in enumerate(self.seats) if seat.ready is None]
        for reply in (yield self._exchange([self.script.hello(seat) for seat in new])) if new else ():
            if isinstance(reply.heard, Ready):
                self._note_ready(reply.seat, reply.heard)
            else:
                self._blame(reply.seat, start_mishap(reply, self.script.clocks.start_s))

    def _note_ready(self, number: int, ready: Ready) -> None:
        self.seats[number].ready = ready
        self.script.seats[number].wants_table = ready.table

    def _without_asking(self, ask: Ask) -> Given | None:
        """What is played where nothing is asked: the seat has forfeited, or has answered before (DEC-15)."""
        seat = self.seats[ask.seat]
        if seat.forfeited:
            return Given(seat=ask.seat, action=ask.fallback)
        self._preanswered_seats.discard(ask.seat)
        then, seat.then = seat.then, None
        if then is None or not ask.joins:
            return None
        if not is_legal(ask, then):
            return self._refuse(ask, then, joined=True)
        return Given(seat=ask.seat, action=then, joined=True)

    def _ask_together(self, sealed: Sealed) -> Steps:
        """GEN-06: nothing is judged, and so nobody can learn anything, before all answers are in."""
        asks = [ask for ask in sealed.asks if not self.seats[ask.seat].forfeited]
        replies = (yield self._exchange([self.script.request(ask) for ask in asks])) if asks else ()
        given = {ask.seat: self._judge(ask, reply) for ask, reply in zip(asks, replies, strict=True)}
        answers = tuple(given.get(ask.seat, Given(seat=ask.seat, action=ask.fallback)) for ask in sealed.asks)
        self.moves.append(GivenTogether(answers=answers))
        self.game.go_on(tuple(answer.action for answer in answers))

    def _open_window(self, window: Window) -> Steps:
        """CAC-23, CAC-25: everybody who may slap is asked; a bot that renounced slaps passes unasked."""
        table = self.game.table
        timed = table.options.slap_order == "reaction"
        order = self._chance.asking(table.round, window.number) if timed else range(table.seats)
        asks = [window.asks[seat] for seat in order if self._slaps(seat)]
        replies = (yield self._exchange([self.script.request(ask) for ask in asks], timed=timed)) if asks else ()
        reactions = [self._react(ask, reply, timed=timed) for ask, reply in zip(asks, replies, strict=True)]
        lots = self._chance.lots(table.round, window.number)
        slaps = {r.seat: Slap(target=r.target) for r in reactions if r.target is not None}
        times = {r.seat: r.corrected_us or 0.0 for r in reactions}
        outcome = order_slaps(table.options, window, slaps, times, lots)
        self.moves.append(
            GivenSlaps(
                round=table.round,
                window=window.number,
                asked=tuple(ask.seat for ask in asks),
                reactions=tuple(reactions),
                lots=lots,
                order=tuple(slap.seat for slap in outcome.slaps),
                disturbed="; ".join(dict.fromkeys(doubt for reply in replies for doubt in reply.disturbed)),
            )
        )
        self.game.go_on(outcome)

    def _slaps(self, number: int) -> bool:
        seat = self.seats[number]
        return not seat.forfeited and seat.ready is not None and seat.ready.slaps

    def _present(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if not seat.forfeited]

    def _exchange(self, deliveries: Sequence[Delivery], *, timed: bool = False) -> Exchange:
        if not (timed or self._dismissed):
            return Exchange(deliveries=tuple(deliveries))
        dismissed, self._dismissed = tuple(self._dismissed), []
        at_once = timed and self.script.clocks.slap_timing == "broadcast"
        return Exchange(deliveries=tuple(deliveries), timed=timed, at_once=at_once, dismissed=dismissed)

    # What a seat answers

    def _judge(self, ask: Ask, reply: Reply) -> Given:
        """The action that is played, and the fault if the answer was late, broken or illegal."""
        seat, heard = ask.seat, reply.heard
        time_us, waived_us = round(reply.elapsed_us), round(reply.waived_us) if reply.waived_us else 0
        if isinstance(heard, Answer):
            self.script.charge(seat, time_us)
            if not is_legal(ask, heard.action):
                return self._refuse(ask, heard.action, time_us, waived_us)
            if heard.then is not None:
                self.seats[seat].then = heard.then
                self._preanswered_seats.add(seat)
            return Given(seat=seat, action=heard.action, time_us=time_us, waived_us=waived_us)
        limit_s = self.script.limit_s(ask)
        empty = "" if self.script.charge(seat, time_us) else "; the bank is empty"
        waited = f" (not counting {waived_us / 1e6:.3f} s in which it had to wait for the host)"
        more = waited if waived_us >= WORTH_TELLING_US else ""
        silence = f"no answer to `{ask.decision}` within {limit_s:.3g} s{more}{empty}; {reply.hint}"
        mishap = _mishap(reply.heard, silence)
        self._blame(seat, mishap)
        return Given(seat=seat, action=ask.fallback, time_us=time_us, waived_us=waived_us, fault=mishap)

    def _refuse(self, ask: Ask, action: Action, time_us: int = 0, waived_us: int = 0, *, joined: bool = False) -> Given:
        """The fallback in place of an illegal action."""
        fault = illegal(ask.decision, ask.offers, action)
        self._blame(ask.seat, fault)
        return Given(
            seat=ask.seat, action=ask.fallback, time_us=time_us, waived_us=waived_us, joined=joined, fault=fault
        )

    def _react(self, ask: Ask, reply: Reply, *, timed: bool) -> Reaction:
        """A seat's part in a window: silence is a pass and no fault, a broken or illegal answer is one."""
        action, mishap, late, hint = ask.fallback, None, False, ""
        if isinstance(reply.heard, Answer):
            if is_legal(ask, reply.heard.action):
                action = reply.heard.action
            else:
                mishap = illegal(ask.decision, ask.offers, reply.heard.action)
        elif reply.heard is None:
            late, hint = True, reply.hint
            self.seats[ask.seat].late_slaps += 1
        else:
            mishap = _mishap(reply.heard, "")
        if mishap is not None:
            self._blame(ask.seat, mishap)
        return Reaction(
            seat=ask.seat,
            target=action.target if isinstance(action, Slap) else None,
            raw_us=round(reply.elapsed_us, 1) if timed else None,
            wait_us=reply.wait_us if timed else None,
            corrected_us=reply.corrected_us if timed else None,
            late=late,
            hint=hint,
            fault=mishap,
        )

    # Faults

    def _blame(self, number: int, mishap: Mishap) -> None:
        """Count a fault of this bot, tell it, and let it forfeit where the policy says so."""
        seat = self.seats[number]
        seat.faults[mishap.kind] += 1
        left = self.script.note_fault(number, mishap)
        has_time = self.script.seats[number].bank_us > 0
        if mishap.kind in FATAL or not has_time or not left or self.script.policy.policy == "forfeit":
            seat.forfeited = True
            self._preanswered_seats.add(number)
            self._dismissed.append(number)
            self.game.forfeit(number)
            self.moves.append(Forfeit(seat=number, fault=mishap))


def start_mishap(reply: Reply, start_s: float) -> Mishap:
    """The fault of a bot that did not get as far as `ready`; no message in time is a start_timeout."""
    heard = reply.heard
    if heard is None:
        detail = f"no `ready` within {start_s:.3g} s of its start; {reply.hint}"
        return Mishap(kind="start_timeout", detail=detail)
    if not isinstance(heard, Trouble):
        return Mishap(kind="start_failed", detail="its first message was not `ready`")
    if heard.kind == "bad_message":
        detail = f"its first line was not a `ready` message: {heard.detail}"
        return Mishap(kind="start_failed", detail=detail, line=heard.line)
    if heard.kind in {"crashed", "closed_output"}:
        return Mishap(kind="start_failed", detail=f"{heard.detail} before `ready`", line=heard.line)
    return Mishap(kind=heard.kind, detail=heard.detail, line=heard.line)


def illegal(decision: Decision, offers: Sequence[Offer], action: Action) -> Mishap:
    """The fault of an action that a request with this decision did not offer."""
    given = printable(msgspec.json.encode(action).decode(), EXCERPT)
    offered = printable(", or ".join(map(in_words, offers)), LONGEST_OFFER)
    return Mishap(kind="illegal_action", detail=f"`{decision}` offered {offered}; not {given}")


def _mishap(heard: object, silence: str) -> Mishap:
    if isinstance(heard, Trouble):
        return Mishap(kind=heard.kind, detail=heard.detail, line=heard.line)
    return Mishap(kind="timeout", detail=silence)
