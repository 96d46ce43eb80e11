"""Amending a run: what a changed config does to the matches of a run that has begun. It is told first, then done.

A match that was played counts as long as the plan has it: the same game, deal and seats, and the same versions of the
bots. All else stays in the store, out of the standings, and comes back if the plan has it again. This module must not
know how matches are played.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from referee.toml.reader import Problem
from referee.tournament.config.differences import config_differences
from referee.tournament.config.planned import MatchIdentities, draw_input, whole_deals_of
from referee.tournament.config.run_config import RunConfig
from referee.tournament.formats.draw import will_not_play
from referee.tournament.formats.table import ranked_by
from referee.tournament.plan.fixture import Identity, PlannedMatch
from referee.tournament.plan.plan import Plan
from referee.tournament.store.plans import grown, matches_told, plans_until, stretches_of
from referee.tournament.store.played import Present
from referee.tournament.store.rows import CommittedMatch, Meta
from referee.tournament.store.store import Store


class Amendment(Struct, frozen=True, kw_only=True):
    """What would become of a run under a changed config. Numbers are those of matches."""

    changes: list[str]
    """Changes in words. There are none where the config is the run's own."""
    refused: list[Problem]
    """Changes that no run can take, with the reason. Where there are any, the rest means nothing."""
    meta: Meta
    """What the run is once it is amended."""
    places: dict[int, PlannedMatch]
    """By id, the committed matches that count afterwards."""
    there: dict[str, int]
    """By variant, how many matches count afterwards."""
    lineups: dict[str, tuple[int, int]] = {}
    """By variant of which a sample is and was played, how many line-ups it had and has."""
    before: int = 0
    """How many the plan has as it is."""
    kept: int = 0
    """How many count now and afterwards."""
    dropped: int = 0
    """How many count now but not afterwards. They stay in the store."""
    returned: int = 0
    """How many were dropped earlier and count again."""
    added: int = 0
    """How many are in the new plan, but not in the plan as it is."""
    planned: int = 0
    """How many matches are in the plan afterwards, as far as it has been drawn."""
    lost: dict[str, int] = {}
    """By bot that is in the config, how many of its matches count now but not afterwards."""
    shortened: dict[str, int] = {}
    """By bot, how many of its matches count on without bots that left their tables."""
    had: dict[str, int] = {}
    """By bot, how many of its matches count now."""
    will_not_play: list[str] = []
    """Which bots of the config will play no match, and what lets them play, in words."""
    was_complete: bool = False
    """Whether every match was there, so that the key has been revealed."""

    def number_of(self, row: CommittedMatch) -> int | None:
        """The number that a committed match has afterwards. None where it is not in the plan."""
        if not self.changes:
            return row.number
        place = self.places.get(row.id)
        return None if place is None else place.number

    def lines(self) -> list[str]:
        """All of it in words."""
        back = f", {self.returned} that were dropped earlier count again" if self.returned else ""
        plan = f"{self.before} -> {self.planned} in the plan, {self.added} of them added"
        played = f"of those played {self.kept} kept, {self.dropped} dropped{back}"
        lineups = [f"line-ups of `{name}`: {had} -> {has}" for name, (had, has) in self.lineups.items() if had != has]
        left = f"{self.planned - len(self.places)} to play"
        if not self.meta.facts.is_fixed:
            left += " before the next round is drawn"
        return [*self.changes, *lineups, f"matches: {plan}; {played}; {left}"]

    def losses(self) -> list[str]:
        """Whose matches no longer count, and whose count without bots that left the tables, in words."""
        ratings = ", but for the ratings of the others" * (self.meta.facts.order != "means")
        has_means = any(ranked_by(rules) == "means" for rules in self.meta.facts.stages)
        means = ", but not for the order in a round-robin stage" * has_means
        told = {
            f"matches that no longer count{ratings}": self.lost,
            f"matches that count on among the remaining bots of the table{means}": self.shortened,
        }
        return [
            f"{what}: {', '.join(f'{bot} {count} of {self.had[bot]}' for bot, count in sorted(bots.items()))}"
            for what, bots in told.items()
            if bots
        ]

    @property
    def warning(self) -> str:
        """What to know before deals are drawn from a key that has been shown. Empty where it has not.

        Whoever knows a run's seed has known its deals from the start.
        """
        facts = self.meta.facts
        if not self.was_complete or facts.seed or (facts.is_fixed and self.planned == len(self.places)):
            return ""
        return (
            "the run was complete and its key has been shown: whoever has seen it can work out the cards of the "
            "matches to come; --fresh begins anew with another key"
        )


