"""The games in OpenSpiel: `pyspiel.load_game("python_golf(preset=six-card,players=2)")` once this module is imported.

Chance is explicit: each card is a chance node when it is dealt or taken from the stock, and so is who is first among
several slaps. README.md in this folder has the consequences for algorithms.
"""

import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from protocol.cards import Card
from referee.research.adapters.picture import Picture
from referee.research.adapters.tree import Path, Tree
from referee.research.arguments import default_seats, variant_for
from referee.research.env import Env, by_points
from referee.research.moves import Begin, Begun, Move, Then, grows
from referee.rules.check_options import BadOptions, OptionProblem, seat_problem
from referee.rules.match import MOST_PLAYOFFS, MOST_ROUNDS
from referee.rules.secrets import view
from referee.rules.variants import Variant, deck, has_up_card, size

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"this needs OpenSpiel, which is not installed; `{sys.executable} -m pip install 'open_spiel>=1.5'` brings it, "
        "and so does the extra `openspiel` of golfref",
        name=error.name,
    ) from None

NAME = "python_golf"

PARAMETERS = {"preset": "six-card", "players": 0, "rounds": 1, "options": "", "pack": ""}
"""Those of the game with their defaults. 0 players are as many as the game advises; 0 rounds are as many as it has."""

_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Golf, the card game",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=32,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=PARAMETERS,
)


def load(
    preset: str, players: int = 0, *, rounds: int = 1, pack: Sequence[Card] = (), **options: Any
) -> "pyspiel.Game":
    """Return the game of OpenSpiel, with options of RULES.md section 21; raises ValueError as `Env` does.

    `rounds` 0 plays as many as the game has. `pack` has other cards than the game's own, for games small enough to be
    solved.
    """
    settings = {"preset": preset, "players": players, "rounds": rounds, "pack": " ".join(pack)}
    return pyspiel.load_game(
        NAME, {**settings, "options": ";".join(f"{key}:{_written(options[key])}" for key in options)}
    )


