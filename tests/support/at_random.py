"""Matches by chance: tables with any legal options, and players who do anything that is legal."""

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st
from options_to_try import TO_TRY
from scripted import listed

from protocol.actions import Action, Target
from protocol.actions import Slap as SlapAction
from protocol.offers import Offer
from referee.rules.check_options import BadOptions, with_options
from referee.rules.dice import any_action
from referee.rules.game import Game
from referee.rules.games.slaps import is_right, order_slaps
from referee.rules.questions import Response, Sealed, SlapOrder, Window
from referee.rules.variants import PRESETS, Variant


class AtRandom:
    """Tables with any legal options, and players who do anything that is legal."""

    def tables(self, preset: str) -> st.SearchStrategy[tuple[Variant, int]]:
        """A variant made from the preset, for a few rounds, and a number of seats."""
        pools = {name: values for name, values in TO_TRY.items() if PRESETS[preset].has(name)}
        changes = st.fixed_dictionaries({}, optional={name: st.sampled_from(pool) for name, pool in pools.items()})
        rounds: dict[str, st.SearchStrategy[Any]] = {"rounds": st.sampled_from(TO_TRY["rounds"])}
        if PRESETS[preset].options.course is not None:
            rounds = {"course": st.sampled_from(((4,), (3, 4), (5, 3, 4)))}
        short = st.fixed_dictionaries({**rounds, "turn_cap": st.sampled_from(TO_TRY["turn_cap"])})
        variants = st.builds(lambda some, always: _sound(preset, some | always), changes, short)
        return variants.flatmap(lambda variant: st.tuples(st.just(variant), _seat_numbers(variant)))

    def response(self, game: Game, dice: Random, *, haste: float = 0.1) -> Response:
        """A legal response to the open question; with little `haste` it seldom does what brings a round to its end."""
        question = game.question
        if isinstance(question, Window):
            return self._slaps(game, question, dice, 2 * haste)
        if isinstance(question, Sealed):
            return tuple(any_action(ask.offers, dice) for ask in question.asks)
        assert question is not None
        slow = tuple(offer for offer in question.offers if offer.kind not in _HASTY)
        return any_action(slow if slow and dice.random() > haste else question.offers, dice)

    def _slaps(self, game: Game, window: Window, dice: Random, often: float) -> SlapOrder:
        table = game.table
        answers: dict[int, Action] = {}
        for ask in window.asks:
            targets = [target for offer in ask.offers for target in _targets_of(offer)]
            right = [target for target in targets if is_right(table.variant, table.at(*target).card, table.pile[-1])]
            if targets and dice.random() < often:
                answers[ask.seat] = SlapAction(target=dice.choice(right if right and dice.random() < 0.7 else targets))
        times = {seat: dice.uniform(0, 200) for seat in answers}
        lots = tuple(dice.sample(range(table.seats), table.seats))
        return order_slaps(table.options, window, answers, times, lots)


def _seat_numbers(variant: Variant) -> st.SearchStrategy[int]:
    """Numbers of seats, often the highest, with which the stock runs out. More than twelve would take too long."""
    fewest = max(variant.seats[0], variant.options.first_dealer + 1)
    most = min(variant.seats[1], 12)
    return st.integers(fewest, most) | st.just(most)


def _targets_of(offer: Offer) -> Sequence[Target]:
    return [target for choice in offer.choices().values() for target in listed(choice)]


_HASTY = {"knock", "end", "flip", "swap"}


def _sound(preset: str, changes: dict[str, Any]) -> Variant:
    """The preset with these changes but for those that make the set unsound."""
    while True:
        try:
            return with_options(preset, changes)
        except BadOptions as bad:
            culprits = {problem.option for problem in bad.problems} & changes.keys()
            # Where an option of the preset itself is at odds with a change, the text names the change.
            culprits = culprits or {name for name in changes if f"`{name}`" in str(bad)}
            if not culprits:
                raise
            changes = {name: value for name, value in changes.items() if name not in culprits}
