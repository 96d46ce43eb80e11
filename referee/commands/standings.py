"""standings: shows the tables of a run, from its store alone."""

import shlex
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.commands.console import DONE, USAGE, duration, put, put_json, put_words, say, screen_width
from referee.commands.records import check_bot_of_run
from referee.reports.blame import FaultLog, explain, page_for_authors, read_on
from referee.reports.bot_results import MOST_SHOWN, bot_results
from referee.reports.one_bot import one_bot, one_bot_report
from referee.reports.tables.bracket import stages_report
from referee.reports.tables.layout import wrapped
from referee.reports.tables.names import LONGEST, shortened
from referee.reports.tables.overview import ONLY_CHALLENGERS, report
from referee.reports.tables.ratings import anchor_line, rating_figure
from referee.reports.tables.rows import APART, Figure, idle_cpu
from referee.reports.verdict import verdict
from referee.rules.record import NoRecord, Record
from referee.tournament.plan.keys import ROTATIONS_IN_WORDS
from referee.tournament.standings import BotStanding, Encounter, RankBy, Standings
from referee.tournament.statistics.carrying import LEVEL
from referee.tournament.statistics.stopping import saved_words
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, standings_in, summary_of

NAMED = 5
"""How many reasons or matches a line names at most."""

NAMED_VOIDED = 20
"""Of how many bots it is told how often they sat at a voided attempt."""

LEGEND = "in brackets, or with ±, ≥ and ≤: where the true figure lies, wrong in 5 of 100 runs"
"""What the figures mean."""

RANKS = "rank 2-4: the ranks that a bot can have by what is known, wrong somewhere in the table in 5 of 100 runs"
"""What the ranks mean."""

PLACES = "rank 3-4: places not told apart: the bots came equally far, or the last stage leaves open who is better"
"""What the ranks of a knockout or of stages mean."""

EXPLAINED = 3
"""Of how many bots at fault it is told what was wrong."""

CROWDED = 0.1
"""If the referee was late in a greater share of the matches than this, the host is overloaded."""


class StandingsOptions(Struct, frozen=True, kw_only=True):
    """What `golfref standings` was asked to print."""

    run: Path
    variant: str | None
    bot: str | None
    anchor: str | None
    """The bot that ratings compare with; None for the config's."""
    brief: bool
    full: bool
    hashes: bool
    as_json: bool


class GameSummary(Struct, frozen=True, kw_only=True):
    """What `--variant --json` prints: the tables of one game."""

    name: str
    variant: str
    rank_by: RankBy
    standings: tuple[BotStanding, ...]
    crosstable: dict[str, dict[str, Encounter]]


class Brief(Struct, frozen=True, kw_only=True):
    """What `--brief --json` prints."""

    name: str
    variant: str | None
    """The game, where one was asked for."""
    matches: int
    planned: int
    rank_by: RankBy
    standings: tuple[BotStanding, ...]
    digest: str
    words: tuple[str, ...]
    """The lines that are printed without --json."""


def print_standings(options: StandingsOptions) -> int:
    """Print the tables again: all, those of one game or of one bot, or a few lines; or the hashes of all rows."""
    try:
        with closing(Store.open(options.run)) as store:
            if options.anchor is not None:
                check_bot_of_run(store, options.anchor)
            if options.hashes:
                put(*store.lines())
            elif options.bot is not None:
                _print_bot(options, store, options.bot)
            elif options.brief:
                _print_brief(options, store)
            elif options.variant is not None:
                _print_game(options, store, options.variant)
            else:
                summary = summary_of(store, with_results=options.as_json, anchor=options.anchor)
                show(summary, as_json=options.as_json, full=options.full)
                explain_faults(store, summary)
                last_words(summary, store.path, as_json=options.as_json)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    return DONE


def _print_bot(options: StandingsOptions, store: Store, bot: str) -> None:
    """Print a bot's place, its games, and unless in brief its matches, the worst first; all of them as JSON."""
    check_bot_of_run(store, bot)
    standings = standings_in(store, options.variant)
    matches = () if options.brief else bot_results(store, bot, options.variant).matches
    one = one_bot(bot, standings, matches)
    if one.standing is None:
        raise NoRecord(printable(f"{store.path}: no match of {bot} counts yet", 3000))
    if options.as_json:
        put_json(msgspec.json.encode(one))
        return
    figures, legend = _figures_of_bots(options, store, standings)
    put("\n\n".join([*one_bot_report(one, screen_width(), len(standings.overall), figures), *legend]))
    if matches:
        rest = "; --json lists all matches" * (len(matches) > MOST_SHOWN)
        where = shlex.quote(f"{store.path}:{matches[0].match}")
        say(f"to read on: golfref replay {where} --seat {matches[0].seat}{rest}")


def _figures_of_bots(
    options: StandingsOptions, store: Store, standings: Standings
) -> tuple[Sequence[Figure] | None, list[str]]:
    """The columns where ratings say more than means, and what they say; None where those of means do."""
    if standings.order == "means" or options.variant is not None:
        return None, []
    ratings = summary_of(store, with_results=False, anchor=options.anchor).ratings
    more, legend = ([rating_figure(ratings)], [wrapped(anchor_line(ratings), screen_width())]) if ratings else ([], [])
    return [*more, *APART], legend


