"""What it saves that all rotations of a block share their cards: the variance of the difference of two bots, by game.

    python tests/benchmarks/rotations.py [--blocks N] [--quick] [PRESET ...]

Two bots play blocks inside this process, by the referee's own conversation, as a tournament plays them; in four-card,
which needs three seats, greedy joins them. `same` is the variance of the mean difference of a block, whose rotations
share their cards. `fresh` is the variance of that mean for rotations that have nothing to do with each other: the sum
of the variances of the single rotations, through the square of their number. It is computed from the same matches,
because a match by itself is the same whichever other match has its cards. Their quotient says how many times more
matches `fresh` needs for the same standard error. Intervals of 95 % come from a bootstrap over blocks.

`keeper / greedy` are two different bots. `keeper / hasty` are nearly equal ones: hasty is keeper, but for one answer
in ten, which it makes by the dice. Between two bots that are the same and use no dice every block is a tie.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from math import inf, isnan, nan, sqrt
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from tabulate import tabulate

from protocol import VERSION
from protocol.messages import Answer, Clocks, FaultPolicy, Hello, Limits, Ready
from referee import __version__
from referee.play.spec import SHIPPED
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import READY, Delivery, Reply
from referee.play.talk.script import announcements
from referee.rules.book.presets import PRESETS
from referee.rules.book.variant import Variant
from referee.rules.book.variants import customised, seat_problem
from referee.rules.game import Game
from referee.rules.table.chance import Keyed
from referee.rules.table.streams import Stream, bot_seed
from referee.tournament.plan.blocks import for_blocks
from referee.tournament.plan.keys import deal_key
from referee.tournament.results import beaten_shares

PAIRS = (("keeper", "greedy"), ("keeper", "hasty"))

HEADERS = ("game", "bots", "blocks", "SE, match points", "matches, match points", "SE, strokes", "matches, strokes")
"""Each figure is a quotient, `fresh` through `same`: of standard errors, and of how many matches it takes."""

PATIENT = Clocks(move_s=1000.0, bank_s=1e6, slap_s=1000.0)
RESAMPLES = 1000

ROUNDED = 1e-12
"""A variance below this is none."""

HASTE = 0.1
"""The share of its answers that hasty makes by the dice."""

Decide = Callable[[dict[str, Any]], dict[str, Any]]
"""Answers a request with an action, both as JSON has them."""

Begin = Callable[[dict[str, Any]], Decide]
"""Begins a match with the `match` message."""


class Block(Struct, frozen=True, kw_only=True):
    """What the first bot scored less what the second did, by rotation: strokes a round, and match points."""

    strokes: tuple[float, ...]
    points: tuple[float, ...]


class Saving(Struct, frozen=True, kw_only=True):
    """How many times more matches `fresh` needs than `same` for the same standard error, with an interval of 95 %."""

    times: float
    low: float
    high: float

    def __str__(self) -> str:
        if isnan(self.times):
            return "one bot won all"
        return f"{self.times:.2f} ({self.low:.2f} to {self.high:.2f})"


def load(folder: Path) -> Any:
    """The module of a shipped bot."""
    sys.path.insert(0, str(folder))
    spec = spec_from_file_location(f"shipped_{folder.name}", folder / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def players() -> dict[str, Begin]:
    """The bots, by name."""
    keeper, greedy, dicer = (load(SHIPPED / name) for name in ("keeper", "greedy", "random"))

    def careful_one(match: dict[str, Any]) -> Decide:
        answer = keeper.Keeper(match).answer
        return lambda request: answer(request)["action"]

    def hasty(match: dict[str, Any]) -> Decide:
        careful, dice = careful_one(match), random.Random(match["seed"])  # noqa: S311

        def decide(request: dict[str, Any]) -> dict[str, Any]:
            action: dict[str, Any] = careful(request)  # which also reads the news
            if request["decision"] != "slap" and dice.random() < HASTE:
                action = dicer.fill(dice.choice(request["legal"]), dice)
            return action

        return decide

    return {
        "keeper": careful_one,
        "greedy": lambda match: greedy.Greedy(match).decide,
        "hasty": hasty,
    }


class Table:
    """Drives the conversation of a match with bots of this process."""

    def __init__(self, variant: Variant, bots: Sequence[Begin], key: bytes, rotation: int) -> None:
        seats = len(bots)
        chance = Keyed(key, variant, seats)
        self.game = Game(variant, seats, chance)
        seeds = [bot_seed(key, rotation, seat) for seat in range(seats)]
        told = announcements(variant, variant.preset, seeds=seeds, clocks=PATIENT, faults=FaultPolicy())
        hello = Hello(protocol=VERSION, referee=__version__, games=(), limits=Limits())
        self._talk = Conversation(self.game, chance, hello=hello, matches=told, id_key=key[:16])
        self._begin = bots
        self._decide: dict[int, Decide] = {}

    def play(self) -> None:
        """Play the match to its end. No bot may be at fault."""
        steps = self._talk.steps()
        exchange = next(steps, None)
        while exchange is not None:
            replies = [self._reply(delivery) for delivery in exchange.deliveries if delivery.awaits is not None]
            try:
                exchange = steps.send(replies)
            except StopIteration:
                exchange = None
        assert not any(seat.faults for seat in self._talk.seats), "a shipped bot was at fault"

    def _reply(self, delivery: Delivery) -> Reply:
        heard: Ready | Answer = Ready()
        if delivery.awaits != READY:
            for line in delivery.data.splitlines():
                message = json.loads(line)
                if message["type"] == "match":
                    self._decide[delivery.seat] = self._begin[delivery.seat](message)
            action = self._decide[delivery.seat](message)
            heard = msgspec.convert({"type": "answer", "id": delivery.awaits, "action": action}, Answer)
        return Reply(seat=delivery.seat, heard=heard, elapsed_us=1.0, wait_us=0.0, corrected_us=1.0)


def block(variant: Variant, bots: Sequence[Begin], deal: int) -> Block:
    """All rotations of a line-up on one deal. Who sits where first changes from deal to deal."""
    key = deal_key(b"rotations", variant.preset, [str(number) for number in range(len(bots))], deal)
    order = Stream(key, "seating").shuffled(range(len(bots)))
    strokes, points = [], []
    for rotation in range(len(bots)):
        seating = (*order[rotation:], *order[:rotation])
        table = Table(variant, [bots[number] for number in seating], key, rotation)
        table.play()
        result = table.game.result
        assert result is not None
        one, other = seating.index(0), seating.index(1)
        rounds = sum(not played.playoff for played in result.rounds)
        shares = beaten_shares(result.ranks)
        strokes.append((result.totals[one] - result.totals[other]) / rounds)
        points.append(shares[one] - shares[other])
    return Block(strokes=tuple(strokes), points=tuple(points))


def saving(blocks: Sequence[tuple[float, ...]]) -> Saving:
    """The quotient of the variances, with its interval."""
    dice = random.Random("bootstrap")  # noqa: S311
    drawn = sorted(quotient(dice.choices(blocks, k=len(blocks))) for _ in range(RESAMPLES))
    edge = round(0.025 * RESAMPLES)
    return Saving(times=quotient(blocks), low=drawn[edge], high=drawn[-1 - edge])


def quotient(blocks: Sequence[tuple[float, ...]]) -> float:
    """The variance of a block's mean with `fresh` through that with `same`."""
    rotations = list(zip(*blocks, strict=True))
    same = variance([sum(one) for one in blocks])
    fresh = sum(map(variance, rotations))
    if same < ROUNDED:
        return nan if fresh < ROUNDED else inf
    return fresh / same