class GolfGame(pyspiel.Game):
    """A game with its options and its number of players."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(params or {})}
        options = _options(given["options"])
        if given["rounds"] < 0:
            raise BadOptions([OptionProblem("rounds", f"expected 0 (as the game has) or more, got {given['rounds']}")])
        has_course = bool(variant_for(given["preset"], options).options.course)
        if given["rounds"] > has_course:  # a course is played as a whole
            options.setdefault("rounds", given["rounds"])
        variant = variant_for(given["preset"], options)
        seats = given["players"] or default_seats(variant)
        if problem := seat_problem(variant, seats):
            raise BadOptions([OptionProblem("players", problem.text)])
        if seats < 2:
            raise BadOptions([OptionProblem("players", f"expected at least 2 here, got {seats}")])
        self.tree = Tree(variant, seats, _pack(variant, seats, given["pack"]))
        self.picture = Picture(
            title=variant.preset,
            names=tuple(f"player {seat}" for seat in range(seats)),
            rows=variant.rows,
            columns=variant.columns,
        )
        bound = _most_points(variant, seats, len(self.tree.pack))
        self.most_rounds = (variant.options.rounds or MOST_ROUNDS) + MOST_PLAYOFFS * (
            variant.options.tiebreak == "playoff"
        )
        turns = self.most_rounds * variant.options.turn_cap * seats
        steps = _steps_a_turn(variant, seats)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.tree.template.codec.size,
            max_chance_outcomes=max(len(self.tree.cards), seats),
            num_players=seats,
            min_utility=-2.0 * bound * self.most_rounds,
            max_utility=2.0 * bound * self.most_rounds,
            utility_sum=0.0,
            max_game_length=turns * steps + self.most_rounds * seats * (size(variant) + 2),
        )
        self._most_chance_nodes = self.most_rounds * len(self.tree.pack) + turns * steps
        super().__init__(_TYPE, info, given)
        self.beginning = Path(self.tree)

    def new_initial_state(self) -> "GolfState":
        """Return a state before the first card is dealt."""
        return GolfState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return a number that the chance nodes of no match exceed."""
        return self._most_chance_nodes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "GolfObserver":
        """Return what tells a player's view of a state."""
        return GolfObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class GolfState(pyspiel.State):
    """A state of a match. All of it is in `path`."""

    def __init__(self, game: GolfGame) -> None:
        super().__init__(game)
        self.path = game.beginning.copy()

    # What OpenSpiel asks

    def current_player(self) -> int:
        """Return whose turn it is: a player's number, that of chance, or that of the end."""
        seat = self.path.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.path.seat is None

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.path.env.numbers()) if player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of this chance node with their probabilities."""
        return self.path.outcomes()

    def _apply_action(self, action: int) -> None:
        if self.path.need is not None:
            self.path.settle(action)
        else:
            self.path.move(action)

    def _action_to_string(self, player: int, action: int) -> str:
        game, need = self.get_game(), self.path.need
        if player == pyspiel.PlayerId.CHANCE:
            if need is not None and need.order.of == "lots":
                return f"player {_below(self.num_players(), action)} slaps first"
            return game.tree.cards[_below(len(game.tree.cards), action)]
        if self.path.seat == player and action in self.path.env.numbers():
            return in_words(self.path.env.move(action))
        return in_words(game.tree.template.codec.moves[_below(game.num_distinct_actions(), action)])

    def returns(self) -> list[float]:
        """Return by how many points each player is below the mean of the others; zeros before the end."""
        if not self.is_terminal():
            return [0.0] * self.num_players()
        return [*by_points(self.path.env.result.totals, 1.0)]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "GolfState":
        """Return another state that this player cannot tell from the present one, drawn as `Env.resample` draws it.

        `sampler` returns numbers from 0 up to, but not including, 1. What other players have answered to a question
        that is still open they answer again at random. Raises referee.research.resample.TooRare where no state was
        found in bounded time.
        """
        dice = Random(int(sampler() * 2**53))  # noqa: S311 - no secret
        state: GolfState = self.get_game().new_initial_state()
        for number in self.path.resampling(state.path, player, dice):
            state.apply_action(number)
        return state

    def __str__(self) -> str:
        path = self.path
        settled = " / ".join(f"{order.of} {' '.join(map(str, pieces))}" for order, pieces in path.settled.items())
        moves = f"chance {settled}\nmoves {' '.join(map(str, path.numbers))}\n"
        if path.need is not None:
            return f"{moves}chance settles {path.need.order.of} of round {path.need.order.round}"
        ask = path.env.ask
        asked = "the match is over" if ask is None else f"player {ask.seat} decides {ask.decision}"
        return moves + self.get_game().picture.text(path.env.game, asked)


class GolfObserver:
    """What a player knows of a state: `tensor` and `dict` after `set_from`, or a text.

    With `perfect_recall` the text has everything that the player was told and has answered, and there is no tensor;
    without it the text is the table as the player knows it now, and the tensor that of `Env.tensor`.
    """

    def __init__(self, game: GolfGame, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers of {NAME} have no parameters; got {params}")
        self._game = game
        self._recalls = kind.perfect_recall
        self._public = kind.public_info
        self._private = kind.private_info
        own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        has_tensor = own and kind.public_info and not kind.perfect_recall
        self.tensor = np.zeros(game.tree.template.codec.shape, np.float32) if has_tensor else None
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: GolfState, player: int) -> None:
        """Fill the tensor with what the player knows of the state."""
        env = state.path.seen
        if self.tensor is not None and env is not None:
            self.tensor[:] = env.tensor(player)
        elif self.tensor is not None:
            self.tensor.fill(0)

    def string_from(self, state: GolfState, player: int) -> str:
        """Return what the player knows of the state, as text."""
        env = state.path.seen
        if env is None:
            return ""
        if self._private == pyspiel.PrivateInfoType.ALL_PLAYERS:
            return "\n".join(self._text(env, seat) for seat in range(env.seats))
        if self._private == pyspiel.PrivateInfoType.NONE:
            return self._text(env, None) if self._public else ""
        return self._text(env, player)

    def _text(self, env: Env, viewer: int | None) -> str:
        """What a seat, or the public, was told and has answered; without public information, what only it knows."""
        if not self._public:
            secret = [
                _line(view(event, viewer)) for event in env.game.events if view(event, viewer) != view(event, None)
            ]
            return "\n".join([*secret, *_own(env, viewer)]) if viewer is not None else ""
        if self._recalls:
            return "\n".join([f"player {viewer}", *map(_line, env.game.seen(viewer)), *_own(env, viewer)])
        asked = "" if env.ask is None or env.ask.seat != viewer else env.ask.decision
        picture = structs.replace(self._game.picture, viewer=viewer)
        return "\n".join([f"player {viewer}", picture.text(env.game, asked), *_own(env, viewer, 1)])


def _own(env: Env, seat: int | None, latest: int = 0) -> list[str]:
    """What a seat has answered so far, and what it has begun to answer; the `latest` so many of it, 0 for all."""
    own: list[Any] = [action for of, action in env.history if of == seat]
    own += [env.begun] * (env.seat == seat)
    return [repr(one) if isinstance(one, Begun) else _line(one) for one in own[-latest:]]


def _line(message: Any) -> str:
    return msgspec.json.encode(message).decode()


def in_words(move: Move) -> str:
    """Return a move as one line: its kind, and what it chooses."""
    fields = " ".join(f"{name}={_short(getattr(move, name))}" for name in move.__struct_fields__)
    kind = type(move).__name__ if isinstance(move, (Begin, Then)) else move.__struct_config__.tag
    return f"{str(kind).lower()} {fields}".rstrip()


def _short(value: Any) -> str:
    return ":".join(map(_short, value)) if isinstance(value, tuple) else str(value)


# Parameters


def _options(text: str) -> dict[str, Any]:
    """The options in `turn_cap:5;knock_penalty:add:10;cancel:[col row]`.

    OpenSpiel leaves neither `=` nor a comma to a parameter.
    """
    options = {}
    for one in filter(None, map(str.strip, text.split(";"))):
        name, colon, value = one.partition(":")
        if not colon:
            raise ValueError(f"options: expected NAME:VALUE with ; between them, got {one!r}")
        options[name.strip()] = _value(value.strip())
    return options


def _value(text: str) -> Any:
    if text[:1] == "[":
        return [_value(one) for one in text.strip("[]").split()]
    if text[:1] == "{":
        pairs = (one.partition(":") for one in text.strip("{}").split())
        return {name: _value(value) for name, _, value in pairs}
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _written(value: Any) -> str:
    """An option's value as `_value` reads it."""
    if isinstance(value, (list, tuple)):
        return f"[{' '.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        return "{" + " ".join(f"{name}:{_written(one)}" for name, one in value.items()) + "}"
    return str(value).lower() if isinstance(value, (bool, type(None))) else str(value)


