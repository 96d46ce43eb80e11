"""Arguments and options that mean the same in several commands."""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.errors import CommandError

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a bot was at fault.")]
OptionList = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="Change an option of the game, such as rounds=4; the value is TOML or JSON, or one bare word.",
    ),
]
RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")]
MatchOf = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="A match of a run as RUN:17, a game of a record file as FILE:1, or a match of `export --bot` as FILE:17.",
    ),
]
BotOf = Annotated[
    str | None,
    typer.Option("--bot", metavar="NAME", help="Whose match: the name of its bot, or the number of its seat."),
]
Game = Annotated[
    str | None, typer.Option("--variant", metavar="NAME", help="Of this game only, by its name in the run.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]
Preset = Annotated[str, typer.Argument(metavar="VARIANT", help="A game; `golfref variants` lists them.")]


def one_of(*words: str) -> Callable[[str], str]:
    """A parser of an option that is one of these words."""

    def parse(text: str) -> str:
        if text not in words:
            raise typer.BadParameter(f"expected {' or '.join(words)}, got {text!r}")
        return text

    return parse


def refuse(option: str, others: Mapping[str, object]) -> None:
    """Raise CommandError where one of these others is given, which have no effect with the option."""
    if stray := [name for name, value in others.items() if value is not None and value is not False and value != ""]:
        raise CommandError(f"{option}: {stray[0]} has no effect with it; leave one of them out")


def changes(options: list[str] | None) -> dict[str, Any]:
    """Option changes from `key=value`."""
    changes: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(f"expected KEY=VALUE, got {text!r}", param_hint="--option")
        changes[key.strip()] = _value(key.strip(), value.strip())
    return changes


def _value(key: str, text: str) -> Any:
    """An option's value, which is written as in TOML or in JSON; what is neither is a string, unless it begins as one.

    Raises typer.BadParameter.
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        as_toml = error
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text[:1] not in ("{", "[", '"', "'"):
            return text
        problem = f"`{key}`: as TOML: {as_toml}; as JSON: {error}"
        raise typer.BadParameter(problem, param_hint="--option") from None