def _print_game(options: StandingsOptions, store: Store, variant: str) -> None:
    """Print the tables of one game."""
    standings = standings_in(store, variant)
    if options.as_json:
        game = GameSummary(
            name=store.meta().facts.name,
            variant=variant,
            rank_by=standings.rank_by,
            standings=standings.overall,
            crosstable=standings.crosstable,
        )
        put_json(msgspec.json.encode(game))
    else:
        put(report(standings, screen_width(), full=True))


def _print_brief(options: StandingsOptions, store: Store) -> None:
    """Print the last words about the run; of one game who is first, and which ranks are ties."""
    summary = summary_of(store, with_results=False)
    if options.variant is not None:
        summary = replace(summary, standings=standings_in(store, options.variant).overall)
    words = verdict(summary, store.path, screen_width())
    words = words if options.variant is None else words[:2]
    if not options.as_json:
        put(*words)
        return
    brief = Brief(
        name=summary.name,
        variant=options.variant,
        matches=summary.matches,
        planned=summary.planned,
        rank_by=summary.rank_by,
        standings=summary.standings,
        digest=summary.digest,
        words=tuple(words),
    )
    put_json(msgspec.json.encode(brief))


def explain_faults(store: Store, summary: RunSummary) -> None:
    """Tell for each bot at fault all such matches, and of the first few bots what was wrong in the first of them."""
    log = FaultLog("match", "matches")
    for result in store.results() if any(row.faults for row in summary.standings) else ():
        log.note(result.number, result.bots, result.faults)
    for place, (bot, (number, seat)) in enumerate(log.first.items()):
        if place < EXPLAINED:
            say(*explain(_record(store, number), seat, f"match {number}"))
            say(read_on(f"{store.path}:{number}", seat, bot))
        say(f"bot {shortened(bot, LONGEST)}: {log.in_words(bot)}")
    say(*[page_for_authors()] * bool(log.first))


