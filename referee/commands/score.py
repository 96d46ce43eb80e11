"""score: layouts that somebody wrote down, scored."""

import sys
from typing import Annotated, Any

import msgspec
import typer
from msgspec import Struct

from referee.commands.console import put
from referee.commands.options import OptionList, changes, refuse
from referee.errors import CHECK_FAILED, DONE, CommandError
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


def score(
    variant: Annotated[str | None, typer.Argument(metavar="VARIANT", help="The game.")] = None,
    grids: Annotated[
        list[str] | None,
        typer.Argument(metavar="GRID...", help='A layout for each seat, quoted: "KS 5H 9D / KD AC 9S".'),
    ] = None,
    option: OptionList = None,
    ender: Annotated[int | None, typer.Option(min=0, help="The seat that knocked or ended the round.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Score the JSON requests on stdin, one a line.")] = False,
) -> int:
    """Score layouts by hand: the points of each seat in the round, and the raw sum where it differs.

    Example: golfref score six-card "KS 5H 9D / KD AC 9S" "2C 2D 3S / 7H 8D QS"
    """
    if jsonl:
        refuse("--jsonl", {"VARIANT": variant, "--option": option, "--ender": ender})
        return score_lines()
    if variant is None or not grids:
        raise CommandError("expected VARIANT and at least one GRID, or --jsonl")
    scored = score_grids(scoring_variant(variant, changes(option)), grids, ender)
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
