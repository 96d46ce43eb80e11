"""What `golfref tournament` says before it plays: what is planned, what it will take, and which bots do not start."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from protocol.text import printable
from referee.commands.console import say, screen_width
from referee.commands.tournament.forecast import Estimate
from referee.commands.tournament.prepare import PreparedRun
from referee.play.greeting import Greeted
from referee.reports.tables.bot_tables import ONLY_CHALLENGERS
from referee.reports.tables.figures import duration
from referee.rules.describe import advice
from referee.tournament.config.config import Config
from referee.tournament.config.planned import draw_input
from referee.tournament.formats.outlook import outlook
from referee.tournament.plan.keys import ROTATIONS_IN_WORDS
from referee.tournament.plan.plan import Plan
from referee.tournament.store.words import drawn_in_words

STDERR_LINES = 10
"""How many lines of a failing bot's standard error are shown."""


def announce_plan(config: Config, plan: Plan) -> None:
    """Say what is to be played, with advice about the games. Of a plan that grows, `announce_rounds` says more."""
    for one in config.variants:
        say(*(f"note: {text}" for text in advice(one.variant, one.seats)))
    say(f"{config.name}: {counted(len(config.bots), 'bot')}")
    seats = {one.name: one.seats for one in config.variants}
    if config.traits.has_whole_deals:
        say(*plan_lines(seats, plan.whole.lineups, config.stages[0].deals, screen_width()))
    else:
        say(*games_lines(seats, screen_width()))
    if config.shard is not None:
        say(f"shard {config.shard} of it: {matches(len(plan))}")
    if config.ranked is not None:
        some = counted(len(config.ranked), "challenger")
        say(f"gauntlet: {some} against a field of {counted(len(config.bots) - len(config.ranked), 'bot')}")
        say(f"note: {ONLY_CHALLENGERS}; a round-robin would compare all")
    say(f"rotations {config.rotations}: {ROTATIONS_IN_WORDS[config.rotations]}")


def announce_rounds(run: PreparedRun) -> None:
    """Say of a plan that grows which round is played next, how many matches it has, and how many there can be."""
    if not run.plan.grows:
        return
    say(*outlook(draw_input(run.run_config, run.key)))
    if run.has_ended:
        say(drawn_in_words(run.drawn) if run.drawn is not None else "no more rounds are drawn")
        return
    left = sum(run.left.values())
    title = run.plan.rounds[-1].title
    most = run.most_matches
    in_all = "nobody knows how many in all" if most is None else f"at most {matches(most)} in all"
    say(f"played in rounds; the next one: {printable(title, 300)}, {matches(left)}; {in_all}")


def announce_time(run: PreparedRun, found: Estimate) -> None:
    """Say how much time and disk the matches that are left will take.

    Starts take as long as they were just measured, and decisions as if bots answered at once.
    """
    config, left = run.config, sum(run.left.values())
    if not left:
        return
    jobs, workers = run.jobs, run.workers
    is_elsewhere = run.cluster is not None
    where = " on the cluster" if is_elsewhere else f" in {workers} workers" * (workers > 1)
    if config.alone and not is_elsewhere:
        where += ", then in 1 for games with timed slaps" if workers > 1 else " in 1 worker" * (jobs > 1)
    side_by_side = f"{matches(jobs)} at a time{where}"
    what = "this takes" if left == len(run.plan) else f"what is left ({matches(left)}) takes"
    what = what if run.has_ended else "this round takes"
    say(
        f"isolation {config.isolation}, {side_by_side}",
        f"if bots answer at once, {what} about {duration(found.wall_s)}, "
        f"and {found.stored_bytes / 1e6:.1f} MB in the store",
    )


def tell_failures(failed: Sequence[Greeted]) -> None:
    """Say of these bots why they did not start."""
    for one in failed:
        say(*failure_lines(one))


def failure_lines(greeted: Greeted) -> list[str]:
    """Why a bot did not start. There are none where it did."""
    if (mishap := greeted.mishap) is None:
        return []
    lines = [f"bot {greeted.bot.name}: {mishap.kind}: {mishap.detail}"]
    lines += [f"  its line: {mishap.line}"] * bool(mishap.line)
    if greeted.stderr:
        ends = greeted.stderr.splitlines()[-STDERR_LINES:]
        lines += ["  its standard error ends:", *(f"  | {printable(line.expandtabs(), 500)}" for line in ends)]
    return lines


def plan_lines(seats: Mapping[str, int], lineups: Mapping[str, int], deals: int, width: int) -> list[str]:
    """How many matches there will be, and why: a product for each kind of table, with its games, and the sum.

    `seats` and `lineups` are by game: how many sit at a table, and how many line-ups play each deal.
    """
    kinds: dict[tuple[int, int], list[str]] = {}
    for game, count in seats.items():
        kinds.setdefault((count, lineups[game]), []).append(game)
    lines, total = list[str](), 0
    for (each, tables), games in kinds.items():
        product = len(games) * tables * deals * each
        total += product
        factors = [
            counted(len(games), "game"),
            f"{counted(tables, 'line-up')} of {each}",
            counted(deals, "deal"),
            counted(each, "seat"),
        ]
        lines.append(f"{' x '.join(factors)} = {matches(product)}")
        lines += _named(games, width)
    return [*lines, f"together {matches(total)}"] if len(kinds) > 1 else lines


def games_lines(seats: Mapping[str, int], width: int) -> list[str]:
    """The games by how many sit at a table, where it is not known yet how many line-ups there will be."""
    kinds: dict[int, list[str]] = {}
    for game, count in seats.items():
        kinds.setdefault(count, []).append(game)
    lines = list[str]()
    for count, games in kinds.items():
        lines += [f"{counted(len(games), 'game')} at tables of {count}", *_named(games, width)]
    return lines


def _named(games: Sequence[str], width: int) -> list[str]:
    return wrap(", ".join(games), width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def counted(count: int, what: str) -> str:
    """Such as `1 bot` or `1,204 bots`."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def matches(count: int) -> str:
    """A number of matches, in words."""
    return f"{count:,} match{'es' * (count != 1)}"
