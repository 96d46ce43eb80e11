"""The plans that a run has had: one for each config, which grows by the rounds that its history tells.

This module must not know how rounds are drawn.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.config.planned import MatchIdentities, whole_deals_of_all
from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.deals import WholeDeals
from referee.tournament.plan.plan import FormerTable, Plan
from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.disk import StoreError
from referee.tournament.store.events import told_as_drawn
from referee.tournament.store.played import Present
from referee.tournament.store.store import Store


class Told(Struct, frozen=True, kw_only=True):
    """A round or an end, as the history of a run tells it."""

    event: int
    """The number of the event, from 1."""
    after: int
    """How many matches had been committed before it."""
    lines: tuple[str, ...]
    """How it is told."""
    what: Round | End


class Stretch(Struct, frozen=True, kw_only=True):
    """A stretch of a run in which its config stayed the same."""

    facts: RunConfig
    after: int
    """How many matches had been committed before it."""
    event: int
    """The number of the event with which it began, 0 for the first."""
    told: tuple[Told, ...]
    """What was drawn in it."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing was to be added to its plan any more."""
        return self.facts.is_fixed or any(isinstance(one.what, End) for one in self.told)


def stretches_of(store: Store) -> list[Stretch]:
    """The stretches of a run, in order. Raises StoreError."""
    former = store.former()
    begins = [(0, 0), *((one.after, one.event) for one in former)]
    configs = [*(one.facts for one in former), store.meta().facts]
    told = list(_told(store))
    known: set[str] = set()
    stretches = []
    for place, (facts, (after, event)) in enumerate(zip(configs, begins, strict=True)):
        end = begins[place + 1][1] if place + 1 < len(begins) else None
        own = tuple(one for one in told if one.event > event and (end is None or one.event < end))
        known.update(bot.name for bot in facts.bots)
        _check_entered(store, own, known)
        stretches.append(Stretch(facts=facts, after=after, event=event, told=own))
    return stretches


def _check_entered(store: Store, told: Iterable[Told], known: AbstractSet[str]) -> None:
    """Raises StoreError where somebody takes part in a stage twice, or who is not `known`: never was in the run."""
    for one in told:
        entered = one.what.entered if isinstance(one.what, Round) else ()
        if len(entered) > len(known) or len(set(entered)) < len(entered) or not known >= set(entered):
            what = "a round is damaged (bots take part twice, or were never in the run)"
            raise StoreError(f"{store.path}: event #{one.event}: {what}")


def _told(store: Store) -> Iterator[Told]:
    for number, event in enumerate(store.history(), 1):
        try:
            what = told_as_drawn(event.lines)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise StoreError(f"{store.path}: event #{number} tells a round that is damaged ({error})") from None
        if what is not None:
            yield Told(event=number, after=event.after, lines=event.lines, what=what)


def plans_until(stretches: Sequence[Stretch], key: bytes) -> list[Plan]:
    """By stretch the plan, with all that was drawn until its end. Raises ValueError where there can be none."""
    wholes = whole_deals_of_all([one.facts for one in stretches], key)
    return [grown(whole, stretches[place].facts, stretches[: place + 1]) for place, whole in enumerate(wholes)]


def grown(whole: WholeDeals, facts: RunConfig, stretches: Sequence[Stretch]) -> Plan:
    """The plan of a config for a run that has had these stretches, made from its whole deals.

    Raises ValueError where there can be none.
    """
    if facts.is_fixed:
        return Plan(whole, shard=facts.shard)
    rounds = (one.what for one in told_under(facts, stretches) if isinstance(one.what, Round))
    plan = Plan(whole, rounds=rounds)
    if len(facts.stages) > 1:
        plan.former_stages = dict(_tables_by_stage(stretches))
    return plan


