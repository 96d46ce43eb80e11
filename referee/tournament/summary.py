"""What a run comes to: its standings and everything by which they can be judged, from the store alone."""

from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

from msgspec import Struct

from protocol.messages import Clocks, SlapTiming
from protocol.text import printable
from referee.rules.par_table import OURS_1
from referee.tournament.config.planned import MatchIdentities, draw_input
from referee.tournament.config.run_config import RunConfig
from referee.tournament.figures.blocks import BlockTable, table_of
from referee.tournament.figures.collusion import Influence, influences
from referee.tournament.figures.ratings import Chance, Ratings, chances_of, ratings_of
from referee.tournament.formats.places import FinalRanks, StagePlaces, places_of
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import End, Format, Round
from referee.tournament.plan.shards import Shard
from referee.tournament.results import Result
from referee.tournament.standings import (
    BotStanding,
    Encounter,
    RankBy,
    RankedBy,
    Standings,
    ranked_otherwise,
    with_entrants,
    with_opponents,
)
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import Extent, extent_of, given_up, plan_now, present_in
from referee.tournament.store.played import PlayedSoFar, as_former, numbered
from referee.tournament.store.rows import KeptOut, Meta
from referee.tournament.store.store import Store
from referee.tournament.store.tallies import StopVerdict, looks_at, results_among_remaining, stop_verdict, tally_for
from referee.tournament.store.voided import void_tally
from referee.tournament.store.words import HistoryEvent, history_of
from referee.tournament.tally import Tally
from referee.tournament.voids import VoidSuspect

LATE_MATCH_US = 100_000
"""A match in which the referee was later than this counts as late."""


class EnteredBot(Struct, frozen=True, kw_only=True):
    """A bot that takes part."""

    name: str
    owner: str
    version: str
    """Hash of its command, environment and files, in hexadecimal."""
    network: bool = False
    """Whether it may use the network under `bwrap`."""
    clocks: Clocks | None = None
    """The time limits that hold for it alone; null where those of all hold."""
    attempts: int = 0
    """At how many attempts it sat that were played for the standings or voided."""
    voided: int = 0
    """How many of them the referee or its host spoiled."""
    left_out: int = 0
    """How many of its matches have no result because every attempt was voided."""


class RetiredMatch(Struct, frozen=True, kw_only=True):
    """A match that is out of the standings. `golfref replay RUN:#ID` tells it."""

    id: int
    variant: str
    bots: tuple[str, ...]
    """The bots by seat, as are the versions."""
    versions: tuple[str, ...]


class Lateness(Struct, frozen=True, kw_only=True):
    """How busy the host was, by the longest time in a match in which the referee did not look at its pipes."""

    worst_ms: float
    above_100_ms: int
    """In how many matches it was more than 100 ms."""


class RoundSummary(Struct, frozen=True, kw_only=True):
    """A round of a run whose plan grows, which was drawn from the matches before it."""

    title: str
    stage: int
    """From 0."""
    id: int
    """The id of its row in the store."""
    after: int
    """How many matches had been committed when it was drawn."""


