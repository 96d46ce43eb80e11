"""How long a run still takes, in words for its watchers."""

from datetime import timedelta

from referee import wall_clock
from referee.reports.tables.figures import duration
from referee.tournament.store.disk import Forecast


def time_left(forecast: Forecast | None) -> str:
    """As in `about 40 min left, until 21:50`; empty without a forecast."""
    if forecast is None:
        return ""
    left_s = max(0.0, forecast.at_s - wall_clock.now().timestamp())
    until = wall_clock.now_here() + timedelta(seconds=left_s)
    return f"{'at most' if forecast.is_most else 'about'} {duration(left_s)} left, until {until:%H:%M}"
