"""All commands of golfref, a row each. A command's module is imported when it is called or its help is asked for."""

import contextlib
import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from math import isfinite
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from protocol.text import printable
from referee import __version__
from referee.commands.console import say
from referee.errors import EXIT_CODES, HOST_FAILED, INTERRUPTED, LONGEST_LINE, USAGE, GolfrefError


class Row(NamedTuple):
    """A command."""

    name: str
    module: str
    """Within this package. Its function of the command's name takes the options and returns the exit code."""
    help: str
    """What it does, in one line."""


GROUPS = {
    "Write a bot": (
        Row("new", "new", "Begin a bot: a project with a bot that plays every game, and a small tournament."),
        Row("check", "entrants.check", "Check whether a bot, or each bot of a competition, keeps the protocol."),
        Row("match", "match.match", "Play games between given bots; print one game, or what several come to."),
        Row("play", "match.play", "Play against bots yourself, on this terminal."),
        Row("replay", "recorded.replay", "Show a match again: in words, on the terminal, as a page or as data."),
        Row(
            "transcript",
            "recorded.transcript",
            "Print every line that a bot was sent and wrote, with times and faults.",
        ),
        Row("rerun", "match.rerun", "Send a recorded match to today's build: where does it answer differently?"),
    ),
    "Run a competition": (
        Row("tournament", "tournament.command", "Run a tournament, or go on with one, and print the standings."),
        Row("submit", "entrants.submit", "Take a new version of an entry: unpack, build, check, put in place."),
        Row("entries", "entrants.entries", "List the entries of a config, with version, owner, build and last check."),
        Row("watch", "runs.watch", "Follow a run on this terminal while it is played, match by match."),
        Row("key", "runs.key", "Make a master key, to share among shards or to announce its commitment."),
        Row("merge", "runs.merge", "Put the shards of a run together, after checking that they fit."),
    ),
    "Look at a run": (
        Row("standings", "runs.standings", "Print a run's tables: all, of one game, of one bot, or of its hosts."),
        Row(
            "compare", "runs.compare", "Print which of two bots is better, how sure that is, and what would settle it."
        ),
        Row("highlights", "runs.highlights", "List the moments of a run that are worth seeing."),
        Row("site", "runs.site", "Make a static site of a run, with matches to step through."),
        Row("plot", "runs.plot", "Draw a run as SVG pictures."),
        Row("export", "runs.export", "Write a table of a run, or one bot's matches, for other programs."),
        Row("publish", "runs.publish", "Publish a run: a dated folder that `golfref verify` checks anywhere."),
        Row("verify", "runs.verify", "Check every deal, answer and score of a run, a record or a bundle again."),
    ),
    "Games, pages and this machine": (
        Row("variants", "variants", "List the games, a line each, with --json also their options."),
        Row("rules", "rules", "Explain a game and its options."),
        Row("score", "score", "Score layouts by hand."),
        Row("help", "help", "Show a page about golfref in the terminal, or list the pages."),
        Row("doctor", "doctor", "Print what this host can do, and what mends each gap."),
    ),
}
"""The commands, in the groups of README."""

COMMANDS = {row.name: row for rows in GROUPS.values() for row in rows}

GONE = {
    "hosts": "use `golfref standings RUN --hosts`",
    "export-bot": "use `golfref export RUN --bot NAME -o FILE`",
    "match --watch": "use `--record FILE`, and then `golfref replay FILE --step`",
    "match --view": "use `--record FILE`, and then `golfref replay FILE --step`",
    "export --columns": "leave it out: the file has all columns",
    "publish --tar": "`tar czf NAME.tar.gz NAME` packs a bundle",
    "replay --wire": "use `golfref transcript`",
}
"""Commands and options of earlier versions, with what to do instead."""


_WrongUse: Any = typer.BadParameter.__bases__[0]
"""What a wrong command line raises: click's, of which newer versions of typer have a copy of their own."""


