"""The plans that a run has had: one for each config, which grows by the rounds that its journal has.

This module must not know how rounds are drawn.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.config.planned import MatchIdentities, whole_deals_of
from referee.tournament.config.run_config import RunConfig
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.deals import WholeDeals
from referee.tournament.plan.plan import FormerTable, Plan
from referee.tournament.plan.planned_match import Identity
from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.disk import StoreError
from referee.tournament.store.played import Present
from referee.tournament.store.rows import Amended, Begin, Drawn, Ended, Place
from referee.tournament.store.store import Store


class DrawnRow(Struct, frozen=True, kw_only=True):
    """A round or an end, with the id of its row."""

    id: int
    what: Round | End


class ConfigPeriod(Struct, frozen=True, kw_only=True):
    """A period of a run in which its config stayed the same."""

    id: int
    """The id of the row with which it began: the first one, or an amendment."""
    config: RunConfig
    matches: int
    """How many matches the plan has by this row; 0 where it is drawn round by round."""
    drawn: tuple[DrawnRow, ...] = ()
    """What was drawn in it."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing was to be added to its plan any more."""
        return self.config.is_fixed or any(isinstance(one.what, End) for one in self.drawn)


def periods_of(store: Store, until: int | None = None) -> list[ConfigPeriod]:
    """The periods of a run, in order; or only as far as to the row of an id. Raises StoreError."""
    begin = store.begin()
    rows: list[tuple[int, Struct]] = [(1, begin), *store.rows(Amended, Drawn, Ended)]
    return periods_in((id_, row) for id_, row in rows if until is None or id_ <= until)


def periods_in(rows: Iterable[tuple[int, Struct]]) -> list[ConfigPeriod]:
    """The periods of a run, given its rows, of which all but those that begin them or draw something are left out."""
    configs: list[tuple[int, Begin | Amended, list[DrawnRow]]] = []
    for id_, row in rows:
        if isinstance(row, Begin | Amended):
            configs.append((id_, row, []))
        elif isinstance(row, Drawn | Ended) and configs:
            configs[-1][2].append(DrawnRow(id=id_, what=row.what))
    return [
        ConfigPeriod(id=id_, config=row.config, matches=row.matches, drawn=tuple(drawn)) for id_, row, drawn in configs
    ]


def check_entered(drawn: Round, known: AbstractSet[str]) -> None:
    """Raise ValueError where somebody takes part in a stage twice, or who is not `known`: never was in the run."""
    entered = drawn.entered
    if len(entered) > len(known) or len(set(entered)) < len(entered) or not known >= set(entered):
        raise ValueError("bots take part in a stage twice, or were never in the run")


def plan_of(periods: Sequence[ConfigPeriod], key: bytes) -> Plan:
    """The plan of the last of these periods, with all that was drawn. Raises ValueError where there can be none."""
    whole = whole_deals_of([one.config for one in periods], key)
    return grown(whole, periods[-1].config, periods)


def grown(whole: WholeDeals, config: RunConfig, periods: Sequence[ConfigPeriod]) -> Plan:
    """The plan of a config for a run that has had these periods, made from its whole deals.

    Raises ValueError where there can be none.
    """
    if config.is_fixed:
        return Plan(whole, shard=config.shard)
    known = {bot.name for one in (*(period.config for period in periods), config) for bot in one.bots}
    rounds = [one.what for one in rounds_under(config, periods) if isinstance(one.what, Round)]
    for drawn in rounds:
        check_entered(drawn, known)
    plan = Plan(whole, rounds=rounds)
    if len(config.stages) > 1:
        plan.former_stages = dict(_tables_by_stage(periods))
    return plan


def _tables_by_stage(periods: Sequence[ConfigPeriod]) -> Iterator[tuple[FormerTable, int]]:
    """Each table that was drawn, with its stage."""
    for period in periods:
        entries = MatchIdentities(period.config).entries
        for drawn in (one.what for one in period.drawn if isinstance(one.what, Round)):
            for table in drawn.tables:
                bots = frozenset(entries[bot] for bot in table.bots if bot in entries)
                yield (table.variant, bots, table.deal), drawn.stage


