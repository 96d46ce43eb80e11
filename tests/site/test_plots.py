"""Pictures of runs: what they show, that strangers' names do no harm in them, and that they stay small."""

import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree as Tree

import pytest
from in_store import go_on
from made_up_runs import made_up_result, made_up_summary
from recorded_matches import BY_PRESET

from referee.commands.runs.plot import PlotOptions, plot
from referee.errors import GolfrefError
from referee.plots.charts import KINDS, draw
from referee.plots.common import NothingToDraw
from referee.plots.data import MOST_POINTS, ChartData
from referee.plots.drawing import NARROW, WIDE, ticks
from referee.plots.of_site import Slugs, pictures
from referee.plots.times import TimeBins, Times, time_in_words
from referee.rules.record import GivenSlaps, Reaction, Record
from referee.tournament.figures.ratings import Ratings
from referee.tournament.plan.keys import commitment
from referee.tournament.plan.planned_match import Identity
from referee.tournament.results import Result
from referee.tournament.standings import RankBy
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.summary import RunSummary
from referee.tournament.tally import standings_of

HOSTILE = ("<script>alert(1)</script>", "a\"b'c & co", "\u202eevil", "\ufffe\x00", "名" * 40, "W" * 60)
SVG = "{http://www.w3.org/2000/svg}"


def results_of(bots: list[str], games: int, *, deals: int = 2, near: int = 99) -> list[Result]:
    """Each bot against the next ones, at most `near`, with totals by the dice; who comes later is better."""
    dice = Random(1)  # noqa: S311 - the same table every time
    results: list[Result] = []
    pairs = [(one, other) for place, one in enumerate(bots) for other in bots[place + 1 : place + 1 + near]]
    for game in range(games):
        for one, other in pairs:
            for _ in range(deals):
                for seats in ((one, other), (other, one)):
                    totals = tuple(dice.randrange(30) - bots.index(bot) for bot in seats)
                    results.append(
                        made_up_result(
                            seats, totals, number=len(results), game=f"game-{game:02}", block=len(results) // 2
                        )
                    )
    return results


def committed(result: Result, *, counts: bool = True) -> CommittedMatch:
    names = Identity(variant=result.variant, game="", bots=result.bots, versions=result.bots, deal=0, rotation=0)
    number = result.number if counts else None
    return CommittedMatch(id=result.number + 1, number=number, identity=names, result=result, hash="")


def summary_of(
    results: list[Result], *, rank_by: RankBy = "match-points", ratings: Ratings | None = None
) -> RunSummary:
    standings = standings_of(results, rank_by)
    return made_up_summary(
        standings.overall,
        matches=len(results),
        name="a run <&>",
        rank_by=rank_by,
        commitment=commitment(b"key"),
        variants=standings.variants,
        crosstable=standings.crosstable,
        ratings=ratings,
    )


def data_of(results: list[Result], record: Record | None = None) -> ChartData:
    data = ChartData(order="means", rank_by="match-points")
    for result in results:
        data.add_result(committed(result))
    if record is not None:
        bots = [bot for result in results for bot in result.bots]
        for place in range(0, len(set(bots)), len(record.seats)):
            seats = sorted(set(bots))[place : place + len(record.seats)]
            data.times.add([*seats, *seats, *seats], record.moves)
        data.records = 1
    return data


def is_timed(reaction: Reaction) -> bool:
    return reaction.target is not None and reaction.corrected_us is not None


SLAPS = next(
    record
    for record in BY_PRESET.values()
    if any(isinstance(move, GivenSlaps) and any(map(is_timed, move.reactions)) for move in record.moves)
)
"""A match in which somebody slapped."""


@pytest.fixture(scope="module")
def large() -> tuple[RunSummary, ChartData]:
    """14 bots, some with names that do harm where they are not escaped, in 17 games."""
    bots = [*HOSTILE, *(f"bot-{number}" for number in range(14 - len(HOSTILE)))]
    results = results_of(bots, 17, deals=1, near=3)
    return summary_of(results), data_of(results[:400], SLAPS)


def test_every_picture_is_whole_small_harmless_and_within_its_frame(large: tuple[RunSummary, ChartData]) -> None:
    for kind in KINDS:
        for width in (WIDE, NARROW):
            picture = draw(kind, *large, width)
            root = Tree.fromstring(picture)  # noqa: S314 - we made it

            assert picture == draw(kind, *large, width), "the same run is the same bytes"
            assert len(picture) < 60_000, (kind, width)
            assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
                *("svg", "title", "desc", "g", "rect", "path", "polyline", "circle", "text"),
            }
            names = {name for element in root.iter() for name in element.attrib}
            assert not {name for name in names if name.startswith("on") or "href" in name or name in ("style", "src")}
            assert b"url(" not in picture
            assert b"\xe2\x80\xae" not in picture, "nothing turns the direction of writing"
            assert root.find(f"{SVG}title") is not None
            assert len(root.findtext(f"{SVG}desc", "")) > 40
            for text in root.iter(f"{SVG}text"):
                assert 0 <= float(text.attrib["x"]) <= width
                assert 0 <= float(text.attrib["y"]) <= float(root.attrib["height"])


