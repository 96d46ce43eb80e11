"""The questions that the rules put to seats, and the answers that go back in (RULES.md section 4).

A question carries its legal answers as offers and its fallback answer, so that whoever drives a game needs to know
nothing of the rules. Answers are checked here before they reach a game.
"""

from collections.abc import Callable, Generator
from functools import cached_property, lru_cache
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct

from protocol import actions
from protocol.actions import Action, Target
from protocol.codec import encode_question
from protocol.messages import Decision
from protocol.offers import Offer, admits, every_action

P = ParamSpec("P")
T = TypeVar("T")


def cached(make: Callable[P, T]) -> Callable[P, T]:
    """Cache a function that makes questions: for equal arguments it returns the same question, which has its encoding.

    Measured: without the cache a decision costs the referee 5 % more CPU. Programs that learn store more in each
    question (`Ask.cache`).
    """
    return lru_cache(4096)(make)  # type: ignore[return-value] # all arguments can be hashed


MOST_KNOWN_LEGAL = 64
"""How many legal answers a question stores as known to be legal. Most questions have fewer.

The bound limits the memory of a run of many matches.
"""


class Ask(Struct, frozen=True, kw_only=True, dict=True):
    """One decision of one seat."""

    seat: int
    decision: Decision
    offers: tuple[Offer, ...]
    fallback: Action
    """What is played on a time-out or an illegal answer (GEN-07)."""
    opens_turn: bool = False
    """Whether it is the first question of the seat's turn."""
    joins: bool = False
    """Whether the seat may have given the answer together with its previous one (DEC-15)."""

    @cached_property
    def encoded(self) -> bytes:
        """The part of a request that follows from the question alone. It is encoded once (codec.encode_question)."""
        return encode_question(self.decision, self.offers)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """All legal answers (offers.every_action); an arrangement of many cards has millions (offers.size)."""
        return tuple(every_action(self.offers))

    @cached_property
    def known_legal(self) -> set[object]:
        """Answers that have been found legal."""
        return set()

    @cached_property
    def cache(self) -> dict[Any, Any]:
        """Results that a program which drives games computes from the question and needs again."""
        return {}


@cached
def ask(seat: int, decision: Decision, offers: tuple[Offer, ...], fallback: Action, *, opens_turn: bool = False) -> Ask:
    """Return a seat's question from the cache."""
    return Ask(seat=seat, decision=decision, offers=offers, fallback=fallback, opens_turn=opens_turn)


class Sealed(Struct, frozen=True, kw_only=True):
    """Decisions that several seats make at the same time: nobody learns an answer before all are in (GEN-06)."""

    asks: tuple[Ask, ...]


class Window(Struct, frozen=True, kw_only=True):
    """A slap window (CAC-22): every seat is asked, and the answers are sealed and timed."""

    number: int
    """The number of the window in its round, from 1. It names the window's random stream (GEN-05)."""
    discarder: int
    asks: tuple[Ask, ...]


Question = Ask | Sealed | Window


class Slap(Struct, frozen=True, kw_only=True):
    """A seat's slap at a card on the table."""

    seat: int
    target: Target


class SlapOrder(Struct, frozen=True, kw_only=True):
    """The outcome of a window: the slaps in the order in which they are resolved. Seats that passed are left out."""

    slaps: tuple[Slap, ...]


Response = Action | tuple[Action, ...] | SlapOrder
"""The answer to an Ask, to a Sealed (one for each of its asks, in their order) or to a Window."""

Flow = Generator[Question, Response, T]
"""A piece of a game: it yields questions, is sent legal responses, and returns T."""


class IllegalAnswer(ValueError):
    """An answer that the question does not offer; the game has not changed."""


def is_legal(ask: Ask, action: Response) -> bool:
    """Return whether the question offers the action."""
    try:
        if action in ask.known_legal:
            return True
    except TypeError:  # what cannot be looked up, such as a list where a tuple belongs, is refused below
        pass
    if isinstance(action, (tuple, SlapOrder)) or not admits(ask.offers, action):
        return False
    if len(ask.known_legal) < MOST_KNOWN_LEGAL:
        ask.known_legal.add(action)
    return True


def check(question: Question, response: Response) -> None:
    """Raise IllegalAnswer unless the response is one that the question offers."""
    if isinstance(question, Ask):
        if not is_legal(question, response):
            raise _not_offered(question, response)
    elif isinstance(question, Window):
        _check_slaps(question, response)
    elif not isinstance(response, tuple) or len(response) != len(question.asks):
        raise IllegalAnswer(f"a sealed question is answered by a tuple of {len(question.asks)} actions")
    else:
        for ask, action in zip(question.asks, response, strict=True):
            if not is_legal(ask, action):
                raise _not_offered(ask, action)


def _not_offered(ask: Ask, action: Response) -> IllegalAnswer:
    return IllegalAnswer(f"seat {ask.seat} may not answer {action!r} to `{ask.decision}`")


def _check_slaps(window: Window, response: Response) -> None:
    if not isinstance(response, SlapOrder):
        raise IllegalAnswer("a slap window is answered by an order of slaps")
    if not response.slaps:
        return
    asks = {ask.seat: ask for ask in window.asks}
    for slap in response.slaps:
        ask = asks.pop(slap.seat, None)
        if ask is None or not is_legal(ask, actions.Slap(target=slap.target)):
            raise IllegalAnswer(f"seat {slap.seat} may not slap {slap.target}")
