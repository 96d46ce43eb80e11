"""Pictures of runs: what they show, in light and in dark, and the command that draws them."""

import re
import subprocess
import sys
from pathlib import Path
from random import Random
from xml.etree import ElementTree as Tree

import pytest
from in_store import go_on
from made_up_runs import made_up_result, made_up_summary

from referee.commands.runs.plot import PlotOptions, plot
from referee.errors import GolfrefError
from referee.plots.charts import draw
from referee.plots.data import KINDS, MOST_POINTS, ChartData
from referee.plots.style import DARK, NARROW, WIDE, NothingToDraw
from referee.tournament.plan.planned_match import Identity
from referee.tournament.results import Result
from referee.tournament.standings import RankBy
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.summary import RunSummary
from referee.tournament.tally import standings_of

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["<script>alert(1)</script>", "a$b$ & co", "名" * 40, *(f"bot-{number}" for number in range(9))]


def results_of(bots: list[str]) -> list[Result]:
    """Each bot against each other, twice, with totals by the dice."""
    dice = Random(1)  # noqa: S311 - the same table every time
    return [
        made_up_result(seats, [dice.randrange(30) for _ in seats], number=number, block=number // 2)
        for number, seats in enumerate(
            seats for one in bots for other in bots if one < other for seats in ((one, other), (other, one))
        )
    ]


def committed(result: Result, *, counts: bool = True) -> CommittedMatch:
    names = Identity(variant="game", game="", bots=result.bots, versions=result.bots, deal=0, rotation=0)
    number = result.number if counts else None
    return CommittedMatch(id=result.number + 1, number=number, identity=names, result=result, hash="")


def summary_of(results: list[Result], *, rank_by: RankBy = "match-points") -> RunSummary:
    found = standings_of(results, rank_by)
    return made_up_summary(found.overall, matches=len(results), name="a run <&>", rank_by=rank_by)


def data_of(results: list[Result]) -> ChartData:
    """With times of each bot: one of 1 ms, and ten of 5 ms."""
    data = ChartData(order="means", rank_by="match-points")
    for result in results:
        data.add_result(committed(result))
        data.records += 1
    for bot in {bot for result in results for bot in result.bots}:
        for time_us in (1000.0, *[5000.0] * 10):
            data.times.slaps[bot].add(time_us)
            data.times.thinking[bot].add(time_us)
    return data


def texts(svg: bytes) -> list[str]:
    return [text.text or "" for text in Tree.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314 - we made it


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_lacks_a_bot_or_is_another_one_when_it_is_drawn_again(kind: str) -> None:
    results = results_of(NAMES)
    summary, data = summary_of(results), data_of(results)
    for width in (WIDE, NARROW):
        picture = draw(kind, summary, data, width)
        shown = texts(picture.svg)

        assert picture == draw(kind, summary, data, width)
        assert "a$b$ & co" in shown, "neither a formula nor markup"
        assert sum("…" in text for text in shown) == 2, "long names are cut"
        assert {f"bot-{number}" for number in range(9)} <= {*shown}
        assert len(picture.svg) < 28_000
        assert b"style" not in picture.svg, "strict servers forbid styles, and the picture would be black"
        assert summary.standings[0].bot in picture.description
        assert "and 2 more" in picture.description
        assert picture.description.encode().replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;") in (
            picture.svg
        )


def test_a_dark_picture_has_colours_of_the_light_one() -> None:
    results = results_of(NAMES)
    picture = draw("ranks", summary_of(results), data_of(results))

    assert texts(picture.dark) == texts(picture.svg)
    assert not {light.encode() for light in DARK} & {*re.findall(rb"#[0-9a-f]{6}", picture.dark)}


def test_figures_of_the_standings_are_missing() -> None:
    results = results_of(["ann", "bob", "cyd"])
    for rank_by, form, words in (("match-points", ".3f", "match points"), ("strokes", "+.2f", "strokes a round")):
        summary = summary_of(results, rank_by=rank_by)  # type: ignore[arg-type]
        picture = draw("intervals", summary, data_of(results))
        best = summary.standings[0]
        figure = best.strokes if rank_by == "strokes" else best.match_points

        assert any(text.startswith(f"{figure:{form}}") for text in texts(picture.svg))
        assert words in picture.description
    assert "5.0 ms in 11 slaps" in texts(draw("slaps", summary, data_of(results)).svg)


def test_only_the_best_eight_have_colours() -> None:
    results = results_of(NAMES)
    picture = draw("ranks", summary_of(results), data_of(results))
    lines = re.findall(rb'stroke-opacity="0.6"', picture.svg)

    assert len(lines) >= len(NAMES) - 8
    assert summary_of(results).standings[0].bot in picture.description
    assert " to 1, at best 1" in picture.description


def test_moments_are_many_or_the_last_is_not_now() -> None:
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
        data.add_result(committed(made_up_result(bots, (9, 0), number=9), counts=False))
    merits = data.moments()[-1].merits

    assert data.matches == 4
    assert merits["ann"] > merits["bob"] > merits["cyd"]


def test_it_is_said_why_there_is_nothing_to_draw() -> None:
    results = [made_up_result(("ann", "bob"), (0, 1)), made_up_result(("bob", "cyd"), (0, 1), number=1, block=1)]
    some, none = data_of(results), ChartData(order="means", rank_by="match-points")
    for kind in KINDS:
        with pytest.raises(NothingToDraw, match="no match counts yet"):
            draw(kind, summary_of([]), none)
    with pytest.raises(NothingToDraw, match="no bot has a rank yet"):  # no deal has been played from every seat
        draw("ranks", summary_of(results), some)
    some.records = 0
    with pytest.raises(NothingToDraw, match="no records were read"):
        draw("slaps", summary_of(results), some)
    assert "not ranked: ann 1.000" in draw("intervals", summary_of(results), some).description


def test_a_command_that_draws_nothing_imports_matplotlib() -> None:
    found = "import referee.commands.runs.plot, referee.site.content, sys; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", found], capture_output=True, check=True).stdout == b"False\n"


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


def drawn(run: Path, out: Path, *kinds: str, replaces: bool = False, dark: bool = False) -> int:
    return plot(PlotOptions(run=run, kinds=list(kinds), out=out, replaces=replaces, dark=dark))


def test_pictures_are_written_into_a_folder_or_a_file(run: Path, tmp_path: Path) -> None:
    assert drawn(run, tmp_path / "new" / "pictures", "intervals", "ranks") == 0
    assert drawn(run, tmp_path / "one.svg", "ranks") == 0
    assert drawn(run, tmp_path / "one.svg", "ranks", replaces=True, dark=True) == 0
    assert sorted(path.name for path in (tmp_path / "new" / "pictures").iterdir()) == ["intervals.svg", "ranks.svg"]
    assert "drawn: ranks over time" in texts((tmp_path / "one.svg").read_bytes())


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (("x", "pie"), "there is no picture pie; expected one of intervals, ranks, slaps, thinking"),
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
