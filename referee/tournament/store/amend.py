"""Amending a run: what a changed config does to the matches of a run that has begun. It is told first, then done.

A match that was played counts as long as the plan has it: the same game, deal and seats, and the same versions of the
bots. All else stays in the store, out of the standings, and comes back if the plan has it again. This module must not
know how matches are played.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.toml.reader import Problem
from referee.tournament.config.differences import config_differences
from referee.tournament.config.planned import MatchIdentities, draw_input, whole_deals_of
from referee.tournament.config.run_config import RunConfig
from referee.tournament.formats.draw import will_not_play
from referee.tournament.formats.table import ranked_by
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import Identity
from referee.tournament.store.plans import finder, grown, matches_told, periods_of, placed, plan_of
from referee.tournament.store.played import Present
from referee.tournament.store.rows import Amended, Meta, Place
from referee.tournament.store.store import Store


class Amendment(Struct, frozen=True, kw_only=True):
    """What would become of a run under a changed config. Numbers are those of matches."""

    changes: list[str]
    """Changes in words. There are none where the config is the run's own."""
    refused: list[Problem]
    """Changes that no run can take, with the reason. Where there are any, the rest means nothing."""
    meta: Meta
    """What the run is once it is amended."""
    places: tuple[Place, ...] = ()
    """All committed matches, each with its place afterwards. Those that an amendment drops now have none yet."""
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

    @property
    def row(self) -> Amended:
        """The row of the journal that makes it so."""
        return Amended(config=self.meta.config, matches=self.meta.matches)

    def places_by(self, id_: int) -> Iterator[Place]:
        """All places, once the amendment has this id."""
        for one in self.places:
            yield one if one.number is not None or one.dropped_by else replace(one, dropped_by=id_)

    def numbers(self) -> dict[int, int | None]:
        """By id the number of each committed match afterwards; None where it does not count."""
        return {one.id: one.number for one in self.places}

    def lines(self) -> list[str]:
        """All of it in words."""
        back = f", {self.returned} that were dropped earlier count again" if self.returned else ""
        plan = f"{self.before} -> {self.planned} in the plan, {self.added} of them added"
        played = f"of those played {self.kept} kept, {self.dropped} dropped{back}"
        lineups = [f"line-ups of `{name}`: {had} -> {has}" for name, (had, has) in self.lineups.items() if had != has]
        left = f"{self.planned - self.counting} to play"
        if not self.meta.config.is_fixed:
            left += " before the next round is drawn"
        return [*self.changes, *lineups, f"matches: {plan}; {played}; {left}"]

    @property
    def counting(self) -> int:
        """How many matches count afterwards."""
        return sum(self.there.values())

    def losses(self) -> list[str]:
        """Whose matches no longer count, and whose count without bots that left the tables, in words."""
        ratings = ", but for the ratings of the others" * (self.meta.config.order != "means")
        has_means = any(ranked_by(rules) == "means" for rules in self.meta.config.stages)
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
        config = self.meta.config
        if not self.was_complete or config.seed or (config.is_fixed and self.planned == self.counting):
            return ""
        return (
            "the run was complete and its key has been shown: whoever has seen it can work out the cards of the "
            "matches to come; --fresh begins anew with another key"
        )


def amendment(store: Store, config: RunConfig) -> Amendment:
    """What it would mean for a run to go on with this config; raises StoreError."""
    meta = store.meta()
    found = config_differences(meta.config, config)
    unchanged = Amendment(changes=found.changes, refused=found.refused, meta=meta, there=store.counts())
    return unchanged if found.refused or not found.changes else _amended(store, unchanged, config)


def configs_with(store: Store, config: RunConfig) -> list[RunConfig]:
    """All configs that a run has had once it goes on with this config."""
    *former, last = store.configs()
    return [*former, last, config] if config_differences(last, config).changes else [*former, config]


class _Plans(Struct, frozen=True, kw_only=True):
    """What an amendment makes of the plan of a run."""

    old: Plan
    new: Plan


def _amended(store: Store, unchanged: Amendment, config: RunConfig) -> Amendment:
    """What becomes of a run under another config that it can take."""
    meta, periods = unchanged.meta, periods_of(store)
    key = bytes.fromhex(meta.master_key)
    new = grown(whole_deals_of(configs_with(store, config), key), config, periods)
    plans = _Plans(old=plan_of(periods, key), new=new)
    terms = MatchIdentities(config)
    number_of = finder(new, terms)
    had_places = {one.id: one for one in store.places()}
    places: list[Place] = []
    there, had, lost, shortened = (Counter[str]() for _ in range(4))
    before, after = _Counting(meta.config), _Counting(config)
    kept = dropped = returned = 0
    still_there = set[str]()
    for match in store.matches():
        identity, counted, number = match.identity, match.number is not None, number_of(match.identity)
        places.append(
            replace(had_places[match.id], number=None, block=None) if number is None else placed(new, match.id, number)
        )
        there[identity.variant] += number is not None
        kept += counted and number is not None
        dropped += counted and number is None
        returned += number is not None and not counted
        bots = before.bots(identity, is_whole=counted)
        counts = after.bots(identity, is_whole=number is not None)
        had.update(bots)
        lost.update(bot for bot in bots if bot in terms.versions and bot not in counts)
        shortened.update(bot for bot in counts if bot in bots and len(counts) < len(bots))
        still_there.update(after.present.bots(identity))
    return replace(
        unchanged,
        meta=replace(meta, config=config, matches=matches_told(config, new)),
        planned=len(new),
        places=tuple(places),
        there=+there,
        lineups=_sampled(meta.config, config, plans),
        before=len(plans.old),
        kept=kept,
        dropped=dropped,
        returned=returned,
        added=_added(plans),
        lost=dict(lost),
        shortened=dict(shortened),
        had=dict(had),
        will_not_play=will_not_play(draw_input(config, key), new.rounds, still_there) if new.grows else [],
        was_complete=periods[-1].has_ended and kept + dropped == len(plans.old),
    )


def _added(plans: _Plans) -> int:
    """How many matches are in the new plan, but not in the old one."""
    old, new = plans.old, plans.new
    added = number = 0
    while number < len(new):
        _, block, _ = new.block_at(number)
        seats = len(block.lineup)
        bots = (new.whole.bots[bot] for bot in block.lineup)
        added += 0 if old.has_table(block.variant, bots, block.deal) else seats
        number += seats
    return added


def _sampled(before: RunConfig, after: RunConfig, plans: _Plans) -> dict[str, tuple[int, int]]:
    is_sampled = len(after.stages) == 1 and None not in (before.stages[0].lineups, after.stages[0].lineups)
    if not is_sampled:
        return {}
    old, new = plans.old.whole.lineups, plans.new.whole.lineups
    return {name: (old[name], new[name]) for name in new if name in old}


class _Counting:
    """For which bots a match counts in a run with this config."""

    def __init__(self, config: RunConfig) -> None:
        self.present = Present(MatchIdentities(config))
        self._has_rest = config.order != "means"

    def bots(self, match: Identity, *, is_whole: bool) -> Sequence[str]:
        """All of a match in the plan, and where means are not compared those that are left of another one."""
        if is_whole:
            return match.bots
        return self.present.remaining(match) if self._has_rest else ()