class OneCommand(TyperCommand):
    """A command. It refuses options that went, and numbers that are none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what went, and what no number can be."""
        for word in args[: args.index("--") if "--" in args else None]:
            if instead := GONE.get(f"{self.name} {word.partition('=')[0]}"):
                ctx.fail(f"{word}: there is no such option any more; {instead}")
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            value = ctx.params.get(parameter.name)
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"expected a finite number, got {value}", ctx, parameter)
        return rest


class AllCommands(TyperGroup):
    """The commands of the table."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment] # names, of which an unknown one's nearest is shown

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command."""
        del ctx
        row = COMMANDS.get(cmd_name)
        return None if row is None else _command(row)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Refuse what went."""
        if instead := GONE.get(args[0]):
            ctx.fail(f"there is no command `{args[0]}` any more; {instead}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the command."""
        if not args:
            say(ctx.get_help())
            raise typer.Exit(USAGE)
        with _ended():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Import the command and call it."""
        with _ended():
            raise typer.Exit(super().invoke(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the table, and import nothing."""
        del ctx
        width = max(map(len, COMMANDS))
        for group, rows in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(row.name.ljust(width), row.help) for row in rows])


app = typer.Typer(
    cls=AllCommands,
    help="Referee and arena for programs that play Golf, the card game.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(value: bool) -> None:
    if value:
        from protocol import VERSION  # noqa: PLC0415 - the help needs none

        typer.echo(f"golfref {__version__}, protocol {VERSION}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def _command(row: Row) -> Any:
    """The command of a row, for typer."""
    function = getattr(import_module(f"referee.commands.{row.module}"), row.name)
    one = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
    one.command(row.name, cls=OneCommand, help=inspect.getdoc(function))(_with_options(function))
    return typer.main.get_command(one)


def every_help() -> str:
    """A page with the help of every command, as Markdown."""
    codes = (f"- {code}: {meaning}." for code, meaning in EXIT_CODES.items())
    lines = ["# Commands", "", "`golfref COMMAND --help` prints one of them. Exit codes:", "", *codes]
    for group, rows in GROUPS.items():
        lines += ["", f"## {group}"]
        for row in rows:
            command = _command(row)
            text = command.get_help(typer.Context(command, info_name=f"golfref {row.name}"))
            lines += ["", f"### golfref {row.name}", "", "```", text.strip(), "```"]
    return "\n".join(lines) + "\n"


def _with_options(function: Callable[..., int]) -> Callable[..., int]:
    """The function with the fields of its options as parameters, where it takes one struct of options."""
    kinds = [kind for name, kind in typing.get_type_hints(function).items() if name != "return"]
    if len(kinds) != 1 or not hasattr(kinds[0], "__struct_fields__"):
        return function
    from msgspec.structs import fields  # noqa: PLC0415 - the list of commands needs none

    kind = kinds[0]
    hints = typing.get_type_hints(kind, include_extras=True)

    @functools.wraps(function)
    def called(**given: Any) -> int:
        return function(kind(**given))

    called.__annotations__ = hints
    called.__signature__ = inspect.Signature([_parameter(field, hints) for field in fields(kind)])  # type: ignore[attr-defined]
    return called


def _parameter(field: Any, hints: Mapping[str, Any]) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.required else field.default
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name])


@contextlib.contextmanager
def _ended() -> Iterator[None]:
    """Here, and nowhere else, errors become words and exit codes."""
    try:
        yield
    except _WrongUse as error:
        asked = "golfref" if error.ctx is None else error.ctx.command_path
        first, *others = error.format_message().rstrip(".").splitlines()
        lines = [f"golfref: {first[:1].lower()}{first[1:]}", *others, f"`{asked} --help` prints what there is"]
        say(*(printable(line, LONGEST_LINE) for line in lines))
        code = USAGE
    except GolfrefError as error:
        say(*error.printed)
        code = error.exit_code
    except KeyboardInterrupt as interrupted:
        say("golfref: " + "; ".join(["interrupted", *getattr(interrupted, "__notes__", ())]))
        code = INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:  # something of the host of which no command knows what it means
        from referee.play.faults import in_words  # noqa: PLC0415 - rare

        say(f"golfref: {in_words(error)}")
        code = HOST_FAILED
    else:
        return
    raise typer.Exit(code)