def amendment(store: Store, facts: RunConfig) -> Amendment:
    """What it would mean for a run to go on with the config of these facts; raises StoreError."""
    meta = store.meta()
    found = config_differences(meta.facts, facts)
    if found.refused or not found.changes:
        return Amendment(changes=found.changes, refused=found.refused, meta=meta, places={}, there=store.counts())
    rows = [(row.identity, row.id, row.number) for row in store.committed()]
    counting = {id_ for _, id_, number in rows if number is not None}
    stretches, key = stretches_of(store), bytes.fromhex(meta.master_key)
    plans = Plans(
        old=plans_until(stretches, key)[-1],
        new=grown(whole_deals_of(configs_with(store, facts), key), facts, stretches),
        had_ended=stretches[-1].has_ended,
    )
    return amended(meta, facts, plans, {identity: id_ for identity, id_, _ in rows}, counting)


class Plans(Struct, frozen=True, kw_only=True):
    """What an amendment makes of the plan of a run."""

    old: Plan
    new: Plan
    had_ended: bool
    """Whether nothing more was to be added to the old one."""


def configs_with(store: Store, facts: RunConfig) -> list[RunConfig]:
    """All configs that a run has had once it goes on with the config of these facts."""
    *former, last = store.configs()
    return [*former, last, facts] if config_differences(last, facts).changes else [*former, facts]


def amended(
    meta: Meta, facts: RunConfig, plans: Plans, ids: Mapping[Identity, int], counting: AbstractSet[int]
) -> Amendment:
    """What becomes of a run that has committed the matches with these `ids`, of which those in `counting` count.

    Whether it can become that is for `amendment` to say.
    """
    changes = config_differences(meta.facts, facts).changes
    unchanged = Amendment(changes=changes, refused=[], meta=meta, places={}, there={})
    old, new, terms = plans.old, plans.new, MatchIdentities(facts)
    places: dict[int, PlannedMatch] = {}
    added = 0
    for fixture in new:
        identity = terms.identity(fixture)
        if identity in ids:
            places[ids[identity]] = fixture
        added += not old.has_table(identity.variant, identity.bots, identity.deal)
    kept = len(counting & places.keys())
    before, after = _Counting(meta.facts, counting), _Counting(facts, places)
    had, lost, shortened = Counter[str](), Counter[str](), Counter[str]()
    for identity, id_ in ids.items():
        counted, counts = before.bots(identity, id_), after.bots(identity, id_)
        had.update(counted)
        lost.update(bot for bot in counted if bot in terms.versions and bot not in counts)
        shortened.update(bot for bot in counts if bot in counted and len(counts) < len(counted))
    still_there = {bot for identity in ids for bot in after.present.bots(identity)}
    return replace(
        unchanged,
        meta=replace(meta, facts=facts, matches=matches_told(facts, new)),
        planned=len(new),
        places=places,
        there=Counter(place.variant for place in places.values()),
        lineups=_sampled(meta.facts, facts, plans),
        before=len(old),
        kept=kept,
        dropped=len(counting) - kept,
        returned=len(places) - kept,
        added=added,
        lost=dict(lost),
        shortened=dict(shortened),
        had=dict(had),
        will_not_play=will_not_play(draw_input(facts, bytes.fromhex(meta.master_key)), new.rounds, still_there)
        if new.grows
        else [],
        was_complete=plans.had_ended and len(counting) == len(old),
    )


def _sampled(before: RunConfig, after: RunConfig, plans: Plans) -> dict[str, tuple[int, int]]:
    is_sampled = len(after.stages) == 1 and None not in (before.stages[0].lineups, after.stages[0].lineups)
    if not is_sampled:
        return {}
    old, new = plans.old.whole.lineups, plans.new.whole.lineups
    return {name: (old[name], new[name]) for name in new if name in old}


class _Counting:
    """For which bots a match counts in a run with this config."""

    def __init__(self, facts: RunConfig, whole: Container[int]) -> None:
        """`whole` has the ids of the matches in the plan."""
        self.present = Present(MatchIdentities(facts))
        self._has_rest, self._whole = facts.order != "means", whole

    def bots(self, match: Identity, id_: int) -> Sequence[str]:
        """All of a match in the plan, and where means are not compared those that are left of another one."""
        if id_ in self._whole:
            return match.bots
        return self.present.remaining(match) if self._has_rest else ()
