"""How templates become pages: whatever a template puts in is escaped, and what a page may load is the same for all.

Texts go through `harmless` besides, since controls and bidirectional marks mislead readers in HTML, too. Only what
Python made HTML of on purpose stands as it is.
"""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from protocol.text import harmless

POLICY = Markup(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What a page may load: files of the site and nothing else, and no script or style that stands in the page."""


def environment() -> Environment:
    """A new environment for the templates of the site."""
    return Environment(
        loader=PackageLoader("referee.site"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: object) -> object:
    """What a template puts in, without anything that steers or disguises text."""
    return value if isinstance(value, Markup) else harmless(str(value))
