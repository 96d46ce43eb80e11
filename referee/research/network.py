"""A trained policy in a file: a plain network of numpy arrays, and the game that it plays.

The file is an npz with these arrays:

* `game`: JSON text, as `{"preset": "six-card", "seats": 2, "options": {"rounds": 1}, "derived": true}`;
* `w1`, `b1`, `w2`, `b2`, ...: the layers. `w1` has a row for each value of the tensor (`Codec.shape`), the last layer a
  column for each number (`Codec.size`). Between two layers stands tanh.

The policy plays the legal number with the highest output. `golfref new --policy` makes a bot of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from referee.research.codec import Codec
from referee.research.tensors import Tensor

if TYPE_CHECKING:
    from referee.research.env import Env

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


class BadPolicy(ValueError):
    """The file is no policy; the text says what it lacks."""


class Network:
    """A policy: `network(env)` is the number that it plays, as `policies.play` and `policies.compare` take it."""

    def __init__(self, codec: Codec, layers: list[Layer]) -> None:
        """Take weights and biases, layer by layer. Raises BadPolicy where they do not fit each other or the codec."""
        self.codec, self.layers = codec, layers
        widths = [codec.shape[0], *(weights.shape[-1] for weights, _ in layers)]
        for number, ((rows, columns), (weights, bias)) in enumerate(
            zip(pairwise(widths), layers, strict=True), start=1
        ):
            if weights.shape != (rows, columns) or bias.shape != (columns,):
                expected = f"expected w{number} of shape ({rows}, n) and b{number} of shape (n,)"
                raise BadPolicy(f"layer {number}: {expected}, got {weights.shape} and {bias.shape}")
        if widths[-1] != codec.size or not layers:
            raise BadPolicy(f"the last layer has {widths[-1]} outputs, and the game has {codec.size} numbers")

    def outputs(self, tensors: Tensor) -> NDArray[np.float32]:
        """Return the outputs for tensors, of shape (..., codec.size)."""
        values = tensors
        for weights, bias in self.layers[:-1]:
            values = np.tanh(values @ weights + bias)
        weights, bias = self.layers[-1]
        return values @ weights + bias

    def best(self, tensors: Tensor, masks: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the legal number with the highest output for each row."""
        best: NDArray[np.intp] = np.where(masks, self.outputs(tensors), -np.inf).argmax(axis=-1)
        return best

    def __call__(self, env: Env) -> int:
        """Return the number that it plays."""
        return int(self.best(self.codec.one_hot(env.kept_codes()), env.legal_mask))

    def fits(self, codec: Codec) -> bool:
        """Return whether it can play by this codec: the same game at a table of the same size. Rounds may differ."""
        own = self.codec
        is_same = (own.variant.preset, own.seats) == (codec.variant.preset, codec.seats)
        return is_same and own.layout.at == codec.layout.at and own.moves.fingerprint == codec.moves.fingerprint

    def save(self, path: Path) -> None:
        """Write the policy as a file."""
        codec = self.codec
        from referee.competition.at_home import fewest_options  # noqa: PLC0415 - a bot does without it

        options = fewest_options(codec.variant)
        game = {"preset": codec.variant.preset, "seats": codec.seats, "options": options, "derived": codec.derived}
        arrays: dict[str, Any] = {"game": np.array(json.dumps(game))}
        for number, (weights, bias) in enumerate(self.layers, start=1):
            arrays |= {f"w{number}": weights, f"b{number}": bias}
        np.savez(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read a policy. Raises BadPolicy, and OSError where the file cannot be read."""
        try:
            with np.load(path) as file:
                arrays = dict(file)
        except (ValueError, BadZipFile, EOFError) as error:
            raise BadPolicy(f"{path} is no npz file ({error})") from None
        try:
            return _made(arrays)
        except (ValueError, TypeError) as error:
            raise BadPolicy(f"{path}: {error}") from None


def _made(arrays: Mapping[str, NDArray[Any]]) -> Network:
    if "game" not in arrays:
        raise BadPolicy('there is no array `game`; expected JSON text such as {"preset": "six-card", "seats": 2}')
    game = json.loads(str(arrays["game"]))
    codec = Codec(game["preset"], game["seats"], derived=game.get("derived", False), **game.get("options", {}))
    layers: list[Layer] = []
    while (name := f"w{len(layers) + 1}") in arrays:
        bias = f"b{len(layers) + 1}"
        if bias not in arrays:
            raise BadPolicy(f"there is {name}, and no {bias}")
        layers.append((arrays[name].astype(np.float32), arrays[bias].astype(np.float32)))
    return Network(codec, layers)
