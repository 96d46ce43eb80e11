"""What all pages share: how names of strangers are put in, and the frame around each page."""

from functools import cache
from typing import Any

from jinja2 import Environment
from jinja2.runtime import Context
from jinja2.utils import pass_context
from markupsafe import Markup

from protocol.text import printable
from referee import __version__
from referee.reports.verdict import how_far
from referee.site.content import Content
from referee.site.files import File
from referee.site.pages.names import BOT, GAME, Linker, Marked, unmarked
from referee.site.pages.slugs import slugs
from referee.site.templating import POLICY, environment

NAME_LIMIT = 1000
"""How many characters of a name a page shows where it has room."""


class Site:
    """The pages of one run know each other by it."""

    def __init__(self, content: Content) -> None:
        self.content = content
        summary = content.summary
        self.bot_slugs = slugs(bot.name for bot in summary.bots)
        self.game_slugs = slugs(entry.name for entry in content.config.variants)
        former = (bot for match in content.matches if match.number is None for bot in match.bots)
        known = dict.fromkeys([*(row.bot for row in summary.standings), *self.bot_slugs, *former])
        self.bots, self.games = Marked(known, BOT), Marked(self.game_slugs, GAME)
        self._linker = Linker(
            {shown: self.bot_path(name) for shown, name in self.bots.shown.items() if name in self.bot_slugs},
            {shown: self.game_path(name) for shown, name in self.games.shown.items()},
        )

    def bot_path(self, name: str) -> str:
        """The page of a bot of the run, from the site's root."""
        return f"bots/{self.bot_slugs[name]}.html"

    def game_path(self, name: str) -> str:
        """The page of a game of the run, from the site's root."""
        return f"games/{self.game_slugs[name]}.html"

    def html(self, text: str, root: str) -> Markup:
        """A text with marked names as HTML with links."""
        return self._linker.html(text, root)

    def page(self, template: str, path: str, **fields: Any) -> File:
        """The page at this path, made of a template and of these fields."""
        root = "../" * path.count("/")
        content = self.content
        text = (
            _environment()
            .get_template(template)
            .render(
                site=self,
                content=content,
                summary=content.summary,
                path=path,
                root=root,
                policy=POLICY,
                golfref=__version__,
                links=LINKS,
                how_far=how_far(content.summary),
                **fields,
            )
        )
        return File(path=path, data=text.encode("utf-8", "replace"))


LINKS = {
    "Standings": "index.html",
    "Highlights": "highlights.html",
    "Matches": "lists/1.html",
    "Figures": "figures.html",
    "How it was played": "about.html",
}
"""The pages that every page leads to, by what they are called."""


def sentence(line: str) -> str:
    """A line of the terminal as a sentence of a page."""
    text = line.strip().replace("; --json has all", "")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


@cache
def _environment() -> Environment:
    made = environment()
    made.filters |= {"linked": _linked, "name": _name, "shown": _shown, "plain": unmarked, "count": _count}
    return made


@pass_context
def _linked(context: Context, text: str) -> Markup:
    """A text with marked names, as HTML with links from the page that is being made."""
    site: Site = context["site"]
    return site.html(text, context["root"])


def _name(text: str) -> Markup:
    """A stranger's name, whole, apart from the direction in which the text around it is read."""
    return Markup("<bdi>{}</bdi>").format(_shown(text))


def _shown(text: str) -> str:
    """A stranger's name as pages show it."""
    return printable(text, NAME_LIMIT)


def _count(number: int, one: str, many: str = "") -> str:
    """Such as `1 match` and `1,520 matches`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
