"""Another state of a game that one seat cannot tell from the present one.

`observed_round.py` says what the seat was shown of the present round, `sample_deal.py` draws another deal of it. Here
the answers of all seats are played again with this deal. It counts only if every answer is legal and the seat is sent
the same events. What comes later has chance of its own, so that nothing of the true future is in the new state.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec import Struct

from protocol.actions import Action, Block, Pass, SwapLines
from protocol.cards import Card
from protocol.offers import every_action
from referee.research.resample.observed_round import ObservedRound, Step, follow
from referee.research.resample.sample_deal import Deal, constraints_of, sample_deal
from referee.rules.chance import Chance, Keyed, RoundOutcomes
from referee.rules.game import Game
from referee.rules.questions import Ask, IllegalAnswer, Response, SlapOrder, Window
from referee.rules.secrets import view

MOST_DEALS = 100
"""How many deals are played again at most."""

MOST_PROPOSALS = 20_000
"""How many proposals of deals are begun at most."""


class TooRare(RuntimeError):
    """No other state was found in bounded time."""


class Redealt(Keyed):
    """Chance outcomes of a match whose present round is dealt otherwise, as far as it has come; then the key's."""

    def __init__(
        self, key: bytes, game: Game, outcomes: RoundOutcomes | None, windows: Sequence[tuple[int, ...]]
    ) -> None:
        """`game` has the true chance, which holds for the rounds before; `windows` has the lots drawn in this one."""
        super().__init__(key, game.table.variant, game.table.seats)
        truth = game.table.chance
        self._number = game.table.round
        self._before: Chance = truth._before if isinstance(truth, Redealt) and truth._number == self._number else truth
        self._outcomes = outcomes
        self._windows = windows

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the deck of an earlier round, of this one, or one that the key shuffles."""
        if number < self._number:
            return self._before.deck(number)
        return self._outcomes.deck if number == self._number and self._outcomes else super().deck(number)

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the new stock as it came, or as the key shuffles it."""
        if number < self._number:
            return self._before.reshuffle(number, count, cards)
        given = self._outcomes.reshuffles if number == self._number and self._outcomes else ()
        return given[count - 1] if count <= len(given) else super().reshuffle(number, count, cards)

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the set as it was shuffled, or as the key shuffles it."""
        if number < self._number:
            return self._before.shuffle(number, count, cards)
        given = self._outcomes.shuffles if number == self._number and self._outcomes else ()
        return given[count - 1] if count <= len(given) else super().shuffle(number, count, cards)

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return the lots that were drawn, or those of the key."""
        if number < self._number:
            return self._before.lots(number, window)
        is_drawn = number == self._number and window <= len(self._windows)
        return self._windows[window - 1] if is_drawn else super().lots(number, window)


class Other(Struct, frozen=True, kw_only=True):
    """Another state: its game, its chance, and what was answered in its present round."""

    game: Game
    chance: Chance
    responses: tuple[Response, ...]
    deals: int
    """How many deals were drawn for it and played."""
    proposals: int
    """How many proposals of them were begun, with those that led nowhere."""


def other_state(game: Game, seat: int, deciding: int | None, dice: Random) -> Other:
    """Return a state that this seat cannot tell from that of the game; `deciding` is the seat that is asked next.

    README.md in this folder says over which states it is uniform. Takes bounded time. Raises TooRare where no state was
    found in it.
    """
    known, proposals = follow(game, seat, deciding), 0
    constraints = constraints_of(known)
    for deals in range(1, MOST_DEALS + 1):
        deal = sample_deal(constraints, dice, MOST_PROPOSALS - proposals)
        if deal is None:
            break
        proposals += deal.proposals
        responses = _answers(known, deal, seat, dice)
        chance = Redealt(dice.getrandbits(256).to_bytes(32, "big"), game, _outcomes(known, deal), _lots(game))
        other = _played(game, known, responses, chance, seat)
        if other is not None:
            return Other(game=other, chance=chance, responses=responses, deals=deals, proposals=proposals)
    raise TooRare(
        f"seat {seat}: no other state was found that looks to it as this one does in round {game.table.round}, after "
        f"{len(known.steps)} answers; ask again with other dice, or at an earlier point of the round"
    )


