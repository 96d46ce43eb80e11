"""Records of matches that were never played by bots: answers by chance, times made up."""

from collections.abc import Callable
from random import Random
from typing import cast

from at_random import AtRandom
from msgspec import to_builtins
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from protocol.actions import Action
from referee.rules.chance import Chance, Keyed, Recorder
from referee.rules.game import Game
from referee.rules.questions import Ask, Response, Sealed, SlapOrder, Window
from referee.rules.record import Given, GivenSlaps, GivenTogether, Move, Reaction, Record
from referee.rules.variants import Variant


def made_up(variant: Variant, seats: int, seed: int, at_random: AtRandom) -> Record:
    """The record of a match that was played by chance."""
    dice = Random(seed)  # noqa: S311
    chance = Keyed(b"record%d" % seed, variant, seats)
    return played(variant, seats, chance, lambda game: at_random.response(game, dice))


def played(
    variant: Variant,
    seats: int,
    chance: Chance,
    respond: Callable[[Game], Response],
    *,
    first_us: int = 1000,
    more_us: int = 10,
) -> Record:
    """The record of the match in which everybody answers so; each answer takes `more_us` longer than the one before."""
    recorder = Recorder(chance)
    game = Game(variant, seats, recorder)
    moves: list[Move] = []
    while game.question is not None:
        response = respond(game)
        moves.append(_move(game, response, first_us + more_us * len(moves)))
        game.answer(response)
    old = BY_PRESET[variant.preset]
    seated = [replace(old.seats[0], name=f"bot{seat}", matches_before=0, lines=(), faults={}) for seat in range(seats)]
    return replace(
        old,
        options=to_builtins(variant.options),
        seats=tuple(seated),
        rounds=tuple(recorder.rounds),
        moves=tuple(moves),
        result=game.result,
    )


def _move(game: Game, response: Response, time_us: int) -> Move:
    question = game.question
    if isinstance(question, Ask):
        return Given(seat=question.seat, action=cast(Action, response), time_us=time_us)
    if isinstance(question, Sealed):
        actions = cast(tuple[Action, ...], response)
        given = [
            Given(seat=ask.seat, action=one, time_us=time_us) for ask, one in zip(question.asks, actions, strict=True)
        ]
        return GivenTogether(answers=tuple(given))
    assert isinstance(question, Window)
    return _slaps(game, cast(SlapOrder, response), time_us)


def _slaps(game: Game, order: SlapOrder, time_us: int) -> GivenSlaps:
    """Slaps that came 100 microseconds after one another, in the order in which they count."""
    seats = tuple(range(game.table.seats))
    targets = {slap.seat: slap.target for slap in order.slaps}
    ranks = {slap.seat: rank for rank, slap in enumerate(order.slaps)}
    return GivenSlaps(
        round=game.table.round,
        window=game.table.windows,
        asked=seats,
        reactions=tuple(
            Reaction(seat=seat, target=targets.get(seat), raw_us=us + 5.0, wait_us=5.0, corrected_us=us)
            for seat in seats
            for us in [float(time_us + 100 * ranks.get(seat, 0))]
        ),
        lots=seats,
        order=tuple(slap.seat for slap in order.slaps),
    )
