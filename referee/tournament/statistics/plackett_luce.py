"""The Plackett-Luce model with ties: one strength for each bot, from the ranks of all matches at once.

A match is told as a row of choices: its winners are chosen among all bots at the table, then those who come next among
the others, until one bot or none is left. Bots that share a rank are chosen together. A set S of k bots is chosen among
the bots that are left with a probability in proportion to

    delta_k * (product of alpha_i over S) ** (1 / k),

where alpha_i is the worth of a bot, the exponential of its strength, and delta_k says how common ties of k bots are in
that game (delta_1 = 1; a size that never came is impossible). This is Davidson's model for two bots, and for more that
of Turner, van Etten, Firth and Kosmidis, "Modelling rankings in R: the PlackettLuce package", Computational Statistics
35 (2020), 1027-1057. As there, each bot also wins half a match and loses half a match against a hypothetical bot of
strength 0. So a bot that wins everything has a finite strength, and bots that never met can be compared.

The library choix (0.4.1) has neither ties nor weights nor any measure of uncertainty, and scipy has no model of ranks.
The likelihood is log-concave, so Newton's method finds its maximum in a few steps.

Matches are sorted and counted before anything is summed, so their order has no influence. This module imports numpy, so
it is imported only where strengths are computed. It must not know what they are used for.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.tournament.statistics.rankings import Matches

PSEUDO = 0.5
"""How many matches each bot wins, and how many it loses, against the hypothetical bot."""

_MOST_STEPS = 200
_SMALL = 1e-7
"""The search ends with a step in which no parameter changes by more than this: what is left is its square."""
_CHUNK = 1 << 21
"""How many numbers a matrix has at most that is made for a part of the data at a time."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def counted(matches: Matches, names: Iterable[str] = ()) -> "Counted":
    """All matches, sorted, and the names of all bots, with these even where they have not played."""
    bots = sorted(matches.bots.keys() | set(names))
    games = sorted(matches.games)
    place = {name: number for number, name in enumerate(bots)}
    bot_of = np.array([place[name] for name in matches.bots], dtype=np.int64)
    game_of = np.array([games.index(name) for name in matches.games], dtype=np.int64)
    tables = []
    for seats, flat in sorted(matches.rows.items()):
        rows = np.frombuffer(flat, dtype=np.int64).reshape(-1, 2 + 2 * seats).copy()
        rows[:, 0] = game_of[rows[:, 0]]
        rows[:, 2 : 2 + seats] = bot_of[rows[:, 2 : 2 + seats]]
        tables.append(_table(rows, seats))
    return Counted(names=tuple(bots), games=tuple(games), tables=tables)


def model_of(matches: Matches, names: Iterable[str] = ()) -> "Model":
    """The model of all matches, with these bots even where they have not played."""
    found = counted(matches, names)
    return Model(found.names, found.games, found.tables)


