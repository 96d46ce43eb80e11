"""How much of a tournament fits into its hours, and what would make a long one shorter."""

from bisect import bisect_right
from contextlib import closing, nullcontext

from referee.commands.console import say
from referee.commands.tournament.forecast import Estimate
from referee.commands.tournament.options import TournamentOptions
from referee.commands.tournament.prepare import PreparedRun
from referee.reports.tables.figures import duration
from referee.toml.document import line_at
from referee.tournament.config.config import ConfigError
from referee.tournament.run.clock import HOUR_S, MARGIN, HoursClock
from referee.tournament.store.store import Store

LONG_S = 3 * HOUR_S
"""Where a tournament takes longer than this, golfref says with how many line-ups it would be shorter."""

SHORTER_H = 8
"""So many hours it would take then."""


def announce_hours(run: PreparedRun, found: Estimate, clock: HoursClock, options: TournamentOptions) -> None:
    """Say how many rounds fit into the hours: at the pace so far, or in a new run if bots answer at once.

    Raises ConfigError where the first of a new run does not.
    """
    config, plan, traits = run.config, run.plan, run.config.traits
    if config.hours is None or run.has_ended or not plan.grows:
        return
    with nullcontext() if run.amendment is None else closing(Store.open(run.path)) as store:
        clock.begin(store, config.hours, found.match_s, found.side_by_side, counts_earlier=not traits.is_endless)
        played = {} if store is None else store.counts()
    by_deals = traits.has_whole_deals
    first_s, each_s = (clock.needed_s(matches, played) for matches in (run.left, plan.last_round))
    if run.amendment is None and first_s > clock.left_s:
        raise ConfigError([_does_not_fit(run, found, first_s, clock, options)])
    fit = 1 + int((clock.left_s - first_s) / each_s)
    most, basis = ("", "at the pace so far") if clock.has_pace else ("at most ", "if bots answer at once")
    if first_s > clock.left_s:
        what = f"{'deal' if by_deals else 'round'} {len(plan.rounds)} ends after its time"
    elif by_deals:
        deals = config.stages[0].deals
        what = f"{most}{min(len(plan.rounds) - 1 + fit, deals)} of {deals} deals fit"
    else:
        what = f"{most}{fit} rounds fit"
    say(f"hours = {config.hours:g}: {what}, {basis}; what has begun is played to its end")


def say_what_is_shorter(run: PreparedRun, found: Estimate) -> None:
    """Say of a long tournament with how many line-ups it would be shorter."""
    if found.wall_s < LONG_S or not run.config.traits.has_whole_deals or run.amendment is not None:
        return
    if lineups := _lineups_within(run, found, SHORTER_H * HOUR_S, deals=run.config.stages[0].deals):
        say(f"that is long; with lineups = {lineups} in [tournament] it takes about {SHORTER_H} h")


def _lineups_within(run: PreparedRun, found: Estimate, seconds: float, *, deals: int) -> int:
    """How many line-ups of each variant play so many deals in this time; 0 where that is too few for all bots."""
    whole = run.plan.whole
    block_s = {name: whole.seats_of[name] * match_s / found.side_by_side for name, match_s in found.match_s.items()}

    def takes_s(lineups: int) -> float:
        return deals * sum(min(lineups, whole.lineups[name]) * each_s for name, each_s in block_s.items())

    most = bisect_right(range(max(whole.lineups.values())), seconds, key=takes_s) - 1
    return most if most >= len(run.config.bots) else 0


def _does_not_fit(
    run: PreparedRun, found: Estimate, first_s: float, clock: HoursClock, options: TournamentOptions
) -> str:
    """The error for hours in which not even the first round ends, with what would do."""
    left_s = max(0.0, clock.left_s)
    ways = [f"hours = {1.1 * (clock.used_s + first_s) / HOUR_S:.2g}"]
    by_deals = run.config.traits.has_whole_deals
    if by_deals and (lineups := _lineups_within(run, found, left_s / MARGIN, deals=1)):
        ways.append(f"lineups = {lineups}")
    what = "deal" if by_deals else "round"
    text = (
        f"the first {what} takes about {duration(first_s)} if bots answer at once, but there are {duration(left_s)}; "
        f"expected {', or '.join(ways)}, or fewer games"
    )
    if options.hours is not None:
        return f"golfref: --hours: {text}"
    return line_at(options.config, ("tournament", "hours"), text)