def rounds_under(config: RunConfig, periods: Sequence[ConfigPeriod]) -> Iterator[DrawnRow]:
    """All rounds that these periods had, as far as they belong into a run with this config.

    A table belongs there as long as its game and all its bots do, in the versions of when it was drawn; a whole deal as
    long as the config has so many deals.
    """
    now = MatchIdentities(config)
    for period in periods:
        then = MatchIdentities(period.config)
        bots = {name for name, entry in then.entries.items() if now.entries.get(name) == entry}
        games = {name for name, game in then.games.items() if now.games.get(name) == game}
        for one in period.drawn:
            drawn = one.what
            if isinstance(drawn, End):
                continue
            if drawn.whole_deal is None and period.config is not config:
                tables = (table for table in drawn.tables if table.variant in games and bots.issuperset(table.bots))
                yield replace(one, what=replace(drawn, tables=tuple(tables)))
            elif drawn.whole_deal is None or drawn.whole_deal < config.stages[0].deals:
                yield one


class Extent(Struct, frozen=True, kw_only=True):
    """How much a run has to play."""

    planned: int
    """How many matches the plan has, as far as it has been drawn."""
    rounds: tuple[DrawnRow, ...] = ()
    """The rounds of the plan, where it grows, and the end where it has come."""
    has_ended: bool = True
    """Whether nothing will be added to the plan."""


def extent_of(store: Store) -> Extent:
    """How much a run has to play. Raises StoreError."""
    meta = store.meta()
    if meta.config.is_fixed:
        _check_numbers(store, store.numbers(), meta.matches)
        return Extent(planned=meta.matches)
    periods = periods_of(store)
    ends = [one for one in periods[-1].drawn if isinstance(one.what, End)]
    return Extent(
        planned=len(plan_now(store)),
        rounds=(*rounds_under(periods[-1].config, periods), *ends),
        has_ended=bool(ends),
    )


def was_complete(store: Store, id_: int) -> bool:
    """Whether nothing was left to be played when the row of this id was written. Raises StoreError."""
    *_, period = periods_of(store, until=id_)
    if not period.config.is_fixed:
        return period.has_ended
    then = sum(one.id <= id_ and (one.number is not None or (one.dropped_by or 0) > id_) for one in store.places())
    return then >= period.matches


def plan_now(store: Store) -> Plan:
    """The plan of a run, as far as it has been drawn. Raises StoreError where there can be none."""
    numbers = store.numbers()  # first of all: while the run goes on, rounds may come that have more
    with following(store):
        plan = plan_of(periods_of(store), bytes.fromhex(store.meta().master_key))
    _check_numbers(store, numbers, len(plan))
    return plan


def _check_numbers(store: Store, numbers: Iterable[int], planned: int) -> None:
    """Raise StoreError where one of these numbers of matches is not in a plan of so many."""
    if wrong := [number for number in numbers if not 0 <= number < planned]:
        what = f"the plan has matches 0 to {planned - 1}, not {wrong[0]}"
        raise StoreError(f"{store.path}: {what}; `golfref verify` says more")


@contextmanager
def following(store: Store) -> Iterator[None]:
    """Raises StoreError where a plan that is made inside cannot follow from what the store holds."""
    try:
        yield
    except ValueError as error:
        raise StoreError(f"{store.path}: no plan follows from its config and its rounds ({error})") from None


def matches_told(config: RunConfig, plan: Plan) -> int:
    """How many matches a row of a config says that its plan has: 0 where the plan grows, since nobody knows then."""
    return len(plan) if config.is_fixed else 0


def present_in(store: Store) -> Present:
    """Which bots and games are in a run now. Raises StoreError."""
    return Present(MatchIdentities(store.meta().config))


def finder(plan: Plan, terms: MatchIdentities) -> Callable[[Identity], int | None]:
    """What finds the number of a match in a plan, made from the config with these terms. None where it has none.

    That the bots sit as they do in the plan is for `verify` to check.
    """

    def number_of(match: Identity) -> int | None:
        if terms.games.get(match.variant) != match.game:
            return None
        if not all(terms.entries.get(entry[0]) == entry for entry in match.entries):
            return None
        return plan.number_of(match.variant, match.bots, match.deal, match.rotation)

    return number_of


def placed(plan: Plan, id_: int, number: int) -> Place:
    """The place of a match that has this number in the plan."""
    block, _, _ = plan.block_at(number)
    return Place(id=id_, number=number, block=block)


def given_up(store: Store) -> dict[int, tuple[str, ...]]:
    """By number the matches of the plan that were voided at every attempt, with their bots by seat.

    Those without a result are meant, and voids since the run was last amended. Raises StoreError.
    """
    since = store.last_amendment()
    found = {row.identity for id_, row in store.voids() if id_ > since and row.attempt >= ATTEMPTS}
    if not found:
        return {}
    plan = plan_now(store)
    number_of, there = finder(plan, MatchIdentities(store.meta().config)), store.numbers()
    numbers = {number: match.bots for match in found if (number := number_of(match)) is not None}
    return {number: numbers[number] for number in sorted(numbers.keys() - there)}
