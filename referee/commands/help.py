"""help: the pages about golfref, in the terminal, where the source is or golfref was installed from a wheel."""

import os
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

import referee
from referee.commands.console import put
from referee.errors import DONE, CommandError

PAGES = {
    "Start": {"golfref": "README", "changes": "CHANGELOG"},
    "Your bot": {
        "first-bot": "protocol/FIRST_BOT",
        "bots": "bots/README",
        "starters": "bots/starters/README",
        "kit": "bots/kit/README",
        "misbehaves": "bots/MISBEHAVES",
        "play": "bots/PLAY",
    },
    "Your competition": {
        "competition": "tournaments/competition/README",
        "contestants": "tournaments/CONTESTANTS",
        "tournaments": "tournaments/README",
        "config": "tournaments/CONFIG",
        "formats": "tournaments/FORMATS",
        "entries": "tournaments/ENTRIES",
        "runs": "tournaments/RUNS",
        "events": "tournaments/EVENTS",
        "glossary": "tournaments/GLOSSARY",
    },
    "Strangers' bots, many machines": {
        "isolation": "tournaments/ISOLATION",
        "cluster": "tournaments/CLUSTER",
    },
    "Results": {
        "tables": "tournaments/TABLES",
        "statistics": "tournaments/STATISTICS",
        "highlights": "tournaments/HIGHLIGHTS",
        "site": "tournaments/SITE",
        "export": "tournaments/EXPORT",
        "publishing": "tournaments/PUBLISHING",
        "store": "tournaments/STORE",
    },
    "Specification and library": {
        "protocol": "protocol/README",
        "options": "protocol/OPTIONS",
        "rules": "referee/rules/RULES",
        "library": "referee/README",
        "states": "referee/match_states/README",
        "research": "referee/research/README",
        "adapters": "referee/research/adapters/README",
        "resample": "referee/research/resample/README",
    },
}
"""By subject, topics and the Markdown files of their pages."""

MADE = "commands"
"""The topic whose page is made from the table of commands."""

TOPICS = {topic: page for topics in PAGES.values() for topic, page in topics.items()}

WORDS = {"disqualify": "withdraw", "ban": "withdraw", "remove": "withdraw", "luck": "interval", "time": "hours"}
"""Words that people look for, and those of the pages."""

_PACKAGES = Path(referee.__file__).parent.parent


def help(  # noqa: A001 - the name of the command
    topic: Annotated[str, typer.Argument(metavar="[TOPIC]", help="A page; without it they are listed.")] = "",
) -> int:
    """Show a page about golfref, or list the pages. `golfref COMMAND --help` has the options of a command.

    Example: golfref help isolation
    """
    if not topic:
        for subject, topics in PAGES.items():
            put(f"{subject}:", *(f"  {name:13}{_title(page)}" for name, page in topics.items()))
        put("Commands:", f"  {MADE:13}Every command with its options")
        return DONE
    name = topic.lower().removesuffix(".md").replace("_", "-").rpartition("/")[2]
    if name == MADE:
        from referee.commands.table import every_help  # noqa: PLC0415 - it imports this module

        _show(every_help())
        return DONE
    name = WORDS.get(name, name)
    if name not in TOPICS:
        near = get_close_matches(name, TOPICS, n=1, cutoff=0.8)
        counts = {one: _text(page).lower().count(name) for one, page in TOPICS.items() if one != "changes"}
        holding = near or sorted(filter(counts.get, counts), key=lambda one: -counts[one])
        hint = f"see `golfref help {holding[0]}`" if holding else "`golfref help` lists the pages"
        more = f" (and {', '.join(holding[1:8])})" if len(holding) > 1 else ""
        raise CommandError(f"no page is called {topic}; {hint}{more}")
    _show(_text(TOPICS[name]))
    return DONE


def _text(page: str) -> str:
    """A page: in the source it lies at the root, and a wheel has those that are in no package in `referee/pages`."""
    for folder in (_PACKAGES, _PACKAGES / "referee" / "pages"):
        file = folder / f"{page}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise CommandError(f"{page}: this page was not installed; it is in golfref's source")


def _title(page: str) -> str:
    return _text(page).partition("\n")[0].removeprefix("# ")


def _show(text: str) -> None:
    """Print a page, on a terminal with headings, tables and a pager, and elsewhere as it is."""
    if not sys.stdout.isatty():
        put(text.rstrip("\n"))
        return
    from rich.console import Console  # noqa: PLC0415 - slow, and only a terminal needs it
    from rich.markdown import Markdown  # noqa: PLC0415

    os.environ.setdefault("LESS", "-R")  # colours pass through the pager
    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(text))