def test_sixty_bots_fit() -> None:
    results = results_of([f"bot-{number:02}" for number in range(60)], 1, deals=1, near=3)
    summary, data = summary_of(results), data_of(results, SLAPS)

    for kind in KINDS:
        for width in (WIDE, NARROW):
            assert len(draw(kind, summary, data, width)) < 60_000, (kind, width)


def test_strokes_are_drawn_where_they_decide() -> None:
    results = results_of(["ann", "bob", "cyd"], 1)
    summary = summary_of(results, rank_by="strokes")

    assert "strokes a round" in draw("intervals", summary, data_of(results)).decode()
    assert f"{summary.standings[0].strokes:+.2f}" in draw("intervals", summary, data_of(results)).decode()


def test_moments_are_few_and_the_last_is_now() -> None:
    data = ChartData(order="means", rank_by="match-points")
    for number in range(1, 1001):
        data.add_result(committed(made_up_result(("ann", "bob"), (number % 3, 1), number=number)))
        moments = data.moments()

        assert len(moments) <= MOST_POINTS + 1
        assert moments[-1].after == number
        assert [moment.after for moment in moments] == sorted({moment.after for moment in moments})

    assert moments[-1].merits["ann"] == pytest.approx(0.5, abs=0.01)


def test_ranks_go_by_ratings_where_means_cannot_be_compared() -> None:
    data = ChartData(order="ratings", rank_by="match-points")
    for number, bots in enumerate((("ann", "bob"), ("bob", "cyd"), ("ann", "bob"), ("bob", "cyd"))):
        data.add_result(committed(made_up_result(bots, (0, 1), number=number)))
    merits = data.moments()[-1].merits

    assert merits["ann"] > merits["bob"] > merits["cyd"]


def test_the_last_ranks_are_those_of_the_standings() -> None:
    results = results_of(["ann", "bob", "cyd"], 1)
    summary = summary_of(results)
    description = Tree.fromstring(draw("ranks", summary, data_of(results))).findtext(f"{SVG}desc", "")  # noqa: S314

    for rank, row in enumerate(summary.standings, 1):
        assert f"{row.bot} from rank " in description
        assert f" to {rank}, at best" in description


def test_a_match_out_of_the_standings_is_passed_over() -> None:
    data = ChartData(order="means", rank_by="match-points")
    data.add(committed(made_up_result(("ann", "bob"), (0, 1)), counts=False), SLAPS)

    assert data.matches == data.records == 0
    assert not data.moments()


def test_a_quantile_is_off_by_more_than_a_tenth() -> None:
    """Whatever the times, also where all that are in a bin stand at one end of it."""
    dice = Random(1)  # noqa: S311 - the same times every time
    even = sorted(10 ** dice.uniform(0.2, 6) for _ in range(2001))
    for times in (even, *([10 ** (4 + part / 100)] * 2001 for part in range(12))):
        bins = TimeBins()
        for time_us in times:
            bins.add(time_us)
        for share in (0.05, 0.5, 0.95, 0.99):
            assert bins.quantile(share) == pytest.approx(times[int(share * 2000)], rel=0.1)
        assert sum(count for _, _, count in bins.filled()) == bins.count == 2001


def test_times_of_slaps_are_those_that_counted() -> None:
    """A pass and a late answer are no slap; a late answer is counted by itself."""
    times = Times()
    reactions = (
        Reaction(seat=0, target=(1, 3), raw_us=900.0, wait_us=100.0, corrected_us=800.0),
        Reaction(seat=1, raw_us=500.0, wait_us=0.0, corrected_us=500.0),
        Reaction(seat=2, late=True),
    )
    window = GivenSlaps(round=0, window=0, asked=(0, 1, 2), reactions=reactions, lots=(), order=(0, 1, 2))
    times.add(("ann", "bob", "cyd"), [window])

    assert {bot: bins.count for bot, bins in times.slaps.items()} == {"ann": 1}
    assert times.slaps["ann"].quantile(1) == pytest.approx(800, rel=0.1)
    assert times.late == {"cyd": 1}


def test_axes_have_round_figures() -> None:
    assert ticks(0.0, 1.0, 6) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(-1.23, 2.9, 5) == [-1.0, 0.0, 1.0, 2.0]
    assert ticks(3, 3, 4)


