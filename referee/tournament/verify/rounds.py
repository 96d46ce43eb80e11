"""Checking the rounds of a run whose plan grows: each is drawn again, from what had been committed by then.

So nobody can have chosen who meets whom, or when the run ended.
"""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from protocol.text import printable
from referee.tournament.config.planned import draw_input
from referee.tournament.formats.draw import hours_are_over, needs_results, next_round
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.fixture import Identity
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.events import drawn_in_words
from referee.tournament.store.plans import Told, grown
from referee.tournament.store.played import PlayedSoFar
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.verify.compare import LONGEST_SHOWN, differences
from referee.tournament.verify.course import Course, Stage

_WHOSE = ("the run has", "golfref draws")


def check_rounds(course: Course, store: Store, key: bytes) -> Iterator[str]:
    """Every round and every end that does not follow from what was before it. Raises StoreError."""
    given_up = _given_up(store)
    for place, stage in enumerate(course.stages):
        if stage.facts.is_fixed:
            yield from (f"event #{one.event}: a round is drawn, but the plan does not grow" for one in stage.told)
            continue
        plan = grown(stage.plan.whole, stage.facts, course.stretches[:place])
        until = course.stages[place + 1].since if place + 1 < len(course.stages) else None
        yield from _StageCheck(course, stage, plan, key, given_up).findings(store, until)


class _StageCheck:
    """The rounds that were drawn under one config."""

    def __init__(self, course: Course, stage: Stage, plan: Plan, key: bytes, given_up: dict[int, list[int]]) -> None:
        """`plan` is the one with which the stage began. `given_up` has by match after which events it was."""
        self._course, self._stage, self._plan, self._given_up = course, stage, plan, given_up
        self._field = draw_input(stage.facts, key)
        self._played = PlayedSoFar(plan, stage.terms, keeps_results=needs_results(self._field))
        self._numbers: dict[Identity, int] = {}
        self._lacking: set[int] = set()
        """The matches of the plan that have no result yet."""
        self._number_from(0)

    def findings(self, store: Store, until: int | None) -> Iterator[str]:
        """What is wrong with the rounds of this stage, in which matches were committed `until` this id."""
        rows = store.committed()
        row = next(rows, None)
        has_ended = False
        for told in self._stage.told:
            while row is not None and row.id <= told.after:
                yield from self._take(row)
                row = next(rows, None)
            if has_ended:
                yield f"event #{told.event}: something is drawn after the end"
            elif self._course.words_are_ours(told.event):
                yield from (f"event #{told.event}: {text}" for text in self._check(told))
            if isinstance(told.what, Round):
                had = len(self._plan)
                self._plan.add(told.what)
                self._number_from(had)
            else:
                has_ended = True
        while row is not None and (until is None or row.id <= until):
            yield from self._take(row)
            row = next(rows, None)

    def _number_from(self, number: int) -> None:
        for one in range(number, len(self._plan)):
            self._numbers[self._stage.terms.identity(self._plan[one])] = one
            self._lacking.add(one)

    def _take(self, row: CommittedMatch) -> Iterator[str]:
        number = self._numbers.get(row.identity)
        if number is not None:
            self._lacking.discard(number)
        elif row.id > self._stage.since:
            yield f"match #{row.id} was committed before any round had it"
        self._played.add(row, number)

    def _check(self, told: Told) -> Iterator[str]:
        hours = self._stage.facts.hours
        if told.lines[:2] != drawn_in_words(told.what) or (len(told.lines) > 2 and hours is None):
            yield "it tells in other words what was drawn"
        early = [number for number in self._lacking if not self._was_given_up(number, told.event)]
        if early:
            yield f"it was drawn before match {min(early)} had ended"
            return
        try:
            expected = next_round(self._field, self._played.past())
        except Exception as error:  # what a store holds may be anything, and must not end the check of the rest
            yield f"it cannot be drawn again ({type(error).__name__}: {printable(str(error), LONGEST_SHOWN)})"
            return
        is_endless = self._stage.facts.traits.is_endless
        is_over = hours is not None and not is_endless and told.what == hours_are_over(hours)
        if expected != told.what and not (is_over and isinstance(expected, Round)):
            yield f"golfref draws otherwise: {_difference(told.what, expected)}"

    def _was_given_up(self, number: int, event: int) -> bool:
        return any(self._stage.events <= one < event for one in self._given_up.get(number, ()))


def _given_up(store: Store) -> dict[int, list[int]]:
    """By the number that a match had, after how many events its last attempt was voided."""
    found: dict[int, list[int]] = defaultdict(list)
    for void in store.voids():
        if void.number is not None and void.events is not None and void.attempt >= ATTEMPTS:
            found[void.number].append(void.events)
    return found


def _difference(told: Round | End, expected: Round | End) -> str:
    """The first way in which two drawings differ, in words."""
    if isinstance(told, End) or isinstance(expected, End):
        both = (printable(drawn_in_words(one)[0], LONGEST_SHOWN) for one in (told, expected))
        return "; ".join(f"{whose} `{words}`" for whose, words in zip(_WHOSE, both, strict=True))
    one, other = (msgspec.to_builtins(drawn) for drawn in (told, expected))
    return next(differences(one, other, _WHOSE), "")