def _tables_by_stage(stretches: Sequence[Stretch]) -> Iterator[tuple[FormerTable, int]]:
    """Each table that was drawn, with its stage."""
    for stretch in stretches:
        entries = MatchIdentities(stretch.facts).entries
        for drawn in (one.what for one in stretch.told if isinstance(one.what, Round)):
            for table in drawn.tables:
                bots = frozenset(entries[bot] for bot in table.bots if bot in entries)
                yield (table.variant, bots, table.deal), drawn.stage


class Extent(Struct, frozen=True, kw_only=True):
    """How much a run has to play."""

    planned: int
    """How many matches the plan has, as far as it has been drawn."""
    rounds: tuple[Told, ...] = ()
    """The rounds of the plan, where it grows, and the end where it has come."""
    has_ended: bool = True
    """Whether nothing will be added to the plan."""

    def has_ended_after(self, events: int) -> bool:
        """Whether nothing was to be added to the plan when its history had so many events."""
        return self.has_ended and all(one.event <= events for one in self.rounds)


def extent_of(store: Store) -> Extent:
    """How much a run has to play. Raises StoreError."""
    meta = store.meta()
    if meta.facts.is_fixed:
        _check_numbers(store, store.numbers(), meta.matches)
        return Extent(planned=meta.matches)
    stretches = stretches_of(store)
    ends = [one for one in stretches[-1].told if isinstance(one.what, End)]
    return Extent(
        planned=len(plan_now(store)),
        rounds=(*told_under(meta.facts, stretches), *ends),
        has_ended=bool(ends),
    )


def plan_now(store: Store) -> Plan:
    """The plan of a run, as far as it has been drawn. Raises StoreError where there can be none."""
    numbers = store.numbers()  # first of all: while the run goes on, rounds may come that have more
    with following(store):
        plan = plans_until(stretches_of(store), bytes.fromhex(store.meta().master_key))[-1]
    _check_numbers(store, numbers, len(plan))
    return plan


def _check_numbers(store: Store, numbers: Iterable[int], planned: int) -> None:
    """Raise StoreError where one of these numbers of matches is not in a plan of so many."""
    if wrong := [number for number in numbers if not 0 <= number < planned]:
        what = f"the plan has matches 0 to {planned - 1}, not {wrong[0]}"
        raise StoreError(f"{store.path}: {what}; `golfref verify` says more")


@contextmanager
def following(store: Store) -> Iterator[None]:
    """Raises StoreError where a plan that is made inside cannot follow from what the store tells."""
    try:
        yield
    except ValueError as error:
        raise StoreError(f"{store.path}: no plan follows from its config and its rounds ({error})") from None


def matches_told(facts: RunConfig, plan: Plan) -> int:
    """How many matches a store tells of its plan: 0 where the plan grows, since nobody knows then."""
    return len(plan) if facts.is_fixed else 0


def present_in(store: Store) -> Present:
    """Which bots and games are in a run now. Raises StoreError."""
    return Present(MatchIdentities(store.meta().facts))


def told_under(facts: RunConfig, stretches: Sequence[Stretch]) -> Iterator[Told]:
    """All rounds that these stretches had, as far as they belong into a run with this config.

    A table belongs there as long as its game and all its bots do, in the versions of when it was drawn; a whole deal as
    long as the config has so many deals.
    """
    now = MatchIdentities(facts)
    for stretch in stretches:
        then = MatchIdentities(stretch.facts)
        bots = {name for name, entry in then.entries.items() if now.entries.get(name) == entry}
        games = {name for name, game in then.games.items() if now.games.get(name) == game}
        for one in stretch.told:
            drawn = one.what
            if isinstance(drawn, End):
                continue
            if drawn.whole_deal is None and stretch.facts is not facts:
                tables = (table for table in drawn.tables if table.variant in games and bots.issuperset(table.bots))
                yield replace(one, what=replace(drawn, tables=tuple(tables)))
            elif drawn.whole_deal is None or drawn.whole_deal < facts.stages[0].deals:
                yield one
