"""rules: a game and its options, explained."""

from referee.commands.console import put
from referee.commands.options import OptionList, Preset, changes
from referee.errors import DONE
from referee.rules.check_options import with_options
from referee.rules.describe import rules_in_full


def rules(variant: Preset, option: OptionList = None) -> int:
    """Explain a game and its options.

    Example: golfref rules six-card -o rounds=4
    """
    put(rules_in_full(with_options(variant, changes(option))))
    return DONE
