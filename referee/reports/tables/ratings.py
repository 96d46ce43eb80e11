"""Ratings as a column of the standings."""

from referee.reports.tables.names import LONGEST, shortened
from referee.reports.tables.rows import Figure
from referee.tournament.figures.ratings import Rating, Ratings
from referee.tournament.standings import BotStanding


def rating_figure(ratings: Ratings) -> Figure:
    """The column of the ratings: in percent, with its interval, as `62.1 [55.0, 68.7]`."""
    of_bot = {rating.bot: rating for rating in ratings.bots}

    def cell(row: BotStanding) -> str:
        rating = of_bot.get(row.bot)
        if rating is None or rating.chance is None:
            return "-"
        return f"{_percent(rating.chance)} {'(anchor)' if row.bot == ratings.anchor else _ends(rating)}"

    return Figure(title="rating", cell=cell, gives_way=3)


def anchor_line(ratings: Ratings) -> str:
    """What the column says."""
    name = shortened(ratings.anchor, LONGEST)
    why = "" if ratings.is_chosen else " (the bot in the middle; --anchor NAME takes another)"
    return f"rating: of 100 matches, how many a bot wins against {name}{why}, a tie counting half; from all matches"


def _ends(rating: Rating) -> str:
    if rating.chance_interval is None:
        return "-"
    low, high = rating.chance_interval
    return f"[{_percent(low)}, {_percent(high)}]"


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f}"