class Model:
    """The likelihood of strengths and ties, given the matches.

    Every match of a game weighs the same, and so do all games; together they weigh as much as there are matches. The
    parameters are the strengths of the bots, then the logarithm of delta of each tie.
    """

    def __init__(self, names: Sequence[str], games: Sequence[str], tables: Sequence["Rows"]) -> None:
        self.names = tuple(names)
        """All bots, sorted."""
        self.matches = round(sum(float(table.counts.sum()) for table in tables))
        played = sum((_sums(table.games, table.counts, len(games)) for table in tables), np.zeros(len(games)))
        weights = self.matches / np.maximum(played, 1) / max(len(games), 1)
        choices, self.blocks = _choices(tables, weights)
        """A block is all matches of one line-up on one deal of a game."""
        self.ties = sorted({(each.game, size) for each in choices for size in each.tied()})
        """The number of the game, and the size of the tie."""
        self.together = sum((table.together(len(names)) for table in tables), np.zeros((len(names),) * 2, np.int64))
        """By bot and bot, in how many blocks both sat; by bot and itself, in how many it sat."""
        hypothetical = len(self.names) + len(self.ties)
        sizes = {game: (1, *(size for of, size in self.ties if of == game)) for game in range(max(len(games), 1))}
        ties = {tie: len(self.names) + number for number, tie in enumerate(self.ties)}
        self._groups = [_Group(each, sizes[each.game], ties) for each in choices]
        pseudo = _against(len(self.names), hypothetical, range(len(games)))
        self._pseudo = [_Group(each, sizes[each.game], ties) for each in pseudo]
        self._all = self._groups + self._pseudo
        self._parameters = hypothetical

    def fit(self, weights: Floats | None = None, *, start: Floats | None = None) -> Floats:
        """The parameters of greatest likelihood.

        `weights` says how often each block counts; None means once. Raises ArithmeticError where the search fails.
        """
        x = np.zeros(self._parameters) if start is None else start
        tally = self._tally(weights)
        value, slope, curvature = self._likelihood(x, tally)
        for _ in range(_MOST_STEPS):
            step, scale = np.linalg.solve(curvature, slope), 1.0
            if np.max(np.abs(step), initial=0.0) < _SMALL:
                return x + step
            found = self._likelihood(x + step, tally)
            while not found[0] >= value - 1e-9 * abs(value) and scale > _SMALL:
                scale /= 2
                found = self._likelihood(x + scale * step, tally)
            x = x + scale * step
            value, slope, curvature = found
        raise ArithmeticError("no strengths were found that explain the matches best")

    def spread(self, x: Floats) -> "Spread":
        """How far the strengths at these parameters, those of greatest likelihood, would vary."""
        bots = len(self.names)
        moved = np.linalg.inv(self._likelihood(x, self._tally(None))[2])[:, :bots]
        by_blocks = np.zeros((bots, bots))
        for scores in self._scores(self._groups, self.blocks, x):
            by_blocks += (scores @ moved).T @ (scores @ moved)
        by_pseudo = np.zeros((bots, bots))
        for scores in self._scores(self._pseudo, 2 * bots, x):
            by_pseudo += (scores @ moved).T @ (scores @ moved) / PSEUDO
        return Spread(by_blocks=by_blocks, by_pseudo=by_pseudo)

    def _scores(self, groups: Sequence["_Group"], blocks: int, x: Floats) -> Iterator[Floats]:
        """The gradients of the blocks at these parameters, many at a time: a row for each block."""
        padded = np.append(x, 0.0)
        means = [each.means(padded) for each in groups]
        size = len(padded)
        step = max(1, _CHUNK // size)
        for first in range(0, blocks, step):
            many = min(step, blocks - first)
            slopes = np.zeros(many * size)
            for each, mean in zip(groups, means, strict=True):
                each.add_scores(mean, first, many, slopes)
            yield slopes.reshape(many, size)[:, :-1]

    def _tally(self, weights: Floats | None) -> "_Tally":
        size = self._parameters + 1  # the hypothetical bot comes last and stays at 0
        counts = [each.count(weights) for each in self._groups] + [each.count(None) for each in self._pseudo]
        return _Tally(
            chosen=sum(
                (each.wins(some, size) for each, (some, _) in zip(self._all, counts, strict=True)), np.zeros(size)
            ),
            asked=[asked for _, asked in counts],
        )

    def _likelihood(self, x: Floats, tally: "_Tally") -> tuple[float, Floats, Floats]:
        """The logarithm of the likelihood at these parameters, its gradient, and its negative second derivatives."""
        padded, slope = np.append(x, 0.0), tally.chosen.copy()
        curvature = np.zeros(len(slope) ** 2)
        value = float(padded @ tally.chosen)
        for each, asked in zip(self._all, tally.asked, strict=True):
            value -= each.explain(padded, asked, slope, curvature)
        return value, slope[:-1], curvature.reshape(len(slope), -1)[:-1, :-1]


class Spread(Struct, frozen=True, kw_only=True):
    """The covariance of strengths, by bot and bot. The variances of both parts add up."""

    by_blocks: Floats
    """As other blocks would have moved them. It is the covariance of a bootstrap in which each block of the run counts
    as often as it is drawn, and strengths move by one step of Newton's method (score bootstrap: Hu and Zidek 1995;
    Kline and Santos 2012), for endlessly many draws: that limit needs no draws, since it is the inverse of the
    curvature, times the sum over blocks of the outer products of their gradients, times the inverse."""
    by_pseudo: Floats
    """As if matches against the hypothetical bot came as Poisson numbers, whose mean and variance are PSEUDO. It keeps
    a bot that won everything from a strength that is known exactly."""


class _Tally(Struct, kw_only=True):
    """What the likelihood needs to know of the matches."""

    chosen: Floats
    """By parameter, how often it was chosen."""
    asked: list[Floats]
    """For each of the groups of choices, by different bots among whom was chosen, how often that was."""


class Counted(Struct, kw_only=True):
    """Matches in an order that follows from what they are."""

    names: tuple[str, ...]
    """Those of bots, sorted, as are those of games."""
    games: tuple[str, ...]
    tables: "list[Rows]"
    """By the number of seats, in rising order."""


class Rows(Struct, kw_only=True):
    """Matches with equally many seats. Equal ones of a block are one row, and all is sorted."""

    games: Ints
    bots: Ints
    """Numbers of bots by row, in rising order, and their ranks."""
    ranks: Ints
    counts: Floats
    """By row, how many matches it stands for."""
    is_new_block: NDArray[np.bool_]
    """By row, whether it is the first of a block."""

    def together(self, bots: int) -> Ints:
        """By bot and bot, in how many blocks both sat."""
        some = self.bots[self.is_new_block]
        places = some[:, :, None] * bots + some[:, None, :]
        return np.bincount(places.ravel(), minlength=bots * bots).reshape(bots, bots)


def _table(rows: Ints, seats: int) -> Rows:
    """Sort and count rows of game, deal, bots and ranks."""
    bots = rows[:, 2 : 2 + seats]
    order = np.argsort(bots, axis=1)
    rows[:, 2 : 2 + seats] = np.take_along_axis(bots, order, axis=1)
    rows[:, 2 + seats :] = np.take_along_axis(rows[:, 2 + seats :], order, axis=1)
    rows, which = _different(rows)
    ranks = rows[:, 2 + seats :]
    told = rows[:, : 2 + seats]
    return Rows(
        games=rows[:, 0],
        bots=told[:, 2:],
        ranks=1 + (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2),
        counts=np.bincount(which).astype(np.float64),
        is_new_block=np.append(True, (told[1:] != told[:-1]).any(axis=1)),
    )


def _different(rows: Ints) -> tuple[Ints, Ints]:
    """The different rows, sorted, and for each row its place among them."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    which = np.empty(len(rows), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return ordered[new], which


class _Choices(Struct, kw_only=True):
    """All choices among equally many bots in one game, in a fixed order."""

    game: int
    bots: Ints
    """Among whom, by choice."""
    chosen: NDArray[np.bool_]
    """Who of them."""
    weights: Floats
    blocks: Ints
    """The number of the block, by choice."""

    def tied(self) -> set[int]:
        """How many were chosen together, where it was more than one."""
        return {size for size in self.chosen.sum(axis=1).tolist() if size > 1}


def _choices(tables: Sequence[Rows], weights: Floats) -> tuple[list[_Choices], int]:
    """All choices by game and the number of bots left, and how many blocks there are. `weights` are those of games."""
    found: dict[tuple[int, int], list[_Choices]] = {}
    blocks = 0
    for table in tables:
        block = blocks + np.cumsum(table.is_new_block) - 1
        blocks = int(block[-1]) + 1
        seats = table.bots.shape[1]
        for rank in range(1, seats):
            some = (table.ranks == rank).any(axis=1)
            for game in sorted(set(table.games[some].tolist())):  # np.unique imports masked arrays: 30 ms
                here = some & (table.games == game)
                ranks, left = table.ranks[here], seats - rank + 1
                those = ranks >= rank
                choices = _Choices(
                    game=game,
                    bots=table.bots[here][those].reshape(-1, left),
                    chosen=(ranks == rank)[those].reshape(-1, left),
                    weights=table.counts[here] * weights[game],
                    blocks=block[here],
                )
                found.setdefault((int(game), left), []).append(choices)
    return [_joined(some) for _, some in sorted(found.items(), key=lambda pair: pair[0])], blocks


def _joined(choices: Sequence[_Choices]) -> _Choices:
    return _Choices(
        game=choices[0].game,
        bots=np.concatenate([each.bots for each in choices]),
        chosen=np.concatenate([each.chosen for each in choices]),
        weights=np.concatenate([each.weights for each in choices]),
        blocks=np.concatenate([each.blocks for each in choices]),
    )


def _against(bots: int, hypothetical: int, games: Sequence[int]) -> list[_Choices]:
    """The matches of all bots against the hypothetical one: first what they win, then what they lose.

    They are shared among the games. Without any game they belong to none.
    """
    pairs = np.column_stack([np.arange(bots), np.full(bots, hypothetical)])
    return [
        _Choices(
            game=game,
            bots=np.concatenate([pairs, pairs]),
            chosen=np.repeat(np.array([[True, False], [False, True]]), bots, axis=0),
            weights=np.full(2 * bots, PSEUDO / max(len(games), 1)),
            blocks=np.arange(2 * bots),
        )
        for game in games or (0,)
    ]


class _Group:
    """Choices among equally many bots in one game, ready for the likelihood.

    What can be chosen is a row of features: 1 / k for each of its k bots, and 1 for its size if that is a tie. The
    logarithm of its weight is the product of the features and their parameters.
    """

    def __init__(self, choices: _Choices, sizes: Sequence[int], ties: dict[tuple[int, int], int]) -> None:
        left = choices.bots.shape[1]
        sizes = [size for size in sizes if size <= left]
        self._features = np.array(
            [_features(some, left, sizes) for k in sizes for some in combinations(range(left), k)]
        )
        self._bots, self._group = _different(choices.bots)
        those = np.array([ties[choices.game, size] for size in sizes[1:]], dtype=np.int64)
        self._parameters = np.hstack([self._bots, np.broadcast_to(those, (len(self._bots), len(those)))])
        many = choices.chosen.sum(axis=1)
        is_tie = [(many == size)[:, None] for size in sizes[1:]]
        self._chosen = np.hstack([choices.chosen / many[:, None], *is_tie]).astype(np.float64)
        self._weights, self._blocks = choices.weights, choices.blocks

    def count(self, counts: Floats | None) -> tuple[Floats, Floats]:
        """What each choice weighs if blocks count so often, and what all choices among the same bots weigh together."""
        weights = self._weights if counts is None else self._weights * counts[self._blocks]
        return weights, _sums(self._group, weights, len(self._bots))

    def wins(self, weights: Floats, size: int) -> Floats:
        """By parameter, how often it was chosen if choices weigh so much."""
        places = self._parameters[self._group]
        return _sums(places, self._chosen * weights[:, None], size)

    def explain(self, x: Floats, asked: Floats, slope: Floats, curvature: Floats) -> float:
        """Subtract what is expected from the slope, add to the curvature, and give the logarithm of all weights."""
        value, width = 0.0, self._features.shape[1]
        products = (self._features[:, :, None] * self._features[:, None, :]).reshape(-1, width * width)
        for part in self._parts():
            parameters, weights = self._parameters[part], asked[part]
            logarithms, chances = self._chances(x, part)
            value += float((weights * logarithms).sum())
            means = chances @ self._features
            slope -= _sums(parameters, weights[:, None] * means, len(slope))
            seconds = (chances @ products).reshape(-1, width, width) - means[:, :, None] * means[:, None, :]
            places = parameters[:, :, None] * len(slope) + parameters[:, None, :]
            curvature += _sums(places, weights[:, None, None] * seconds, len(curvature))
        return value

    def means(self, x: Floats) -> Floats:
        """By group of bots, what the features of the choice are on average."""
        return np.concatenate([self._chances(x, part)[1] @ self._features for part in self._parts()])

    def add_scores(self, means: Floats, first: int, many: int, slopes: Floats) -> None:
        """Add the gradients of these blocks."""
        here = (self._blocks >= first) & (self._blocks < first + many)
        group, size = self._group[here], len(slopes) // many
        surplus = self._weights[here, None] * (self._chosen[here] - means[group])
        places = (self._blocks[here, None] - first) * size + self._parameters[group]
        slopes += _sums(places, surplus, len(slopes))

    def _parts(self) -> Iterator[slice]:
        step = max(1, _CHUNK // max(len(self._features), self._features.shape[1] ** 2))
        return (slice(first, first + step) for first in range(0, len(self._bots), step))

    def _chances(self, x: Floats, part: slice) -> tuple[Floats, Floats]:
        """By group of bots, the logarithm of the sum of all weights, and how likely each choice is."""
        logarithms = x[self._parameters[part]] @ self._features.T
        most = logarithms.max(axis=1)
        weights = np.exp(logarithms - most[:, None])
        sums = weights.sum(axis=1)
        return most + np.log(sums), weights / sums[:, None]


def _features(some: Sequence[int], left: int, sizes: Sequence[int]) -> list[float]:
    of_bots = [1 / len(some) if place in some else 0.0 for place in range(left)]
    return of_bots + [float(len(some) == size) for size in sizes[1:]]


def _sums(places: Ints, values: Floats, size: int) -> Floats:
    """By place, the sum of its values, which are added in their order."""
    return np.bincount(places.ravel(), values.ravel(), size).astype(np.float64, copy=False)
