"""How well a bot in Python plays against others, all in one process, so that a small change of its play shows soon.

    nice -n 19 python tests/benchmarks/duels.py --preset six-card --seats 2 --blocks 100

A block is a deal, played once with the bot on each seat, all other seats taken by the rivals in turn. Blocks are
independent of each other, so the 95 % intervals are Student's t over the means of blocks. With `--old FOLDER` another
version plays the same deals, and the difference of the two gets an interval of its own, over the same blocks.

The rules and the lines are those of live matches; the bots are modules of this process, of time only
what each decision computes is measured. Tables that are to be published come from tournaments with real processes.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any

import msgspec
from msgspec import Struct

from protocol.codec import decode_ready
from protocol.messages import Answer, Clocks, FaultPolicy, GameMessage, Limits
from referee.play.spec import SHIPPED
from referee.play.talk import script
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import READY, Delivery, Reply, Saying
from referee.research import programs
from referee.research.programs import Decide, Message
from referee.rules.book.presets import PRESETS
from referee.rules.book.variant import Variant
from referee.rules.book.variants import customised
from referee.rules.game import Game
from referee.rules.table.chance import Keyed
from referee.rules.table.streams import seed_key
from referee.tournament.results import beaten_shares

LEVEL = 0.95


class Bot(Struct, kw_only=True):
    """A bot that is loaded, and how long its decisions took."""

    name: str
    make: Callable[[Message], Decide]
    times_s: list[float]


class Outcome(Struct, frozen=True, kw_only=True):
    """What the bot did in one block."""

    points: float
    """Its mean share of opponents beaten."""
    strokes: float
    """Its strokes a round, less the mean of the table."""


def load(folder: Path) -> Bot:
    """The bot of a folder; `referee.research.programs` says what its bot.py must have."""
    program = programs.load(folder)
    return Bot(name=program.name, make=program.make, times_s=[])


class Seat:
    """A bot at a table: takes the lines of the referee, gives answers."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.decide: Decide = dict

    def reply(self, delivery: Delivery) -> Reply | None:
        """What the bot says to these lines; None where it is asked nothing."""
        message: dict[str, Any] = {}
        for line in delivery.data.splitlines():
            message = json.loads(line)
            if message["type"] == "match":
                self.decide = self.bot.make(message)
        if delivery.awaits is None:
            return None
        if delivery.awaits == READY:
            return Reply(seat=delivery.seat, heard=decode_ready(b'{"type":"ready"}'), elapsed_us=0.0)
        begun = time.thread_time()
        action = self.decide(message)
        taken = time.thread_time() - begun
        self.bot.times_s.append(taken)
        answer = msgspec.convert({"type": "answer", "id": delivery.awaits, "action": action}, Answer)
        return Reply(seat=delivery.seat, heard=answer, elapsed_us=0.0, wait_us=0.0, corrected_us=taken * 1e6)


def play(variant: Variant, bots: Sequence[Bot], deal: str) -> Game:
    """A match with these bots by seat."""
    seats = [Seat(bot) for bot in bots]
    chance = Keyed(seed_key(deal), variant, len(bots))
    game = Game(variant, len(bots), chance)
    games = (GameMessage(variant=variant.preset, name=variant.preset, seats=len(bots)),)
    matches = script.announcements(
        variant, variant.preset, seeds=range(len(bots)), clocks=Clocks(bank_s=1e6), faults=FaultPolicy()
    )
    hello = script.hello(games, Limits())
    talk = Conversation(game, chance, hello=hello, matches=matches, id_key=b"duels")
    steps = talk.steps()
    replies: list[Reply] = []
    exchange: Saying = next(steps)
    try:
        while True:
            heard = [seats[delivery.seat].reply(delivery) for delivery in exchange.deliveries]
            replies = [reply for reply in heard if reply is not None]
            exchange = steps.send(replies)
    except StopIteration:
        for bot, seat in zip(bots, talk.seats, strict=True):
            if seat.faults:
                raise SystemExit(f"{bot.name}: {dict(seat.faults)} in deal `{deal}`") from None
        return game


