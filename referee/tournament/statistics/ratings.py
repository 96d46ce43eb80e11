"""Ratings: how strong each bot is, from all matches at once, whoever met whom.

What is published is rounded, so that it is the same on every machine; the order of matches has no influence. This
module imports numpy, and is imported only where ratings are computed.
"""

from collections.abc import Collection, Iterable

from referee.tournament.results import Result
from referee.tournament.statistics.plackett_luce import Matches

DECIMALS = 6


def strengths(results: Iterable[Result], names: Collection[str]) -> dict[str, float]:
    """The strength of each of these bots: higher is better, and 0 is the middle of the field.

    It is the logarithm of the bot's worth in the Plackett-Luce model with ties (see plackett_luce.py): of two bots at a
    table of two, the first wins exp(a - b) times as often as the second, where a and b are their strengths. Bots that
    are not among `names` count as opponents. A bot without a match has exactly 0. Strengths are rounded to six
    decimals. The order of results has no influence, and bots that did the same against the same opponents are equal.
    """
    matches = Matches()
    for result in results:
        matches.add(result)
    model = matches.model(names)
    found = dict(zip(model.names, model.fit(), strict=False))
    return {name: round(float(found[name]), DECIMALS) + 0.0 for name in names}
