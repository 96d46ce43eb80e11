"""rules: a game and its options, explained."""

from collections.abc import Mapping
from typing import Any

from referee.commands.console import DONE, USAGE, put, say
from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import rules_in_full
from referee.rules.variants import UnknownVariant


def show_rules(name: str, changes: Mapping[str, Any]) -> int:
    """The rules of one game in words."""
    try:
        put(rules_in_full(with_options(name, changes)))
    except (UnknownVariant, BadOptions) as error:
        say(f"golfref: {error}")
        return USAGE
    return DONE
