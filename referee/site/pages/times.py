"""Times as a table."""

from collections.abc import Sequence

from referee.plots.times import TimeBins, time_in_words
from referee.site.pages.tables import Col, Table

QUANTILES = {"half took at most": 0.5, "95 of 100 at most": 0.95, "99 of 100 at most": 0.99}
"""By title of a column, of which share of the times it tells the longest."""

NOTE = (
    "Times are right within a tenth. Answers are timed as they were charged to the clock of a bot, slaps as they were "
    "compared with those of others."
)


def times_table(id_: str, caption: str, head: str, some: Sequence[tuple[str, TimeBins]], *more: Col) -> Table:
    """A line for each of these, with how many times there were, and how long most of them were at most."""
    quantiles = {title: [bins.quantile(share) for _, bins in some] for title, share in QUANTILES.items()}
    return Table(
        id=id_,
        caption=caption,
        cols=(
            Col(title=head, cells=[name for name, _ in some], is_text=True, is_head=True),
            Col(title="how many", cells=[f"{bins.count:,}" for _, bins in some]),
            *(
                Col(title=title, cells=["-" if one is None else time_in_words(one) for one in times])
                for title, times in quantiles.items()
            ),
            *more,
        ),
        note=NOTE,
    )