class RunSummary(Struct, frozen=True, kw_only=True):
    """What `--json` prints of a tournament."""

    name: str
    """The name of the run."""
    matches: int
    """Matches with a result that counts."""
    planned: int
    """Matches in the plan, as far as it has been drawn."""
    goes_on: bool = False
    """True if more will be drawn when the plan has been played."""
    voided: int
    """Attempts at a match that the referee or its host spoiled."""
    void_reasons: dict[str, int]
    """By reason, how many of them."""
    void_suspects: tuple[VoidSuspect, ...] = ()
    """The bots whose presence alone explains the voids at which they sat, by name."""
    unplayed: tuple[int, ...]
    """Numbers of the matches that golfref left out because every attempt was voided."""
    lateness: Lateness
    """The longest time in which the referee did not look at its pipes, and the matches with more than 100 ms."""
    counts_cpu: bool
    """True if control groups counted all computing. Else `idle_cpu_ms` may lack processes that had ended."""
    results: tuple[Result, ...]
    """All matches in the standings, in the order of the plan; lists are by seat."""
    retired: tuple[RetiredMatch, ...]
    """Matches out of the standings, in the order of commits."""
    history: tuple[HistoryEvent, ...]
    """Amendments, bots that changed by themselves, hosts that went, and so on, in words."""
    kept_out: tuple[KeptOut, ...] = ()
    """The bots that did not qualify."""
    hours: float | None = None
    """The hours of the run; null without `hours`."""
    used_s: int | None = None
    """The seconds of them that the run has used."""
    rounds: tuple[RoundSummary, ...] = ()
    """The rounds that were drawn, if the plan grows."""
    end: str | None = None
    """The reason why no more rounds are drawn; null while they are, and for a fixed plan."""
    stop: StopVerdict | None = None
    """The verdict on [stop]; null without it, and before anything is played."""
    version: str
    """The version of golfref."""
    host: str
    """The system on which the run began."""
    hosts: dict[str, int] = {}
    """By host of a cluster or of shards, the matches that it played; empty for one machine."""
    isolation: str
    """The level at which bots ran."""
    rotations: Rotations
    """`fresh`: each match had cards of its own; `same`: all rotations of a deal shared them."""
    reuse: str
    """The life of a bot's process: a match, or the tournament."""
    windows: int = 0
    """The slap windows of the matches in the standings."""
    disturbed: int = 0
    """The slap windows whose times are in doubt; `golfref export RUN --table slaps` has the reasons."""
    slap_timing: SlapTiming | None
    """How slaps were timed; null if no game times any."""
    bots: tuple[EnteredBot, ...]
    """The bots that take part."""
    format: Format | None = "round-robin"
    """The format; null for several stages."""
    challengers: tuple[str, ...] = ()
    """The challengers of a gauntlet: only they are ranked."""
    shard: Shard | None = None
    """The part of the plan that the run plays; null for all of it."""
    rank_by: RankBy
    """The figure by which means rank."""
    order: RankedBy = "means"
    """The order of `standings`: `means`, `ratings` or `places`."""
    stages: tuple[StagePlaces, ...] = ()
    """The stages of a knockout or of [[stages]]: bots in order, the cut, and the ties."""
    scoring_tables: dict[str, str]
    """By variant of par golf, the scoring table. `ours-1` is not the game publisher's (PAR-25)."""
    commitment: str
    """The SHA-256 of the master key."""
    key: str | None
    """The master key in hexadecimal; null until every match has a result and no more rounds are drawn."""
    digest: str
    """The last hash of the journal."""
    standings: tuple[BotStanding, ...]
    """The overall table, by rank; `rank_from` and `rank_to` are the ranks that a bot can have."""
    variants: dict[str, tuple[BotStanding, ...]]
    """By game, a table like `standings`."""
    crosstable: dict[str, dict[str, Encounter]]
    """By bot and opponent, the figures of the blocks at which both sat."""
    ratings: Ratings | None = None
    """The strength of each bot from all matches at once; null before any."""
    influences: tuple[Influence, ...] = ()
    """The effect of the presence of `bot` on the results of `on` at tables of three and more, the least p first."""


def standings_in(store: Store, variant: str | None = None) -> Standings:
    """The standings of a run, or those of one of its games. Raises StoreError, also where it has no such game."""
    config = store.meta().config
    if config.order == "means":
        return tally_in(store, variant).standings(config.rank_by)
    if variant is not None:
        return ranked_otherwise(tally_in(store, variant).standings(config.rank_by), config.order, {})
    summary = summary_of(store, with_results=False)
    return Standings(
        rank_by=summary.rank_by,
        order=summary.order,
        overall=summary.standings,
        variants=summary.variants,
        crosstable=summary.crosstable,
    )


def chances_in(
    store: Store, pair: tuple[str, str] | None = None, variant: str | None = None
) -> tuple[Chance, ...] | None:
    """How two bots of a run compare by their ratings, or all neighbours; None where they compare by their means.

    Of a gauntlet only challengers compare. With `variant`, only matches of this game count. Raises StoreError, also
    where the run has no such game.
    """
    config = store.meta().config
    if config.order == "means":
        return None
    check_game(store, variant)
    results = [result for result in store.results() if variant in (None, result.variant)]
    table = table_of([*results, *(_former(store) if variant is None else ())])
    pairs = [pair] if pair else None
    names = config.ranked or [bot.name for bot in config.bots]
    return chances_of(table, names, pairs, looks=looks_at(config))


def tally_in(store: Store, variant: str | None = None) -> Tally:
    """The results of a run, or of one of its games, added up. Raises StoreError, also where it has no such game."""
    check_game(store, variant)
    config = store.meta().config
    tally = tally_for(config)
    for result in _results_of(store, plan_now(store)):
        if variant in (None, result.variant):
            tally.add(result)
    for result, seats in results_among_remaining(store):
        if variant in (None, result.variant):
            tally.add(result, seats=seats)
    return tally


