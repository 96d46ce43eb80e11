"""The highlights of a whole run: which are kept, in which order, and what they tell of the match."""

import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from random import Random

from commands import golfref
from made_up_runs import made_up_result
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from referee.highlights.gather import Highlights
from referee.highlights.highlight import Highlight
from referee.highlights.kinds import KINDS
from referee.match_states.replay import Replay
from referee.rules.match import MatchResult, RoundResult
from referee.rules.record import Record
from referee.tournament.plan.planned_match import Identity
from referee.tournament.store.rows import CommittedMatch

ROOT = Path(__file__).parent.parent.parent

Some = list[tuple[CommittedMatch, Record]]


def row_of(record: Record, id_: int, *, bots: tuple[str, ...] = ("ann", "bob", "cy"), deal: int = 0) -> CommittedMatch:
    result = made_up_result(
        bots, record.result.totals, number=id_ - 1, game=record.preset, rounds=len(record.result.rounds)
    )
    identity = Identity(variant=record.preset, game=record.preset, bots=bots, versions=bots, deal=deal, rotation=0)
    return CommittedMatch(id=id_, number=id_ - 1, identity=identity, result=result, hash=f"{id_:064x}")


def run_of(records: Iterable[Record]) -> Some:
    return [(row_of(record, id_, deal=id_), record) for id_, record in enumerate(records, start=1)]


def best(run: Some, kept: int = 10, variant: str | None = None) -> tuple[Highlight, ...]:
    found = Highlights(kept)
    for row, record in run:
        found.add(row, record.result, record.counts)
    return found.best(12, variant)


def scored(preset: str, *rounds: tuple[int, ...]) -> Record:
    """A record that says that it came out like this; its moves tell of another match."""
    totals = tuple(map(sum, zip(*rounds, strict=True)))
    results = [RoundResult(raw=one, scores=one, ender=None, capped=False) for one in rounds]
    ranks = tuple(1 + sum(other < own for other in totals) for own in totals)
    record = BY_PRESET[preset]
    return replace(
        record,
        seats=record.seats[: len(totals)],
        result=MatchResult(totals=totals, ranks=ranks, rounds=tuple(results), capped=False),
    )


EVERY_GAME = run_of(BY_PRESET.values())


def test_each_kind_adds_its_best_moment_in_turn_of_a_match_that_is_not_listed_yet() -> None:
    found = best(EVERY_GAME)

    assert [one.kind for one in found][:2] == ["wrong-slap", "closest-finish"]
    assert len({one.match for one in found}) == len(found) > 6
    replays = {row.id: Replay(record) for row, record in EVERY_GAME}
    for one in found:
        (step,) = (step for step in replays[one.id].steps if step.at == one.moment)
        assert type(step.event).__name__ == ("Slapped" if one.kind == "wrong-slap" else "Round")
        assert all(bot in one.sentence for bot in [one.bots[seat] for seat in one.seats[:1]])


def test_the_order_in_which_matches_come_has_no_influence() -> None:
    twice = [*EVERY_GAME, *[(replace(row, id=row.id + 50, number=row.id + 50), record) for row, record in EVERY_GAME]]
    mixed = twice.copy()
    Random(1).shuffle(mixed)  # noqa: S311 - chance, but no secret

    assert best(mixed, kept=1) == best(twice, kept=1)
    assert best(mixed, variant="cactus") == best(twice, variant="cactus")
    assert {one.variant for one in best(mixed, variant="cactus")} == {"cactus"}


def test_of_the_rotations_of_a_deal_the_earliest_of_equals_is_told() -> None:
    rotations = [(row_of(BY_PRESET["six-card"], id_, deal=4), BY_PRESET["six-card"]) for id_ in (3, 1, 2)]

    assert {(one.match, one.id) for one in best(rotations)} == {(0, 1)}


def test_what_counts_for_no_standings_or_was_forfeited_has_no_highlights() -> None:
    ((row, record),) = run_of([BY_PRESET["six-card"]])
    forfeited = replace(row, result=replace(row.result, forfeited=(True, False, False)))

    assert best([(replace(row, number=None), record), (forfeited, record)]) == ()


def test_the_page_and_the_help_name_every_kind() -> None:
    page = (ROOT / "tournaments/HIGHLIGHTS.md").read_text(encoding="utf-8")
    help_, _ = golfref("highlights", "--help", cwd=ROOT)

    assert re.findall(r"^\| \[`([a-z-]+)`\]", page, flags=re.MULTILINE) == [kind.name for kind in KINDS]
    assert ", ".join(kind.name for kind in KINDS[:-1]) in " ".join(help_.split())


# Scores that are made up


def test_games_are_compared_by_their_usual_gap() -> None:
    """A swing of 4 is more where seats mostly lie 1 apart than one of 20 where they lie 10 apart."""
    calm, wild = (
        scored("six-card", (0, 1), (4, 0), (1, 0), (1, 1), (2, 1)),
        scored("two-deck", (0, 10), (20, 0), (0, 0)),
    )
    run = [(row_of(record, id_, bots=("ann", "bob")), record) for id_, record in ((1, wild), (2, calm))]

    found = Highlights()
    for row, record in run:
        found.add(row, record.result, record.counts)
    swings = found.best(2, kinds=[kind for kind in KINDS if kind.name == "swing"])

    assert [(one.variant, one.score) for one in swings] == [("six-card", 4), ("two-deck", 20)]
    assert found.gap("six-card") == Fraction(1 + 4 + 1 + 0 + 1, 5)


def upsets(*records: Record, bots: tuple[str, ...] = ("A", "B")) -> list[Highlight]:
    run = [(row_of(record, id_, bots=bots, deal=id_), record) for id_, record in enumerate(records, start=1)]
    return [one for one in best(run) if one.kind == "upset"]


def test_a_victory_is_an_upset_where_its_chance_by_the_ratings_of_the_game_is_below_a_tenth() -> None:
    won, lost = scored("six-card", (3, 9)), scored("six-card", (9, 3))

    assert upsets(won, *[lost] * 8) == []
    (upset,) = upsets(won, *[lost] * 30)
    assert (upset.id, upset.seats, upset.moment) == (1, (0, 1), "r1")
    assert upset.score < 0.1
    happens = f"By their ratings in this game that happens in {upset.score:.1%} of matches."
    assert upset.sentence == f"A wins and leaves B 6 strokes behind. {happens}"
    assert upset.parts[:3] == (0, " wins and leaves ", 1)


def test_of_all_victories_over_the_same_bot_the_clearest_is_the_upset() -> None:
    close, clear, usual = scored("six-card", (3, 4)), scored("six-card", (0, 9)), scored("six-card", (9, 1))

    assert [one.id for one in upsets(close, clear, clear, *[usual] * 60)] == [2]


def test_a_match_is_one_upset_that_over_the_strongest_bot_at_the_table() -> None:
    won, usual = scored("six-card", (3, 9, 9)), scored("six-card", (9, 8, 3))

    (upset,) = upsets(won, *[usual] * 60, bots=("A", "B", "C"))

    assert upset.seats == (0, 2)


def test_names_are_made_safe_to_show() -> None:
    record = scored("six-card", (0, 1), (1, 1))
    name = "\u202eevil\x1b[31m"

    (one,) = best([(row_of(record, 1, bots=(name, "bob")), record)])

    assert one.sentence == "After 2 rounds \\u202eevil\\x1b[31m wins by 1 stroke ahead of bob, 1 to 2."
    assert one.bots == (name, "bob")
