"""What `golfref tournament` says before it plays: what is planned, what it will take, and which bots do not start."""

from collections.abc import Sequence

from protocol.text import printable
from referee.commands.console import say
from referee.commands.forecast import Estimate, estimate
from referee.commands.opening import PreparedRun
from referee.commands.progress import duration
from referee.play.greeting import Greeted
from referee.rules.describe import advice
from referee.tournament.config.config import Config
from referee.tournament.plan.schedule import Plan

STDERR_LINES = 10
"""How many lines of a failing bot's standard error are shown."""


def announce_plan(config: Config, plan: Plan) -> None:
    """Say what is to be played, with advice about the games."""
    lineups = plan.lineups
    for one in config.variants:
        say(*(f"note: {text}" for text in advice(one.variant, one.seats)))
    games = ", ".join(f"{one.name} (line-ups of {one.seats}: {lineups[one.name]})" for one in config.variants)
    deals = "1 deal" if config.deals == 1 else f"{config.deals} deals"
    say(f"{config.name}: {len(config.bots)} bots, {matches(len(plan))}: {games}; {deals} each")


def announce_time(run: PreparedRun, greeted: Sequence[Greeted]) -> Estimate:
    """Say how much time and disk the matches that are left will take. Returns the estimate.

    Starts take as long as they were just measured, and decisions as if bots answered at once.
    """
    config, left = run.config, sum(run.left.values())
    jobs = min(config.jobs, left)
    workers = min(config.processes(len(run.plan)), jobs)
    start_s = sum(one.start_s for one in greeted) / max(1, len(greeted))
    found = estimate(config, run.left, processes=workers, start_s=start_s)
    if left:
        side_by_side = f"{matches(jobs)} at a time" + f" in {workers} workers" * (workers > 1)
        what = "this takes" if left == len(run.plan) else f"what is left ({matches(left)}) takes"
        say(
            f"isolation {config.isolation}, {side_by_side}; if bots answer at once, {what} about "
            f"{duration(found.wall_s)}, and {found.stored_bytes / 1e6:.1f} MB in the store"
        )
    return found


def tell_failures(greeted: Sequence[Greeted]) -> bool:
    """Say of all bots that did not start why they did not. Returns whether there are any."""
    failed = [(one, one.mishap) for one in greeted if one.mishap is not None]
    for one, mishap in failed:
        say(f"bot {one.bot.name}: {mishap.kind}: {mishap.detail}")
        if mishap.line:
            say(f"  its line: {mishap.line}")
        if one.stderr:
            say("  its standard error ends:")
            say(*(f"  | {printable(line.expandtabs(), 500)}" for line in one.stderr.splitlines()[-STDERR_LINES:]))
    if failed:
        say(f"{len(failed)} of {len(greeted)} bots did not start; nothing was played")
    return bool(failed)


def matches(count: int) -> str:
    """A number of matches, in words."""
    return f"{count} match{'es' * (count != 1)}"