def _results_of(store: Store, plan: Plan | None) -> Iterator[Result]:
    """The results that count, without those of rounds that were drawn after this plan was read."""
    return (result for result in store.results() if plan is None or result.number < len(plan))


def check_game(store: Store, variant: str | None) -> None:
    """Raise StoreError, which names the nearest game, where none of this name is played in the run."""
    config = store.meta().config
    games = [entry.name for entry in config.variants]
    if variant is not None and variant not in games:
        near = get_close_matches(variant, games, n=1)
        hint = f"did you mean {near[0]}?" if near else f"its games are {', '.join(games)}"
        raise StoreError(printable(f"{store.path}: no game {variant} is played in this run; {hint}", 3000))


def summary_of(store: Store, *, with_results: bool = True, anchor: str | None = None) -> RunSummary:
    """Everything that is told of a run. The master key is told only once nothing is left to be dealt from it.

    Without the single results, which no table shows, it takes little memory, however long the run. `anchor` is the bot
    of the run that ratings compare with, where it is not the config's. Raises StoreError where the store is damaged.
    """
    meta = store.meta()
    # A fixed plan tells no figure, and drawing its line-ups takes longer than all tables.
    plan = None if meta.config.is_fixed else plan_now(store)
    tally, worst_us, late, counts_cpu = tally_for(meta.config), 0, 0, True
    windows = disturbed = 0
    former = list(_former(store))
    rated = BlockTable() if former or meta.config.order != "means" else tally.table
    results: list[Result] = []
    played: Counter[str] = Counter()
    for result in _results_of(store, plan):
        tally.add(result)
        if rated is not tally.table:
            rated.add(result)
        played.update(result.bots)
        worst_us, late = max(worst_us, result.lag_us), late + (result.lag_us > LATE_MATCH_US)
        counts_cpu = counts_cpu and result.counts_cpu
        windows, disturbed = windows + result.windows, disturbed + result.disturbed
        if with_results:
            results.append(result)
    count = tally.matches
    for result, seats in results_among_remaining(store):
        tally.add(result, seats=seats)
    names = [bot.name for bot in meta.config.bots]
    standings = tally.standings(meta.config.rank_by)
    if tally.matches:
        standings = with_entrants(standings, names)
    for result in former:
        rated.add(result)
    extent = extent_of(store)
    places = _places(store, meta, plan, is_playing=not extent.has_ended)
    ranked = meta.config.ranked or names
    unranked = [row.bot for row in standings.overall if not row.matches or row.bot not in ranked]
    ratings = ratings_of(rated, names, anchor or meta.config.anchor, unranked=unranked, looks=looks_at(meta.config))
    if places is not None:
        standings = ranked_otherwise(standings, "places", places.ranks)
    elif meta.config.order == "ratings":
        standings = ranked_otherwise(standings, "ratings", _ranks_of(ratings))
        strengths = {row.bot: row.strength for row in ratings.bots if row.blocks} if ratings is not None else {}
        standings = with_opponents(standings, strengths)
    voids = store.void_reasons()
    unplayed = given_up(store) if voids else {}
    voided = Counter(bot for _, void in store.voids() for bot in void.bots)
    left_out = Counter(bot for bots in unplayed.values() for bot in bots)
    return RunSummary(
        name=meta.config.name,
        matches=count,
        planned=extent.planned,
        goes_on=not extent.has_ended,
        voided=sum(voids.values()),
        void_reasons=voids,
        void_suspects=tuple(void_tally(store).suspects(names)) if voids else (),
        unplayed=tuple(unplayed),
        lateness=Lateness(worst_ms=worst_us / 1000, above_100_ms=late),
        counts_cpu=counts_cpu,
        results=tuple(results),
        retired=_retired(store),
        hours=meta.config.hours,
        used_s=store.used_s(),
        history=tuple(history_of(store)),
        kept_out=tuple(row for _, row in store.rows(KeptOut)),
        rounds=tuple(_rounds(store, extent)),
        end=next((one.what.reason for one in extent.rounds if isinstance(one.what, End)), None),
        stop=stop_verdict(meta.config, bytes.fromhex(meta.master_key), plan, tally, has_ended=extent.has_ended),
        version=meta.golfref,
        host=meta.host,
        hosts=_hosts(store),
        isolation=meta.config.isolation,
        rotations=meta.config.rotations,
        reuse=meta.config.reuse,
        windows=windows,
        disturbed=disturbed,
        slap_timing=_slap_timing(meta.config),
        bots=tuple(
            EnteredBot(
                name=bot.name,
                owner=bot.owner,
                version=bot.version,
                network=bot.network,
                clocks=bot.clocks,
                attempts=played[bot.name] + voided[bot.name],
                voided=voided[bot.name],
                left_out=left_out[bot.name],
            )
            for bot in sorted(meta.config.bots, key=lambda bot: bot.name)
        ),
        format=meta.config.only_format,
        challengers=meta.config.ranked or (),
        shard=meta.config.shard,
        rank_by=standings.rank_by,
        order=standings.order,
        stages=() if places is None else places.stages,
        scoring_tables=_scoring_tables(meta.config),
        commitment=meta.commitment,
        key=meta.master_key if shows_key(meta.config, extent, count) else None,
        digest=store.digest(),
        standings=standings.overall,
        variants=standings.variants,
        crosstable=standings.crosstable,
        ratings=ratings,
        influences=influences(rated, {bot.name: bot.owner for bot in meta.config.bots}),
    )


