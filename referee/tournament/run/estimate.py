"""What the rest of a run will take in time and on disk, from a few games of each variant played here by the dice."""

import zlib
from collections.abc import Mapping
from random import Random

import msgspec
from msgspec import Struct

from referee.play.isolation.host import cores
from referee.rules.book.variant import Variant
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.table.asks import Ask, Response, Sealed
from referee.rules.table.chance import Keyed, Recorder
from referee.rules.table.dice import any_action
from referee.tournament.config.config import Config
from referee.tournament.run.setups import for_blocks

DECISION_S = 0.0004
"""Wall time of a decision of a bot that answers at once, with its part of the match's end. Measured on two cores."""

LINE_BYTES = 28
"""What a bot's line takes in the store, compressed. Measured."""

GAMES = 3
"""Games of each variant that are averaged."""


class Estimate(Struct, frozen=True, kw_only=True):
    """What the matches take that a run has left, if bots answer at once."""

    matches: dict[str, int]
    """Matches that are left of each variant."""
    match_s: dict[str, float]
    """Seconds that a match of each variant takes a process that plays one at a time."""
    side_by_side: int
    """Processes that have a core each."""
    stored_bytes: float
    """What all of the matches add to the store."""

    @property
    def wall_s(self) -> float:
        """Seconds until the last of them has ended."""
        return sum(self.matches[name] * match_s for name, match_s in self.match_s.items()) / self.side_by_side


def estimate(config: Config, matches: Mapping[str, int], *, processes: int, start_s: float) -> Estimate:
    """The estimate for so many matches of each variant, where a bot takes `start_s` to start."""
    variants = [one for one in config.variants if matches[one.name]]
    games = {one.name: _mean_game(for_blocks(one), one.seats) for one in variants}
    start_s = 0.0 if config.reuse == "tournament" else start_s
    return Estimate(
        matches=dict(matches),
        match_s={one.name: one.seats * start_s + games[one.name].decisions * DECISION_S for one in variants},
        side_by_side=max(1, min(processes, cores())),
        stored_bytes=sum(games[one.name].stored_bytes * matches[one.name] for one in variants),
    )


class _Game(Struct, frozen=True, kw_only=True):
    """For one match: how many decisions bots are asked for, and its bytes in the store."""

    decisions: float
    stored_bytes: float


def _mean_game(variant: Variant, seats: int) -> _Game:
    """The mean over a few games between random players, which tend to last longer than good ones."""
    games = [_play(variant, seats, Random(number), b"estimate/%d" % number) for number in range(GAMES)]  # noqa: S311
    return _Game(
        decisions=sum(game.decisions for game in games) / GAMES,
        stored_bytes=sum(game.stored_bytes for game in games) / GAMES,
    )


def _play(variant: Variant, seats: int, dice: Random, key: bytes) -> _Game:
    chance = Recorder(Keyed(key, variant, seats))
    game = Game(variant, seats, chance)
    responses: list[Response] = []
    decisions = 0
    while (question := game.question) is not None:
        asks = (question,) if isinstance(question, Ask) else question.asks
        actions = {ask.seat: any_action(ask.offers, dice) for ask in asks}
        decisions += len(asks)
        response: Response
        if isinstance(question, Ask):
            response = actions[question.seat]
        elif isinstance(question, Sealed):
            response = tuple(actions.values())
        else:
            # Players who slapped at random would end every round at once.
            slaps = {seat: action for seat, action in actions.items() if dice.random() < 0.05}
            times = dict.fromkeys(slaps, 0.0)
            lots = chance.lots(game.table.round, question.number)
            response = order_slaps(variant.options, question, slaps, times, lots)
        responses.append(response)
        game.answer(response)
    data = msgspec.json.encode([chance.rounds, responses])
    return _Game(decisions=decisions, stored_bytes=1.5 * len(zlib.compress(data)) + LINE_BYTES * decisions + 1500)
