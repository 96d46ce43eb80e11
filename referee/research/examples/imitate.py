"""Learns to play like a bot of a run, from its decisions alone, and says how well that went.

    golfref tournament run.toml
    golfref export run.golfref --table decisions --with-cards -o decisions.parquet
    python -m referee.research.examples.imitate decisions.parquet --bot keeper

Each row of the file has what the bot knew as numbers, which moves were legal, and the number of its move. A network
learns to tell the move from what was known. Every fifth match is kept from it: there it is held against the bot.
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from referee.research import Codec, Env
from referee.research.examples import missing
from referee.research.policies import compare, policy

try:
    from pyarrow.parquet import ParquetFile, read_table
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_limits
except ModuleNotFoundError as error:
    raise missing(error, __name__) from None

KEPT = 5
"""Every match of so many is kept for the measurement."""

Array = np.ndarray[Any, np.dtype[Any]]


class Lessons(Struct, frozen=True, kw_only=True):
    """Decisions of a bot in one game, row by row."""

    tensors: Array
    masks: Array
    moves: Array
    matches: Array
    """Of which match each is."""
    game: dict[str, Any]
    """The game: its `preset`, `options` and `seats`."""

    def of(self, rows: Array) -> "Lessons":
        """Return these rows alone."""
        return Lessons(
            tensors=self.tensors[rows],
            masks=self.masks[rows],
            moves=self.moves[rows],
            matches=self.matches[rows],
            game=self.game,
        )


class Imitator:
    """A policy that does what a bot would probably have done."""

    def __init__(self, lessons: Lessons, *, passes: int = 40, seed: int = 1) -> None:
        """Learn these decisions, going through them so many times."""
        self.network = MLPClassifier(hidden_layer_sizes=(128,), max_iter=passes, random_state=seed)
        with warnings.catch_warnings(), threadpool_limits(1):  # threads cost such a small network more than they bring
            warnings.simplefilter("ignore", ConvergenceWarning)  # it has as many passes as it was given
            self.network.fit(lessons.tensors, lessons.moves)

    def __call__(self, env: Env) -> int:
        """Return the number of the legal move that is most probable."""
        return int(self.moves(env.tensor()[None], env.mask()[None])[0])

    def moves(self, tensors: Array, masks: Array) -> Array:
        """Return the number of the most probable legal move for each row."""
        chances = np.zeros(masks.shape)
        chances[:, self.network.classes_] = self.network.predict_proba(tensors)
        best: Array = np.where(masks, chances, -1.0).argmax(axis=1)
        return best


def read(path: Path, bot: str, game: str | None = None, seats: int | None = None) -> Lessons:
    """Return what the bot itself decided in a game of the file at tables of so many seats; None is the only one.

    Raises ValueError where there is too little of it to learn from.
    """
    told = ParquetFile(path).metadata.metadata or {}
    if b"golfref" not in told:
        raise ValueError(f"{path} was not written by golfref export --with-cards")
    games = json.loads(told[b"golfref"])
    if game is None and len(games) > 1:
        raise ValueError(f"{path} has several games: name one of {', '.join(games)}")
    name = game or next(iter(games), "")
    shapes = {shape["seats"]: shape for shape in games.get(name, ())}
    if seats is None and len(shapes) > 1:
        raise ValueError(
            f"{path} has tables of {name!r} of several sizes: name one of {', '.join(map(str, shapes))} seats"
        )
    shape = shapes.get(seats or next(iter(shapes), 0), {"seats": seats or 0})
    wanted = [("bot", "=", bot), ("game", "=", name), ("seats", "=", shape["seats"]), ("asked", "=", True)]
    rows = read_table(path, filters=wanted)
    rows = rows.filter(rows["fault"].is_null())
    rows = rows.filter(rows["move"].is_valid())
    if len(set(rows["id"].to_pylist())) < KEPT:
        raise ValueError(f"{path} has decisions of {bot!r} in {name!r} of fewer than {KEPT} matches")
    codec = Codec(shape["preset"], shape["seats"], **shape["options"])
    return Lessons(
        tensors=codec.one_hot(np.stack(rows["codes"].to_numpy())),
        masks=np.stack(rows["mask"].to_numpy()),
        moves=rows["move"].to_numpy(),
        matches=rows["id"].to_numpy(),
        game=shape,
    )


def main() -> None:
    """Learn, and hold it against the bot and against chance."""
    parser = argparse.ArgumentParser(description="Learns to play like a bot of a run.")
    parser.add_argument("decisions", type=Path, help="the file that golfref export --with-cards has written")
    parser.add_argument("--bot", default="keeper", help="whom to imitate")
    parser.add_argument("--game", help="the game's name in the run, where there are several")
    parser.add_argument("--seats", type=int, help="how many seats its tables have, where there are several sizes")
    parser.add_argument("--deals", type=int, default=100, help="how many fresh deals to play")
    asked = parser.parse_args()
    try:
        lessons = read(asked.decisions, asked.bot, asked.game, asked.seats)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    is_kept = lessons.matches % KEPT == 0
    learned, kept = lessons.of(~is_kept), lessons.of(is_kept)
    imitator = Imitator(learned)
    alike = (imitator.moves(kept.tensors, kept.masks) == kept.moves).mean()
    print(f"it learned from {len(learned.moves)} decisions, and is measured by {len(kept.moves)} of other matches")
    print(f"it does what {asked.bot} did in {alike:.1%} of them; any legal move would be in {chance(kept):.1%}")
    env = Env(lessons.game["preset"], lessons.game["seats"], **lessons.game["options"] | {"rounds": 1})
    for name in ("random", "keeper"):
        print(f"against {name}: {compare(env, imitator, policy(name), deals=asked.deals, seed='fresh')}")


def chance(lessons: Lessons) -> float:
    """Return how often a legal move that the dice choose is the bot's."""
    return float((1 / lessons.masks.sum(axis=1)).mean())


if __name__ == "__main__":
    main()