def _record(store: Store, number: int) -> Record:
    try:
        return msgspec.json.decode(store.record(number), type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(f"{store.path}: the record of match {number} is damaged ({error})") from None


def show(summary: RunSummary, *, as_json: bool, full: bool = False) -> None:
    """Print the summary as tables or as JSON."""
    if as_json:
        put_json(msgspec.json.encode(summary))
    else:
        standings = Standings(
            rank_by=summary.rank_by,
            order=summary.order,
            overall=summary.standings,
            variants=summary.variants,
            crosstable=summary.crosstable,
        )
        more = [rating_figure(summary.ratings)] if summary.ratings else []
        tables = [*stages_report(summary.stages, screen_width()), report(standings, screen_width(), more, full=full)]
        put("\n\n".join(tables), "")
        put_words(*_provenance(summary))


def last_words(summary: RunSummary, path: Path, *, as_json: bool) -> None:
    """Say at the very end what came of the run, beside the tables, or for people where those are JSON."""
    words = verdict(summary, path, screen_width())
    if as_json:
        say(*words)
    else:
        put("")
        put_words(*words[:-1])
        put(words[-1])  # commands stay whole, so that they can be copied


def _provenance(summary: RunSummary) -> list[str]:
    """Where the figures come from. Without this no result can be defended."""
    voided = f", {summary.voided} voided and played again" if summary.voided else ""
    missing = "" if summary.matches == summary.planned else f" of {summary.planned}"
    reuse = "" if summary.reuse == "match" else f", bots' processes kept for the {summary.reuse}"
    return [
        *_scoring_tables(summary),
        *[f"gauntlet: {ONLY_CHALLENGERS}"] * bool(summary.challengers),
        f"{summary.name}: {summary.matches}{missing} matches{voided}",
        *((LEGEND, PLACES if summary.order == "places" else RANKS) if summary.standings else ()),
        *([anchor_line(summary.ratings)] if summary.ratings else []),
        *["opponents: the rating that a bot as strong as those it met would have"] * (summary.order == "ratings"),
        *([f"slaps: {summary.slap_timing} timing"] if summary.slap_timing else []),
        *_idle_cpu(summary),
        *_troubles(summary),
        _lateness(summary),
        *_carrying(summary),
        *_influences(summary),
        f"rotations {summary.rotations}: {ROTATIONS_IN_WORDS[summary.rotations]}",
        f"golfref {summary.version}, isolation {summary.isolation}{reuse}, {summary.host}",
        f"commitment {summary.commitment}",
        f"key        {summary.key or 'revealed when all matches are played'}",
        f"digest     {summary.digest if summary.matches else 'no match yet'}",
    ]


def _scoring_tables(summary: RunSummary) -> list[str]:
    """Which scoring table each game of par golf used, a line for each table."""
    games: dict[str, list[str]] = {}
    for variant, table in summary.scoring_tables.items():
        games.setdefault(table, []).append(variant)
    return [f"{', '.join(some)} score{'s' * (len(some) == 1)} by {table}" for table, some in games.items()]


def _idle_cpu(summary: RunSummary) -> list[str]:
    """What the column of that name means, where there is one."""
    if all(idle_cpu(row) == "0" for row in summary.standings):
        return []
    least = "" if summary.counts_cpu else ", at least: no control group counted processes that had ended"
    return [f"idle CPU: what a bot computed outside its turns, as far as the referee saw it{least}"]


def _carrying(summary: RunSummary) -> list[str]:
    """Who does better in later rotations of a deal than chance allows, or that nobody does."""
    if not summary.carrying:
        return []
    suspected = [row for row in summary.carrying if row.is_suspected]
    if not suspected:
        return [f"no bot scores more in later rotations of a deal than in first ones (tested at the level {LEVEL:g})"]
    return [
        f"WARNING: {shortened(row.bot, LONGEST)} scores more in later rotations of a deal than in first ones "
        f"({row.later:.3f} and {row.first:.3f} match points, p = {row.p_of_all:.2g}): "
        "it may carry cards from one match to the next"
        for row in suspected
    ]


def _influences(summary: RunSummary) -> list[str]:
    """Who may help whom. Nothing where nobody is suspected."""
    lines = []
    for row in summary.influences:
        if not row.is_suspected:
            continue
        on, bot = shortened(row.on, LONGEST), shortened(row.bot, LONGEST)
        owners = " (both of one owner)" if row.one_owner else ""
        more, who = ("more", f"{bot} may help it") if row.effect > 0 else ("fewer", f"it may give way to {bot}")
        lines.append(
            f"WARNING: {on} finishes before {abs(row.effect):.1%} {more} of its other opponents where {bot} is at the "
            f"table{owners}, p = {row.p_of_all:.2g}, {row.blocks} blocks: {who}"
        )
    return lines


def _lateness(summary: RunSummary) -> str:
    """How late the referee was, and what to do about it."""
    late = summary.lateness
    text = f"referee's lateness: worst {late.worst_ms:.1f} ms"
    if late.above_100_ms:
        text += f", above 100 ms in {late.above_100_ms} of {summary.matches} matches"
    crowded = late.above_100_ms > CROWDED * summary.matches
    return text + ": the host is overloaded, use fewer jobs" * crowded


def _voided_bots(summary: RunSummary) -> list[str]:
    """By bot at how many voided attempts it sat, the greatest share first, and how many of its matches are missing."""
    voided = sorted((bot for bot in summary.bots if bot.voided), key=lambda bot: (-bot.voided / bot.attempts, bot.name))
    lines = []
    for bot in voided[:NAMED_VOIDED]:
        left_out = f", {bot.left_out} of its matches left out" if bot.left_out else ""
        barred = ", barred" if bot.barred else ""
        name = shortened(bot.name, LONGEST)
        lines.append(f"  {name}: {bot.voided} of its {bot.attempts} attempts voided{left_out}{barred}")
    return lines + [f"  and {len(voided) - NAMED_VOIDED} more bots; --json has all"] * (len(voided) > NAMED_VOIDED)


def _rounds(summary: RunSummary) -> list[str]:
    """How far a run has come that is played in rounds."""
    if not summary.rounds and not summary.goes_on:
        return []
    last = f", the last one {summary.rounds[-1].title}" if summary.rounds else ""
    after = "more to come" if summary.end is None else f"no more: {summary.end}"
    if summary.stop is not None and summary.stop.saved:
        after += f": {saved_words(summary.matches, summary.stop.most_matches)}"
    elif summary.stop is not None and summary.end is not None and summary.stop.undecided:
        pairs = [f"{shortened(one, LONGEST)} - {shortened(other, LONGEST)}" for one, other in summary.stop.undecided]
        more = f" and {len(pairs) - NAMED} more" * (len(pairs) > NAMED)
        after += f": {', '.join(pairs[:NAMED])}{more}"
    used = f"  played for {duration(summary.used_s or 0)} of {duration(summary.hours * 3600)}" if summary.hours else ""
    return [printable(f"  rounds: {len(summary.rounds)}{last}; {after}", 300), *filter(None, [used])]


def _troubles(summary: RunSummary) -> list[str]:
    """What did not go as planned when the run began."""
    often = sorted(summary.void_reasons.items(), key=lambda pair: -pair[1])
    lines = [f"  voided {count} times: {printable(reason, 300)}" for reason, count in often[:NAMED]]
    lines += [f"  voided for {len(often) - NAMED} more reasons; --json has all"] * (len(often) > NAMED)
    lines += _voided_bots(summary)
    if summary.unplayed:
        lines.append(f"  given up after every attempt was voided: matches {', '.join(map(str, summary.unplayed))}")
    if summary.retired:
        some = ", ".join(f"#{match.id}" for match in summary.retired[:NAMED])
        more = ", ..." * (len(summary.retired) > NAMED)
        lines.append(f"  {len(summary.retired)} matches are out of the standings: {some}{more}; --json lists them")
    lines += _rounds(summary)
    for event in summary.history:
        lines.append(f"  after {event.after} matches:")
        lines += [f"    {printable(line, 300)}" for line in event.lines]
    return lines
