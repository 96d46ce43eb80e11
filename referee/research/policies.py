"""Policies: who decides in an environment, given what the seat that decides may know.

The shipped bots are policies here. They are the programs that `builtin:keeper` starts, run in this process, and they
read the lines that `Env.lines` returns: the same lines get the same answers as in a match.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from protocol.actions import Action
from protocol.messages import Answer
from referee.research.programs import Decide, Message, NoProgram, Program, load, shipped
from referee.rules.match import MatchResult

if TYPE_CHECKING:
    from referee.research.env import Env

Policy = Callable[["Env"], Action | int]
"""Takes an environment, and returns what the seat that decides does: an action or a number, as `Env.step` takes it."""

BASELINES = ("random", "greedy", "keeper", "sharp")
"""The shipped bots that are policies, the weakest first."""


class BotPolicy:
    """A bot in Python as a policy, for any number of seats.

    What it answers follows from the messages to its seat alone. Where they go on from those that it heard last for that
    seat, it hears the rest. Else, after a `reset` or in another environment, it begins anew and hears all of them.
    """

    def __init__(self, program: Program) -> None:
        """`programs.shipped` and `programs.load` give programs."""
        self.name = program.name
        self._listeners: defaultdict[int, _Listener] = defaultdict(lambda: _Listener(program))

    def __call__(self, env: "Env") -> Action:
        """Return what the bot answers to the open request. Raises LookupError where the match is over."""
        if (seat := env.seat) is None:
            raise LookupError("the match is over: nobody is asked")
        return self._listeners[seat].answer(env.lines())


class _Listener:
    """A bot on one seat: what it has heard, and what it answered last."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._heard: Sequence[bytes] = ()
        self._decide: Decide | None = None
        self._answer: Any = None

    def answer(self, lines: Sequence[bytes]) -> Action:
        """Return the answer to the last of these lines, which is a request."""
        known = len(self._heard)
        if lines[:known] != self._heard:
            known, self._decide = 0, None
        for line in lines[known:]:
            self._hear(msgspec.json.decode(line))
        self._heard = lines
        return msgspec.convert({"type": "answer", "id": "", "action": self._answer}, Answer).action

    def _hear(self, message: Message) -> None:
        if message["type"] == "match":
            self._decide = self._program.make(message)
        elif message["type"] == "request" and self._decide is not None:
            self._answer = self._decide(message)


def policy(bot: str | Path) -> BotPolicy:
    """Return a shipped bot as a policy, by its name; or your own, by the path of the folder that holds its `bot.py`.

    A path is a `Path`, or a text with a `/` in it.

    Raises NoProgram (a ValueError), which says what there is or what the folder lacks.

    >>> from referee.research import Env
    >>> from referee.research.policies import play, policy
    >>> env = Env("six-card", seats=2, rounds=1)
    >>> env.reset(seed="demo")
    >>> play(env, [policy("keeper"), policy("random")]).totals
    (2, 46)
    """
    is_name = isinstance(bot, str) and os.sep not in bot
    return BotPolicy(shipped(str(bot)) if is_name else load(Path(bot).resolve()))


def play(env: "Env", policies: Sequence[Policy]) -> MatchResult:
    """Play the match of `env` to its end, with a policy for each seat, and return its result."""
    if len(policies) != env.seats:
        raise ValueError(f"{env.seats} seats play, so {env.seats} policies are needed, not {len(policies)}")
    while (seat := env.seat) is not None:
        env.step(policies[seat](env))
    return env.result


class Difference(Struct, frozen=True, kw_only=True):
    """How a policy did beside others, in points a round; less than 0 is better than they."""

    mean: float
    half: float
    """Half the width of the interval of 95 %."""
    deals: int

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.half:.2f} points a round over {self.deals} deals"


def compare(env: "Env", one: Policy, others: Policy, *, deals: int, seed: str = "compare") -> Difference:
    """Return by how much `one` scores more than the mean of the `others`, who have all other seats.

    Each deal is played once with `one` on each seat. The deals are independent of each other, so the interval is that
    of Student's t over the deals. Raises ValueError for fewer than two deals, or a single seat.
    """
    if deals < 2 or env.seats < 2:
        raise ValueError(f"two deals and two seats are the least, not {deals} deals and {env.seats} seats")
    found: list[float] = []
    for deal in range(deals):
        by_seat = []
        for seat in range(env.seats):
            env.reset(f"{seed} {deal}")
            result = play(env, [one if number == seat else others for number in range(env.seats)])
            rest = (sum(result.totals) - result.totals[seat]) / (env.seats - 1)
            by_seat.append((result.totals[seat] - rest) / len(result.rounds))
        found.append(fmean(by_seat))
    from referee.tournament.figures.means import t_quantile  # noqa: PLC0415 - it imports numpy

    half = t_quantile(deals - 1) * stdev(found) / sqrt(deals)
    return Difference(mean=fmean(found), half=half, deals=deals)


__all__ = ["BASELINES", "BotPolicy", "Difference", "NoProgram", "Policy", "compare", "play", "policy"]
