"""How much of a tournament fits into some hours: chosen by a trial where `hours` is set, else told where it is long."""

from collections.abc import Callable
from pathlib import Path
from textwrap import wrap

from msgspec.structs import replace

from referee.commands.announcement import matches
from referee.commands.console import say, screen_width
from referee.commands.forecast import Estimate
from referee.commands.opening import PreparedRun
from referee.reports.tables.figures import duration
from referee.reports.tables.names import LONGEST, shortened
from referee.tournament.config.changes import line_at
from referee.tournament.config.config import Config, ConfigError
from referee.tournament.config.formats import MOST_HOURS, USES
from referee.tournament.plan.budget import (
    LEAST_DEALS,
    SPARE,
    USUAL_BETWEEN,
    Choice,
    Game,
    choose,
    least_s,
    plus_minus,
    usual_within,
)
from referee.tournament.plan.lineups import AllLineups
from referee.tournament.run.clock import HOUR_S, HoursClock
from referee.tournament.run.trial import Trial, try_out
from referee.tournament.store.facts import Facts, config_facts, every_lineup

LONG_S = 3 * HOUR_S
"""Where a tournament takes longer than this, it is told what would fit into less."""

OFFERED_HOURS = (1, 8, 24)


def check_hours_option(hours: float, config: Config) -> None:
    """Raises ConfigError where `--hours` does not go with what is played."""
    format_ = config.format
    if not 0 < hours <= MOST_HOURS:
        raise ConfigError([f"--hours: expected hours above 0, at most {MOST_HOURS}, got {hours:g}"])
    if format_ not in USES["hours"]:
        what = "a tournament with [[stages]]" if format_ is None else f"a {format_}"
        having = ", ".join(USES["hours"])
        raise ConfigError([f"--hours: {what} that is cut off orders nobody; formats that can end early: {having}"])
    if config.stop is not None and format_ in ("round-robin", "gauntlet"):
        raise ConfigError(
            ["--hours: [stop] does not go with hours, which choose the deals at whose ends it would look"]
        )


def needs_trial(run: PreparedRun) -> bool:
    """Whether it is still to be chosen how much of the run is played."""
    chooses = run.config.format in ("round-robin", "gauntlet") and run.config.lineups_a_round is None
    return run.config.hours is not None and run.amendment is None and chooses


def with_chosen_plan(
    config: Config, file: Path | None, clock: HoursClock, *, start_s: float, check: Callable[[], None]
) -> Config:
    """The config with as many line-ups and deals as fit into its hours. The clock tells how much of them is used.

    `start_s` is how long a bot takes to start.

    The trial that this takes is played here, and what came of it is told. `file` is the config, where that has the
    hours. Raises ConfigError where nothing fits, and whatever a run raises.
    """
    budget_s = (config.hours or 0.0) * HOUR_S
    facts = config_facts(config)
    say(f"trying the bots, to see what fits into {duration(budget_s)}")
    trial = try_out(config, facts, budget_s=budget_s, start_s=start_s, check=check)
    games = [*trial.games.values()]
    choice = choose(games, budget_s=budget_s - clock.used_s, side_by_side=trial.side_by_side)
    if choice is None:
        raise _nothing_fits(config, file, trial)
    say(*chosen_in_words(config, trial, choice))
    deals = choice.deals * SPARE
    return replace(config, lineups=choice.lineups, deals=deals, lineups_a_round=choice.lineups_a_round)


def chosen_in_words(config: Config, trial: Trial, choice: Choice) -> list[str]:
    """A paragraph on what was chosen, and why."""
    hours = duration((config.hours or 0.0) * HOUR_S)
    name, slowest = max(trial.games.items(), key=lambda item: item[1].match_s)
    several = len(trial.games) > 1
    where = f" in {shortened(name, LONGEST)}, the slowest game," if several else ""
    took = f"{slowest.match_s:.2f} s{where}"
    what = "all line-ups" if choice.lineups is None else f"a sample of {choice.lineups:,} line-ups"
    why = "all fit" if choice.lineups is None else "more line-ups tell more than more deals, but one deal shows no luck"
    words = (
        f"{matches(trial.matches)} in {duration(trial.took_s)} showed that a match takes {took} "
        f"and that {trial.side_by_side:.1f} go on at a time. In {hours} {what}{' of each game' * several} can play "
        f"{choice.deals} deals: {why}. That makes {matches(choice.matches)}; expect about ±{choice.plus_minus:.3f} for "
        "each bot's match points. The run ends when the time is over, with fewer deals if matches take longer than in "
        "the trial, and with more if they are faster."
    )
    return wrap(words, screen_width())


def say_what_fits(config: Config, facts: Facts, estimate: Estimate) -> None:
    """Say what to write so that a long tournament is shorter, and what ± is to be expected of it then."""
    if estimate.wall_s < LONG_S or not facts.is_fixed:
        return
    every = every_lineup(facts)
    if not estimate.match_s.keys() >= every.keys():
        return
    games = [_guessed(every[name], estimate.match_s[name]) for name in every]
    say(
        f"that is long; expect about ±{_now(config, games):.3f} for each bot's match points then",
        "with less time, write one of these into [tournament]:",
    )
    for hours in OFFERED_HOURS:
        choice = choose(games, budget_s=hours * HOUR_S, side_by_side=estimate.side_by_side)
        within = "1 hour" if hours == 1 else f"{hours} hours"
        if choice is None:
            say(f"  {within}: nothing fits; choose fewer games or smaller tables")
        elif hours * HOUR_S < estimate.wall_s:
            lineups = "" if choice.lineups is None else f"lineups = {choice.lineups}, "
            write = f"{lineups}deals = {choice.deals}"
            say(f"  {within}: {write}; {matches(choice.matches)}, about ±{choice.plus_minus:.3f}")
    say("  or hours = 8: a short trial with the bots chooses, and the run ends in time")


def _now(config: Config, games: list[Game]) -> float:
    return plus_minus(games, config.lineups, config.deals)


def _guessed(every: AllLineups, match_s: float) -> Game:
    """A game of which nothing is known but how long bots that answer at once take."""
    within = usual_within(every.seats)
    return Game(every=every, match_s=match_s, within=within, between=USUAL_BETWEEN * within)


def _nothing_fits(config: Config, file: Path | None, trial: Trial) -> ConfigError:
    """The error for hours in which nothing can be played, with what would do."""
    games = [*trial.games.values()]
    needed_s = least_s(games, trial.side_by_side) + trial.took_s
    ways = [f"hours = {needed_s * 1.1 / HOUR_S:.2g}"]
    by_time = sorted(trial.games, key=lambda name: trial.games[name].match_s * trial.games[name].seats)
    if len(games) > 1:
        ways.append(f"fewer games (`{shortened(by_time[-1], LONGEST)}` takes longest)")
    if max(game.seats for game in games) > 2:
        ways.append("smaller tables")
    text = (
        f"with hours = {config.hours:g} not every bot could play {LEAST_DEALS} deals of each game: that takes "
        f"{duration(needed_s)}; expected {', or '.join(ways)}"
    )
    if file is None:
        return ConfigError([f"--hours: {text}"])
    return ConfigError([line_at(file, ("tournament", "hours"), text)])