def _hosts(store: Store) -> dict[str, int]:
    hosts = store.hosts()
    counts = dict.fromkeys(sorted(one.name for one in hosts.values()), 0)
    for match in store.matches() if hosts else ():
        if match.host in hosts:
            counts[hosts[match.host].name] += 1
    return counts


def _rounds(store: Store, extent: Extent) -> Iterator[RoundSummary]:
    """What has been drawn, where the plan grows by rounds."""
    ids = store.ids() if extent.rounds else []
    for one in extent.rounds:
        if isinstance(one.what, Round):
            after = bisect(ids, one.id)
            yield RoundSummary(title=one.what.title, stage=one.what.stage, id=one.id, after=after)


def _retired(store: Store) -> tuple[RetiredMatch, ...]:
    """All that is out of the standings."""
    return tuple(
        RetiredMatch(id=row.id, variant=row.identity.variant, bots=row.identity.bots, versions=row.identity.versions)
        for row in store.retired()
    )


def _former(store: Store) -> Iterator[Result]:
    """The results of matches with bots that are gone, which count for ratings, block by block."""
    present = present_in(store)
    yield from numbered(former for row in store.retired() if (former := as_former(row, present)) is not None)


def _ranks_of(ratings: Ratings | None) -> dict[str, tuple[int, int, int]]:
    """By bot its rank, and the best and the worst that it can have."""
    rows = ratings.bots if ratings is not None else ()
    return {
        row.bot: (row.rank, row.rank_from, row.rank_to)
        for row in rows
        if row.rank is not None and row.rank_from is not None and row.rank_to is not None
    }


def _places(store: Store, meta: Meta, plan: Plan | None, *, is_playing: bool) -> FinalRanks | None:
    """The places of the bots by how far they came. None in other formats."""
    if meta.config.order != "places" or plan is None or not plan.grows:
        return None
    played = PlayedSoFar(plan, MatchIdentities(meta.config))
    for row in store.matches():
        if row.number is None or row.number < len(plan):  # not of a round that was drawn since
            played.add(row, row.number)
    field = draw_input(meta.config, bytes.fromhex(meta.master_key))
    return places_of(field, played.past(), is_playing=is_playing)


def shows_key(config: RunConfig, extent: Extent, matches: int) -> bool:
    """True if nothing is left to be dealt from the key, so that it is no secret. Other shards may have it, too.

    This is all that is withheld of a run: a new version of a bot meets cards that no former one has met.
    """
    return extent.has_ended and matches == extent.planned and config.shard is None


def _slap_timing(config: RunConfig) -> SlapTiming | None:
    return config.clocks.slap_timing if any(one.variant.options.times_slaps for one in config.variants) else None


def _scoring_tables(config: RunConfig) -> dict[str, str]:
    """Which scoring table each game of par golf used. `ours-1` is labelled as ours (PAR-25)."""
    ours = f"{OURS_1.name}, which is ours and not the game publisher's"
    games = {entry.name: entry.variant for entry in config.variants}
    tables = {name: game.options.par_table.name for name, game in games.items() if game.scores_by_row}
    return {name: ours if table == OURS_1.name else table for name, table in tables.items()}
