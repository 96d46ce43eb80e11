"""Which matches have pages where a run has more than a site should hold."""

from collections.abc import Sequence

from msgspec.structs import replace

from referee.site.choosing import Choice, Extremes, chosen
from referee.site.content import MatchRow


def row(id_: int, bots: Sequence[str], totals: Sequence[int], *, variant: str = "a game") -> MatchRow:
    return MatchRow(
        id=id_,
        number=id_ - 1,
        variant=variant,
        bots=tuple(bots),
        totals=tuple(totals),
        ranks=tuple(1 + sum(other < own for other in totals) for own in totals),
        faults=(0,) * len(bots),
        forfeited=(False,) * len(bots),
        rounds=1,
    )


ROWS = [row(id_, ("ann", "bob"), (id_, 20)) for id_ in range(1, 41)]


def extremes(rows: Sequence[MatchRow]) -> Extremes:
    found = Extremes()
    for one in rows:
        found.add(one)
    return found


def test_the_best_and_the_worst_matches_are_told_by_rank_then_by_strokes() -> None:
    found = extremes(ROWS)

    assert found.best() == {"ann": (1, 2, 3), "bob": (40, 39, 38)}
    assert found.worst() == {"ann": (40, 39, 38), "bob": (1, 2, 3)}


def test_all_have_pages_where_there_are_not_too_many() -> None:
    rows = ROWS

    assert chosen(rows, extremes(rows), Choice(most=40)) == frozenset(range(1, 41))
    assert chosen(rows, extremes(rows), Choice(most=None)) == frozenset(range(1, 41))


def test_what_decided_the_tournament_comes_first_and_a_sample_fills_up() -> None:
    rows = [*ROWS, row(50, ("cleo", "bob"), (3, 3), variant="another game")]
    choice = Choice(most=5, finals=(33, 32), moments=(30, 20), had=(25,))

    assert chosen(rows, extremes(rows), choice) == {33, 32, 30, 20, 1}  # 1 is the best of ann
    more = chosen(rows, extremes(rows), replace(choice, most=20))
    assert more >= {33, 32, 30, 20, 1, 2, 3, 38, 39, 40, 50, 25}
    assert len(more) == 20


def test_a_match_that_had_a_page_loses_it() -> None:
    found = extremes(ROWS)
    some = chosen(ROWS, found, Choice(most=20))
    fewer = chosen(ROWS[:39], extremes(ROWS[:39]), Choice(most=15, had=some))

    assert chosen(ROWS, found, Choice(most=20, had=some)) == some
    assert len(some - fewer) <= 6
    assert {1, 2, 3, 38, 39, 40} <= some