def test_times_in_words() -> None:
    assert [time_in_words(time_us) for time_us in (3.2, 999.4, 1300, 12_400, 2.5e6)] == [
        *("3 µs", "999 µs", "1.3 ms", "12 ms", "2.5 s"),
    ]


def test_a_run_without_matches_has_no_pictures() -> None:
    empty = summary_of([])
    for kind in KINDS:
        with pytest.raises(NothingToDraw, match="no match counts yet"):
            draw(kind, empty, ChartData(order="means", rank_by="match-points"))


def test_bots_that_have_no_rank_yet_are_drawn_as_such() -> None:
    """One match of two bots, of three that take part: no deal has been played from every seat."""
    results = [made_up_result(("ann", "bob"), (0, 1)), made_up_result(("bob", "cyd"), (0, 1), number=1, block=1)]
    summary = summary_of(results)

    assert "not ranked ann 1.000" in draw("intervals", summary, data_of(results)).decode()
    with pytest.raises(NothingToDraw, match="no bot has a rank yet"):
        draw("ranks", summary, data_of(results))


def test_without_records_there_are_no_times() -> None:
    results = results_of(["ann", "bob"], 1)
    with pytest.raises(NothingToDraw, match="no records were read"):
        draw("slaps", summary_of(results), data_of(results))


def test_a_site_has_a_picture_of_each_game_and_of_each_bot(large: tuple[RunSummary, ChartData]) -> None:
    summary, data = large
    bots = {row.bot: f"b{place}" for place, row in enumerate(summary.standings)}
    found = {
        one.key: one for one in pictures(summary, data, Slugs(bots=bots, games={"game-03": "game-03", "none": "x"}))
    }

    assert {*KINDS, "intervals/game-03", f"times/{HOSTILE[0]}"} <= {*found}
    assert "intervals/none" not in found, "nobody played it"
    assert found["intervals/game-03"].wide.path == "plots/intervals/game-03.svg"
    assert found["intervals/game-03"].narrow.path == "plots/intervals/game-03-narrow.svg"
    for one in found.values():
        for file in (one.wide, one.narrow):
            assert Tree.fromstring(file.data).tag == f"{SVG}svg"  # noqa: S314 - we made it


# The command: `golfref plot RUN`

CONFIG = """
[tournament]
name = "drawn"
seed = "abc"
deals = 2
trust = "all"
[[variants]]
preset = "six-card"
[[bots]]
builtin = "random"
name = "ann"
[[bots]]
builtin = "random"
name = "bob"
[[bots]]
builtin = "random"
name = "cyd"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was played without bots: its matches have no records."""
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "run.toml").write_text(CONFIG)
    go_on(folder)
    return folder / "run.golfref"


def drawn(run: Path, out: Path, *kinds: str, replaces: bool = False) -> int:
    return plot(PlotOptions(run=run, kinds=list(kinds), out=out, width=WIDE, replaces=replaces))


def test_pictures_are_written_into_a_folder_or_a_file(run: Path, tmp_path: Path) -> None:
    assert drawn(run, tmp_path / "new" / "pictures", "intervals", "ranks") == 0
    assert drawn(run, tmp_path / "one.svg", "ranks") == 0
    assert drawn(run, tmp_path / "one.svg", "ranks", replaces=True) == 0
    assert sorted(path.name for path in (tmp_path / "new" / "pictures").iterdir()) == ["intervals.svg", "ranks.svg"]
    assert b"drawn: ranks over time" in (tmp_path / "one.svg").read_bytes()


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (("x", "pie"), "there is no picture pie; expected one of intervals, ranks, slaps, thinking"),
        (("x", "heatmap"), "`golfref site` has a table of bots by games on tints"),
        (("x.svg", "ranks", "intervals"), "is one file: say with --what which picture it shows"),
        (("there", "intervals"), "intervals.svg exists already"),
        (("there/intervals.svg/x", "ranks"), "cannot be made: Not a directory"),
        (("x", "slaps"), "the record of match #2 is damaged"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    run: Path, tmp_path: Path, wanted: tuple[str, ...], says: str
) -> None:
    out, *kinds = wanted
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "intervals.svg").write_text("mine")

    with pytest.raises(GolfrefError, match=re.escape(says)):
        drawn(run, tmp_path / out, *kinds)
    assert [path.name for path in tmp_path.rglob("*")] == ["there", "intervals.svg"]
    assert (tmp_path / "there" / "intervals.svg").read_text() == "mine"


def test_a_run_without_matches_leaves_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    go_on(tmp_path, matches=0)

    assert drawn(tmp_path / "run.golfref", tmp_path / "out") == 1
    assert capsys.readouterr().err.count("no match counts yet") == len(KINDS)
    assert not (tmp_path / "out").exists()