def _played(game: Game, known: ObservedRound, responses: Sequence[Response], chance: Chance, seat: int) -> Game | None:
    """Return the state to which the answers lead with this chance; None where the seat could tell it."""
    other = game.round_again(chance)
    try:
        for response in responses:
            other.answer(response)
    except (IllegalAnswer, LookupError):
        return None
    same = tuple(view(event, seat) for event in other.events[game.events_before :]) == known.views
    return other if same and _asks_alike(known, other, seat) else None


def _asks_alike(known: ObservedRound, other: Game, seat: int) -> bool:
    """Return whether the seat is asked the same, and otherwise the same seat something."""
    question, open_question = known.question, other.question
    if isinstance(question, Ask) and isinstance(open_question, Ask) and question.seat != seat:
        return question.seat == open_question.seat
    return question == open_question


def _outcomes(known: ObservedRound, deal: Deal) -> RoundOutcomes | None:
    """Return the chance outcomes of the deal; None before any cards are dealt."""
    if not deal.pools:
        return None
    shuffles = [cards for mix, cards in zip(known.mixes, deal.mixed, strict=True) if mix.choice is None]
    return RoundOutcomes(deck=deal.pools[0], reshuffles=list(deal.pools[1:]), shuffles=shuffles)


def _lots(game: Game) -> tuple[tuple[int, ...], ...]:
    """Return the lots of the windows of this round that are over."""
    table = game.table
    over = table.windows - isinstance(game.question, Window)
    return tuple(table.chance.lots(table.round, window + 1) for window in range(over))


def _answers(known: ObservedRound, deal: Deal, seat: int, dice: Random) -> tuple[Response, ...]:
    """Return what was answered in this deal: the hidden answers that mixed cards are those of the deal."""
    responses = [step.response for step in known.steps]
    for mix, permutation in zip(known.mixes, deal.permutations, strict=True):
        if mix.choice is not None:
            _change(responses, known.steps, mix.choice.response, mix.choice.seat, mix.choice.action(permutation, dice))
    for number, step in enumerate(known.steps):
        if isinstance(step.response, SwapLines) and _is_stopped(known, number):
            responses[number] = _other_lines(step, step.response, seat, dice)
    return tuple(responses)


def _change(responses: list[Any], steps: Sequence[Step], number: int, seat: int, action: Action) -> None:
    """Change what a seat answered. An attack that was not blocked is the answer before that of the attacked seat."""
    if isinstance(responses[number], tuple):
        asks: Any = steps[number].question
        pairs = zip(asks.asks, responses[number], strict=True)
        responses[number] = tuple(action if ask.seat == seat else given for ask, given in pairs)
    else:
        while not isinstance(responses[number], type(action)):
            number -= 1
        responses[number] = action


def _is_stopped(known: ObservedRound, number: int) -> bool:
    """Return whether the attack with this answer has been blocked, or waits for whether it is."""
    if number + 1 < len(known.steps):
        return isinstance(known.steps[number + 1].response, Block)
    return isinstance(known.question, Ask) and known.question.decision == "block"


def _other_lines(step: Step, attack: SwapLines, seat: int, dice: Random) -> SwapLines:
    """Draw again which lines an attack of another seat would swap that has not come to it: nobody was told them."""
    if not isinstance(step.question, Ask) or step.question.seat == seat:
        return attack
    offers = [offer for offer in step.question.offers if offer.kind == "swap_lines"]
    actions = [action for action in every_action(offers) if isinstance(action, SwapLines)]
    return dice.choice([action for action in actions if action.seat == attack.seat])


def rewritten(
    history: Sequence[tuple[int, Action]], game: Game, pending: int, responses: Sequence[Response]
) -> list[tuple[int, Action]]:
    """Return a match's answers by seat with these responses in place of those of its present round.

    The last `pending` answers are to the question that is open, and are left out.
    """
    sizes = [_size(game, response) for response in game.answers]
    start = len(history) - pending - sum(sizes)
    new = list(history[:start])
    for size, response in zip(sizes, responses, strict=False):
        given = history[start : start + size]
        start += size
        if isinstance(response, SlapOrder):
            counted = {slap.seat for slap in response.slaps}
            new += [(seat, action if seat in counted else Pass()) for seat, action in given]
        elif isinstance(response, tuple):
            new += [(seat, response[seat]) for seat, _ in given]
        else:
            new += [(seat, response) for seat, _ in given]
    return new


def _size(game: Game, response: Response) -> int:
    """Return how many seats answered; where several are asked at the same time, all of them are."""
    return game.table.seats if isinstance(response, (tuple, SlapOrder)) else 1
