"""The course of a run: which config it had when, what played it, and what its history and its voids tell of that.

A run is amended in stages. Each match, each void and each event belongs to the stage in which it came, and is held
against the facts of that stage, not against those of today.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import comb

from msgspec.structs import replace

from protocol.text import printable
from referee import __version__
from referee.entries.versions import short
from referee.tournament.config.differences import config_differences
from referee.tournament.config.planned import MatchIdentities, whole_deals_of_all
from referee.tournament.config.run_config import RunConfig
from referee.tournament.formats.table import FORMATS
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.fixture import Identity, PlannedMatch
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import Round, StageRules
from referee.tournament.store.amend import Amendment, Plans, amended
from referee.tournament.store.events import (
    KeptOut,
    golfref_of,
    tells_changed_bot,
    tells_host_left_out,
    tells_host_lost,
    tells_origin,
    tells_part,
    told_as_kept_out,
    told_as_played_for,
)
from referee.tournament.store.plans import Stretch, grown, stretches_of
from referee.tournament.store.rows import Meta, RunEvent, Void
from referee.tournament.store.store import Store
from referee.tournament.store.tables import EARLIER_FORMAT
from referee.tournament.verify.compare import LONGEST_SHOWN

_TOLD_NOTHING = frozenset({"0.1.0", "0.2.0"})
"""Versions of golfref that did not tell in the history that they went on with a run."""

_WORDED_ALIKE = frozenset({"0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", __version__})
"""Versions of golfref that tell the events of a history in the same words."""


MOST_MATCHES = 10_000_000
"""Of how many matches a plan is followed: weeks of play. Nobody waits for what a hostile store could ask for."""


MOST_BOTS = 2000
"""Of how many bots rounds are drawn again: a round of a thousand takes ten seconds, one of two thousand a minute."""


class Stage:
    """A stretch of a run in which its config stayed the same."""

    def __init__(self, stretch: Stretch, begun: Plan, plan: Plan) -> None:
        """`begun` is the plan with which it began, `plan` the one with all that was drawn in it."""
        self.facts, self.since, self.events, self.told = stretch.facts, stretch.after, stretch.event, stretch.told
        self.begun, self.plan, self.has_ended = begun, plan, stretch.has_ended
        self.terms = MatchIdentities(self.facts)

    def has(self, match: Identity) -> bool:
        """Whether the plan has a match, with these versions of the bots and of the game."""
        known = all(self.terms.entries.get(entry[0]) == entry for entry in match.entries)
        same_game = self.terms.games.get(match.variant) == match.game
        return known and same_game and self.plan.has_table(match.variant, match.bots, match.deal)

    def fixture(self, number: int) -> PlannedMatch | None:
        """The match of this number. None outside the plan."""
        return self.plan[number] if 0 <= number < len(self.plan) else None


def followed_stages(stretches: Sequence[Stretch], key: bytes) -> Iterator[Stage]:
    """The stages of a run. Raises ValueError where nobody can follow their plans."""
    for facts in (one.facts for one in stretches):
        _check_bounds(facts)
    tables = sum(len(told.what.tables) for one in stretches for told in one.told if isinstance(told.what, Round))
    if tables * len(stretches) > MOST_MATCHES:  # each amendment looks at all of them
        raise ValueError(f"{tables} tables and {len(stretches) - 1} amendments, more than anybody follows")
    for place, whole in enumerate(whole_deals_of_all([one.facts for one in stretches], key)):
        stretch = stretches[place]
        begun, plan = (grown(whole, stretch.facts, stretches[:until]) for until in (place, place + 1))
        if (matches := sum(plan.matches.values())) > MOST_MATCHES:
            raise ValueError(f"{matches} matches in the plan; expected {MOST_MATCHES} at most")
        yield Stage(stretch, begun, plan)


def _check_bounds(facts: RunConfig) -> None:
    """Raises ValueError where more is to be drawn than anybody follows."""
    for rules in facts.stages:
        figures = {"line-ups": rules.lineups}
        if not facts.is_fixed:
            figures |= {"deals": rules.deals, "rounds": rules.rounds, "deals of a tie": rules.limit}
        for what, count in figures.items():
            if count is not None and count > MOST_MATCHES:
                raise ValueError(f"{count} {what}; expected {MOST_MATCHES} at most")
        if not facts.is_fixed and not facts.traits.has_whole_deals:
            tables = rules.deals * sum(_tables(rules, len(facts.bots), one.seats) for one in facts.variants)
            if len(facts.bots) > MOST_BOTS:
                raise ValueError(f"rounds of {len(facts.bots)} bots; expected {MOST_BOTS} at most")
            if tables > MOST_MATCHES:
                raise ValueError(f"rounds of up to {tables} tables; expected {MOST_MATCHES} at most")


def _useless(facts: RunConfig) -> Iterator[str]:
    """What is wrong with settings of formats that are set although the format of their stage has no use for them."""
    for place, rules in enumerate(facts.stages, 1):
        useful = FORMATS[rules.format].keys | ({"advance"} if place < len(facts.stages) else set())
        for key in {"rounds", "advance", "limit", "challengers"} - useful:
            if getattr(rules, key):
                yield f"a {rules.format} has no use for `{key}`, but it is set"


def _tables(rules: StageRules, bots: int, seats: int) -> int:
    """How many line-ups a round that tells its tables has of a variant, at most."""
    return rules.lineups or (comb(bots, seats) if FORMATS[rules.format].has_whole_deals else bots)


class Course:
    """All stages of a run, with what happened to it. Raises StoreError, and ValueError where no plan follows."""

    def __init__(self, store: Store, meta: Meta) -> None:
        key, stretches = bytes.fromhex(meta.master_key), stretches_of(store)
        self.stages = list(followed_stages(stretches, key))
        self.stretches = stretches
        self._drawn = {one.event for stretch in stretches for one in stretch.told}
        """The numbers of the events that tell what was drawn."""
        self._meta, self._store = meta, store
        self._events = store.history()
        self._origins = [meta.origin.in_words]
        """What played, in the words of the history: at first, and after each event."""
        for event in self._events:
            told = (line for line in reversed(event.lines) if tells_origin(line))
            self._origins.append(next(told, self._origins[-1]))
        self._afters = list(accumulate((event.after for event in self._events), max))
        """How many matches had been committed before each event, or before an earlier one that claims to be later."""
        self._committed = len(store.ids())
        self._is_earlier = store.format == EARLIER_FORMAT
        self._voided: dict[Identity, list[Void]] = defaultdict(list)
        """The voids of each match, where the store tells when they came."""

    @property
    def now(self) -> Stage:
        """The stage in which the run is."""
        return self.stages[-1]

    def at(self, id_: int) -> Stage:
        """The stage in which a match was committed."""
        return next((stage for stage in reversed(self.stages) if stage.since < id_), self.stages[0])

    def last_with(self, id_: int, match: Identity) -> Stage | None:
        """The last stage since its commit whose plan has a match. None where none has it."""
        since = self.stages.index(self.at(id_))
        return next((stage for stage in reversed(self.stages[since:]) if stage.has(match)), None)

    def origin(self, id_: int) -> str:
        """What played a match, in the words of the history."""
        return self._origins[bisect_left(self._afters, id_)]

    def tells_origin_of(self, golfref: str) -> bool:
        """Whether a run of this format tells when this version of golfref went on with it."""
        return not (self._is_earlier and golfref in _TOLD_NOTHING)

    def findings(self) -> Iterator[str]:
        """What is wrong with the rows' ids, with the history and with the voids. Raises StoreError."""
        for table, ids in self._store.all_ids().items():
            if wrong := next((id_ for place, id_ in enumerate(ids, 1) if id_ != place), None):
                yield f"{table}: the ids are not 1, 2, 3 and so on, first at {wrong}: a row was changed or taken out"
        for stage in self.stages:
            yield from _useless(stage.facts)
        yield from self._check_history()
        yield from self._check_voids()

        for old, new in zip(self.stages, self.stages[1:], strict=False):
            found = config_differences(old.facts, new.facts)
            yield from (f"event #{new.events}: no amendment does this: {_shown(one.in_words)}" for one in found.refused)
            if not found.changes:
                yield f"event #{new.events}: an amendment that changes nothing"
        yield from self._check_versions_before()

    def _check_versions_before(self) -> Iterator[str]:
        """Each bot whose `versions_before` does not follow from the configs before."""
        had: list[RunConfig] = []
        for stage in self.stages:
            for bot, expected in zip(stage.facts.bots, stage.facts.counted(had).bots, strict=True):
                if bot != expected:
                    what = f"expected {expected.versions_before} for bot {_shown(bot.name)}, got {bot.versions_before}"
                    yield f"the config after event #{stage.events}: versions_before: {what}"
            had.append(stage.facts)

    # The history

    def _check_history(self) -> Iterator[str]:
        before = 0
        amendments = self._amendments()
        for number, event in enumerate(self._events, 1):
            where = f"event #{number}"
            if not before <= event.after <= self._committed:
                yield f"{where}: it came after {event.after} matches; expected {before} to {self._committed}"
            before = max(before, event.after)
            if not self.words_are_ours(number):
                continue
            if number in amendments:
                expected = amendments[number].lines()
                for line in set(event.lines) ^ set(expected):
                    yield f"{where}: it does not tell the amendment that was made: {_shown(line)}"
            else:
                yield from (f"{where}: {text}" for text in self._check_event(number, event))

    def _check_event(self, number: int, event: RunEvent) -> Iterator[str]:
        """What is wrong with what an event tells that is no amendment."""
        if not event.lines:
            yield "it tells nothing"
        stage = next(one for one in reversed(self.stages) if one.events <= number)
        versions = stage.terms.versions
        for line in event.lines:
            if (kept_out := told_as_kept_out(line)) is not None:
                yield from _check_kept_out(kept_out, versions)
            elif number in self._drawn:
                pass  # it is drawn again, in rounds.py
            elif stage.facts.hours is not None and told_as_played_for(line) is not None:
                pass  # nothing tells how long it took
            elif tells_host_left_out(line) or tells_host_lost(line) or tells_part(line):
                pass  # nobody can tell later what a host was like, or where a shard was
            elif not (tells_origin(line) or tells_changed_bot(line, versions)):
                yield f"golfref never tells this: {_shown(line)}"
            elif line == self._origins[number - 1]:
                yield "it tells again what played already"

    def words_are_ours(self, number: int) -> bool:
        """Whether the event of this number, from 1, was worded as we word it, as far as the run tells who wrote it."""
        return golfref_of(self._origins[number]) in _WORDED_ALIKE

    def unchecked(self) -> Iterator[str]:
        """What cannot be held against anything in this version of golfref."""
        others = [number for number in range(1, len(self._events) + 1) if not self.words_are_ours(number)]
        if others:
            events = "1 event" if len(others) == 1 else f"{len(others)} events"
            yield f"the words of {events} of its history, which another version of golfref wrote"

    def _amendments(self) -> dict[int, Amendment]:
        """By the number of its event, what each amendment made of the run."""
        if len(self.stages) == 1:
            return {}
        ids = {row.identity: row.id for row in self._store.committed()}
        found = {}
        for old, new in zip(self.stages, self.stages[1:], strict=False):
            there = {identity: id_ for identity, id_ in ids.items() if id_ <= new.since}
            counting = {id_ for identity, id_ in there.items() if old.has(identity)}
            plans = Plans(old=old.plan, new=new.begun, had_ended=old.has_ended)
            found[new.events] = amended(replace(self._meta, facts=old.facts), new.facts, plans, there, counting)
        return found

    # The voids

    def _check_voids(self) -> Iterator[str]:
        attempts: dict[tuple[int, int], int] = {}
        before = (0, 0)
        for void in self._store.voids():
            found = [*self._check_void(void, attempts)]
            if void.after is not None and void.events is not None:
                found += self._check_moment(void, before)
                before = (void.after, void.events)
            yield from (f"void #{void.id}: {text}" for text in found)

    def _check_void(self, void: Void, attempts: dict[tuple[int, int], int]) -> Iterator[str]:
        """What is wrong with a void; `attempts` has by stage and number the last attempt that was voided."""
        stage = self._stage_of(void)
        if void.number is None:
            if not self._is_earlier or len(self.stages) == 1:
                yield "it tells no match"
            return
        fixture = stage.fixture(void.number)
        if fixture is None:
            yield f"the plan has no match {void.number}"
            return
        identity = stage.terms.identity(fixture)
        if identity.bots != void.bots:
            yield f"its bots are not those of match {void.number}"
        which = (stage.events, void.number)
        if not 1 <= void.attempt <= ATTEMPTS or void.attempt not in (1, attempts.get(which, 0) + 1):
            yield f"attempt {void.attempt} at match {void.number} follows no other"
        attempts[which] = void.attempt
        if void.after is not None:
            self._voided[identity].append(void)

    def _stage_of(self, void: Void) -> Stage:
        events = void.events
        if events is None:
            return self.now
        return next((stage for stage in reversed(self.stages) if stage.events <= events), self.stages[0])

    def _check_moment(self, void: Void, before: tuple[int, int]) -> Iterator[str]:
        """What is wrong with the place of a void among the matches and the events."""
        committed, happened = self._committed, len(self._events)
        after, events = void.after or 0, void.events or 0
        earlier = self._events[events - 1].after if 0 < events <= happened else 0
        later = self._events[events].after if 0 <= events < happened else committed
        if not before[1] <= events <= happened or not max(before[0], earlier) <= after <= later:
            yield f"it came after {after} matches and {events} events, which does not go with the rows around it"

    def voids_after_commit(self, id_: int, match: Identity) -> Iterator[str]:
        """Each void that claims to have come after its match had been committed."""
        for void in self._voided.get(match, ()):
            if void.after is not None and void.after >= id_:
                yield f"void #{void.id} came when it had been committed already"


def _check_kept_out(kept_out: KeptOut, versions: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with a line that keeps a bot out: the same version of it must not be among the run's bots.

    Why it was kept out cannot be checked again: how it was tried is not in the run.
    """
    if short(versions.get(kept_out.bot, "")) == kept_out.version:
        yield f"it tells that the bot {_shown(kept_out.bot)} is kept out, but this version of it plays"


def _shown(line: str) -> str:
    return printable(line, LONGEST_SHOWN)