def _pack(variant: Variant, seats: int, text: str) -> tuple[Card, ...]:
    """The cards that are shuffled: the game's own, or those of the text."""
    own = deck(variant, seats)
    if not text:
        return own
    cards = tuple(text.split())
    if strange := [card for card in cards if card not in own]:
        raise BadOptions([OptionProblem("pack", f"{strange[0]} is no card of {variant.preset}")])
    if len(cards) < (needed := seats * size(variant) + has_up_card(variant) + 1):
        raise BadOptions(
            [OptionProblem("pack", f"expected at least {needed} cards for {seats} players, got {len(cards)}")]
        )
    return cards


# Bounds


def _below(count: int, action: int) -> int:
    if 0 <= action < count:
        return action
    raise ValueError(f"action: expected a number from 0 to {count - 1}, got {action}")


def _most_points(variant: Variant, seats: int, cards: int) -> float:
    """No round counts more points for a seat, or against it."""
    options = variant.options
    dearest = max((abs(points) for points in variant.card_points.values()), default=0)
    rows = [abs(rule.score) for rule in options.par_table.rules if isinstance(rule.score, int)]
    of_cards = (cards if grows(variant) else size(variant)) * dearest + variant.rows * max(rows, default=0)
    bonuses = (options.block_bonus, options.straight_score, options.kings_side, options.moon_at)
    of_bonuses = size(variant) * sum(abs(bonus or 0) for bonus in bonuses)
    penalty = options.knock_penalty or ""
    of_knocker = int(penalty.removeprefix("add:")) if penalty.startswith("add:") else 5 + 2 * seats
    return float((of_cards + of_bonuses) * max(2, options.cactus_knock[1]) + of_knocker)


def _steps_a_turn(variant: Variant, seats: int) -> int:
    """No turn has more moves of all seats together, nor more chance nodes."""
    windows = seats * (options.slap_tries + 1) * 8 if (options := variant.options).slaps else 0
    powers = 12 * (2 * size(variant) + 8) if variant.play in ("cambio", "cactus", "powers") else 0
    return 4 + windows + powers


pyspiel.register_game(_TYPE, GolfGame)
