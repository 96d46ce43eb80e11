"""rules: a game and its options, explained."""

from collections.abc import Mapping
from typing import Any

from referee.commands.console import DONE, USAGE, put, say
from referee.rules.book.changes import BadOptions
from referee.rules.book.variants import UnknownVariant, customised
from referee.rules.describe import rules_in_full


def show_rules(name: str, changes: Mapping[str, Any]) -> int:
    """The rules of one game in words."""
    try:
        put(rules_in_full(customised(name, changes)))
    except (UnknownVariant, BadOptions) as error:
        say(f"golfref: {error}")
        return USAGE
    return DONE
