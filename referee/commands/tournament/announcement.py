"""What `golfref tournament` says before it plays: what is planned, what it takes, and which bots do not start."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from textwrap import wrap

from protocol.text import printable
from referee.commands.console import say, screen_width
from referee.commands.tournament.forecast import Estimate
from referee.commands.tournament.options import TournamentOptions
from referee.commands.tournament.prepare import PreparedRun
from referee.play.greeting import Greeted
from referee.reports.tables.bot_tables import ONLY_CHALLENGERS
from referee.reports.tables.figures import duration
from referee.rules.describe import advice
from referee.toml.document import line_at
from referee.tournament.config.config import Config, ConfigError
from referee.tournament.config.planned import draw_input
from referee.tournament.formats.outlook import outlook
from referee.tournament.plan.keys import ROTATIONS_IN_WORDS
from referee.tournament.plan.plan import Plan
from referee.tournament.run.clock import HOUR_S, MARGIN, HoursClock
from referee.tournament.store.store import Store
from referee.tournament.store.words import drawn_in_words

STDERR_LINES = 10
"""How many lines of a failing bot's standard error are shown."""

LONG_S = 3 * HOUR_S
"""Where a tournament takes longer than this, golfref says with how many line-ups it would be shorter."""

SHORTER_H = 8
"""So many hours it would take then."""


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


def announce_time(run: PreparedRun, found: Estimate, clock: HoursClock, options: TournamentOptions) -> None:
    """Say how much time and disk the matches that are left will take, and how much of the run fits into its hours.

    Raises ConfigError where the first round of a new run does not fit.
    """
    _announce_all(run, found)
    if run.config.hours is None:
        _say_what_is_shorter(run, found)
    else:
        _announce_hours(run, found, clock, options)


def _announce_all(run: PreparedRun, found: Estimate) -> None:
    """Say what the matches take that are left.

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


def _announce_hours(run: PreparedRun, found: Estimate, clock: HoursClock, options: TournamentOptions) -> None:
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


def _say_what_is_shorter(run: PreparedRun, found: Estimate) -> None:
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