def block(variant: Variant, bot: Bot, rivals: Sequence[Bot], deal: str) -> Outcome:
    """A deal with the bot on each seat in turn."""
    points, strokes, seats = [], [], len(rivals) + 1
    for seat in range(seats):
        game = play(variant, [*rivals[:seat], bot, *rivals[seat:]], deal)
        totals, rounds = game.result.totals, len(game.result.rounds)
        points.append(beaten_shares(tuple(game.result.ranks))[seat])
        strokes.append((totals[seat] - fmean(totals)) / rounds)
    return Outcome(points=fmean(points), strokes=fmean(strokes))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean and half the width of its 95 % interval by Student's t, the values being independent."""
    freedom = len(values) - 1
    return fmean(values), (quantile(freedom) * stdev(values) / sqrt(len(values)) if freedom else float("inf"))


def in_words(values: Sequence[float]) -> str:
    """The mean and its interval, as `0.712 ± 0.034`."""
    mean, half = interval(values)
    return f"{mean:.3f} ± {half:.3f}"


def quantile(freedom: int) -> float:
    """Student's t for the level, by Cornish and Fisher's expansion; right to 1 % from three degrees of freedom on."""
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    divisors = (1.0, float(freedom), float(freedom) ** 2, float(freedom) ** 3)
    return sum(term / divisor for term, divisor in zip(terms, divisors, strict=True))


def times(bot: Bot) -> str:
    """Mean, median, 99th percentile and worst time of its decisions, in milliseconds."""
    sorted_s, bot.times_s = sorted(bot.times_s), []
    places = (len(sorted_s) // 2, len(sorted_s) * 99 // 100, -1)
    return " ".join(f"{figure * 1e3:.1f}" for figure in (fmean(sorted_s), *(sorted_s[place] for place in places)))


def duel(preset: str, asked: argparse.Namespace) -> None:
    """Play one game and print its lines."""
    least = PRESETS[preset].seats[0]
    seats = max(asked.seats, least)
    variant = customised(preset, json.loads(asked.options))
    shipped = [load(_folder(name)) for name in asked.rivals.split(",")]
    rivals = [shipped[place % len(shipped)] for place in range(seats - 1)]
    bots = [load(_folder(name)) for name in (asked.bot, asked.old) if name]
    found: list[list[Outcome]] = [[] for _ in bots]
    for number in range(asked.blocks):
        for bot, outcomes in zip(bots, found, strict=True):
            outcomes.append(block(variant, bot, rivals, f"{asked.seed} {preset} {seats} {asked.first + number}"))
    for bot, outcomes in zip(bots, found, strict=True):
        points = in_words([one.points for one in outcomes])
        strokes = in_words([one.strokes for one in outcomes])
        print(
            f"{preset:15}{seats:2} seats  {bot.name:10} points {points}  strokes {strokes}  ms {times(bot)}", flush=True
        )
    if asked.old:
        pairs = list(zip(*found, strict=True))
        points = in_words([new.points - old.points for new, old in pairs])
        strokes = in_words([new.strokes - old.strokes for new, old in pairs])
        print(f"{preset:15}{seats:2} seats  difference points {points}  strokes {strokes}", flush=True)


def _folder(name: str) -> Path:
    return SHIPPED / name if (SHIPPED / name / "bot.py").exists() else Path(name).resolve()


def main() -> None:
    """Read the command line, and play."""
    parser = argparse.ArgumentParser(description="How well a bot in Python plays against others.")
    parser.add_argument("--bot", default="sharp", help="a shipped bot or the folder of one")
    parser.add_argument("--old", help="another version that plays the same deals")
    parser.add_argument("--rivals", default="keeper", help="those on the other seats, with commas")
    parser.add_argument("--preset", default="six-card", help="presets with commas, or all")
    parser.add_argument("--options", default="{}", help="options of the game as JSON")
    parser.add_argument("--seats", type=int, default=2, help="seats at the table, more where the game needs more")
    parser.add_argument("--blocks", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the number of the first deal")
    parser.add_argument("--seed", default="duels")
    asked = parser.parse_args()
    gc.disable()
    for preset in PRESETS if asked.preset == "all" else asked.preset.split(","):
        duel(preset, asked)
        gc.collect()


if __name__ == "__main__":
    main()