def variance(figures: Sequence[float]) -> float:
    """The mean square less the squared mean: quicker than that of `statistics`, and exact enough for small figures."""
    return sum(figure * figure for figure in figures) / len(figures) - (sum(figures) / len(figures)) ** 2


def rows(presets: Sequence[str], pairs: Sequence[tuple[str, str]], blocks: int) -> Iterator[list[str]]:
    """A row for each game and pair of bots."""
    begin = players()
    for preset in presets:
        variant = for_blocks(customised(preset, {}))
        seats = next(seats for seats in range(2, 9) if seat_problem(variant, seats) is None)
        for pair in pairs:
            bots = [begin[name] for name in (*pair, *["greedy"] * (seats - 2))]
            played = [block(variant, bots, deal) for deal in range(blocks)]
            points, strokes = ([getattr(one, figure) for one in played] for figure in ("points", "strokes"))
            found = saving(points), saving(strokes)
            ratios = [f"{sqrt(one.times):.2f}" for one in found]
            yield [preset, " / ".join(pair), str(len(played)), ratios[0], str(found[0]), ratios[1], str(found[1])]
            print(f"{preset}, {' / '.join(pair)}: {found[0]}, {found[1]}", file=sys.stderr, flush=True)


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="the games; all without any")
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="a few blocks, to see that it runs")
    given = parser.parse_args()
    presets = given.presets or (["six-card", "cactus"] if given.quick else list(PRESETS))
    print(tabulate(rows(presets, PAIRS, 5 if given.quick else given.blocks), headers=HEADERS, disable_numparse=True))


if __name__ == "__main__":
    main()
