"""What the commands of several groups share: the application, and arguments that mean the same everywhere."""

from typing import Annotated, Any, Optional

import typer

app = typer.Typer(
    help="Referee and arena for programs that play Golf, the card game.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a bot was at fault.")]
OptionList = Annotated[
    Optional[list[str]],
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="Change an option of the game, such as rounds=4; the value is TOML or JSON, or one bare word.",
    ),
]
MatchOf = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="A match of a run as RUN:17, a game of a record file as FILE:1, or a match of `export-bot` as FILE:17.",
    ),
]
BotOf = Annotated[
    Optional[str],
    typer.Option("--bot", metavar="NAME", help="Whose match: the name of its bot, or the number of its seat."),
]
Preset = Annotated[str, typer.Argument(metavar="VARIANT", help="A game; `golfref variants` lists them.")]


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
    import json
    import tomllib

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
