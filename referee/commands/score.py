"""score: layouts that somebody wrote down, scored."""

import sys
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from referee.commands.console import CHECK_FAILED, DONE, USAGE, put, say
from referee.rules.check_options import BadOptions
from referee.rules.scoring.by_hand import Scores, score_grids, scoring_variant
from referee.rules.scoring.grid import BadGrid
from referee.rules.variants import UnknownVariant


class ScoreRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of `score --jsonl`."""

    preset: str
    options: dict[str, Any] = {}
    grids: tuple[str, ...]
    ender: int | None = None


class ScoreError(Struct, frozen=True, kw_only=True):
    """Why a line could not be scored."""

    error: str


def score(name: str, grids: list[str], changes: Mapping[str, Any], ender: int | None) -> int:
    """Print raw and round scores of layouts that somebody wrote down."""
    try:
        scored = score_grids(scoring_variant(name, changes), grids, ender)
    except (UnknownVariant, BadOptions, BadGrid) as error:
        say(f"golfref: {error}")
        return USAGE
    for grid, raw, points in zip(grids, scored.raw, scored.scores, strict=True):
        adjusted = "" if raw == points else f" (raw {raw})"
        put(f"{points}{adjusted}  {grid}")
    return DONE


def score_lines() -> int:
    """Score the JSON requests on stdin, one a line. A line that cannot be scored is answered with its error."""
    failed = False
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        answer = score_line(line)
        failed = failed or isinstance(answer, ScoreError)
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()  # a program that asks line by line waits for each answer
    return CHECK_FAILED if failed else DONE


_DECODER = msgspec.json.Decoder(ScoreRequest)


def score_line(line: bytes) -> Scores | ScoreError:
    """The answer to a line of `score --jsonl`."""
    try:
        request = _DECODER.decode(line)
        variant = scoring_variant(request.preset, request.options)
        return score_grids(variant, request.grids, request.ender)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, UnknownVariant, BadOptions, BadGrid) as error:
        return ScoreError(error=str(error))
