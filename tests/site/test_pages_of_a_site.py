"""What the pages of a site say, made in memory of runs whose bots have hostile names."""

import re
from html import unescape
from pathlib import Path

import pytest
from made_up_sites import AS_OF, OVERRIDE, SCRIPT, content_of, played
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from referee.match_states.replay import Replay
from referee.match_states.step_view import StepView
from referee.reports.faults import published_detail
from referee.reports.tables.bot_tables import standings_of
from referee.rules.record import Mishap, Record
from referee.site.content import Content, Underway
from referee.site.pages.all_pages import pages
from referee.site.pages.faults import EXAMPLES, FaultTexts
from referee.site.pages.highlights import place_in_words
from referee.site.pages.slugs import slugs
from referee.tournament.formats.knockout import Level, Tie
from referee.tournament.formats.places import StagePlaces
from referee.tournament.formats.ties import Rule, TieBot
from referee.tournament.plan.planned_match import Identity
from referee.tournament.results import Result
from referee.tournament.standings import BotStanding, Encounter
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.summary import RoundSummary


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return content_of(played(tmp_path_factory.mktemp("run")))


def texts(content: Content) -> dict[str, str]:
    """The HTML of all pages by their paths."""
    return {page.path: page.data.decode() for page in pages(content)}


def words(page: str) -> str:
    """What a page reads like, without its markup."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_names_of_files_are_safe_and_their_own() -> None:
    names = ["keeper", "Keeper", "KEEPER", "a/b", "a b", "../..", "", "index", "con", "晴れ", "雨", "x" * 300, SCRIPT]
    made = slugs(names)

    assert made["keeper"] == "keeper"
    assert len({slug.lower() for slug in made.values()}) == len(names)
    assert all(slug.replace("-", "").isalnum() and slug.isascii() and len(slug) < 80 for slug in made.values())
    assert not {"index", "con"} & set(made.values())


def test_the_name_of_a_file_does_not_depend_on_who_else_is_there() -> None:
    taken = slugs(["Keeper"])["Keeper"]

    assert slugs(["keeper", "Keeper", "KEEPER"])["Keeper"] == taken
    assert slugs([taken, "Keeper"])[taken] != taken, "a name that looks like another one's file is not plain"


def test_no_text_of_strangers_is_markup_or_steers_text(content: Content) -> None:
    for path, text in texts(content).items():
        assert "<script>alert" not in text, path
        assert OVERRIDE[1] not in text, path
        assert not re.search(r"\sstyle=|<style|javascript:|\son\w+=", text), path


def test_the_key_is_told_when_the_run_is_complete(content: Content) -> None:
    key = content.summary.key
    assert key is not None
    assert key in texts(content)["about.html"]
    assert not any(key in text for text in texts(replace(content, is_complete=False)).values())


def test_the_figures_of_the_terminal_stand_on_the_pages(content: Content) -> None:
    summary, made = content.summary, texts(content)
    for figure in (summary.digest, summary.commitment):
        assert figure in made["about.html"]
    for row in summary.standings:
        assert f"{row.match_points:.3f}" in words(made["index.html"])


def test_a_crosstable_of_hundreds_of_bots_makes_a_page_large(content: Content) -> None:
    met = Encounter(match_points=0.5, strokes=None, matches=1)
    many = {f"b{number:03}": {f"b{other:03}": met for other in range(200)} for number in range(200)}
    summary = replace(content.summary, crosstable=many)
    games = {game: replace(standings_of(summary), crosstable=many) for game in summary.variants}
    made = texts(replace(content, summary=summary, game_standings=games))

    assert {path for path, page in made.items() if len(page) > 200_000} == set()
    for path in ("figures.html", "games/six-card.html"):
        assert "golfref export RUN --table pairs" in made[path]


def test_a_swiss_has_an_empty_grid_instead_of_opponents_by_round(content: Content) -> None:
    won = max((row for row in content.matches if len({*row.ranks}) == 2), key=lambda row: row.id)
    stages = (replace(content.config.stages[0], format="swiss"),)
    rounds = tuple(
        RoundSummary(title=f"Swiss round {number}", stage=0, id=id_, after=0)
        for number, id_ in enumerate((0, won.id - 1, won.id), 1)
    )
    summary = replace(content.summary, rounds=rounds)
    swiss = replace(
        content,
        config=replace(content.config, stages=stages),
        summary=summary,
        game_standings={won.variant: standings_of(summary)},
    )
    figures = texts(swiss)["figures.html"]
    table = figures[figures.index('id="crosstable"') :]
    cells = {words(row).split()[0]: re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("<tr>")[2:]}

    assert "round 1" in table
    assert "round 4" not in table
    winner, loser = (won.bots[won.ranks.index(rank)] for rank in (min(won.ranks), max(won.ranks)))
    assert f"{loser} 1.00" in cells[winner][1]
    assert f"{winner} 0.00" in cells[loser][1]
    assert {name for name, (_, second, _) in cells.items() if second == "-"} == {*cells} - {*won.bots}
    assert all(len(found) == 3 for found in cells.values())
    assert "round 2" in texts(swiss)[f"games/{won.variant}.html"]


def test_the_front_page_says_in_one_sentence_who_leads_and_how_sure_that_is(content: Content) -> None:
    rows = content.summary.standings
    sure = [replace(row, rank=place, rank_from=place, rank_to=place) for place, row in enumerate(rows, 1)]
    open_ = [replace(sure[0], rank_to=2), replace(sure[1], rank_from=1), *sure[2:]]

    def first(some: list[BotStanding]) -> str:
        page = texts(replace(content, summary=replace(content.summary, standings=tuple(some))))["index.html"]
        return words(page[page.index("<h1") : page.index('class="caption"')])

    assert re.search(r"Winner .* won: it is better than each .* Luck alone .* 1 of 20 tournaments", first(sure))
    assert re.search(r"First, but not surely .* may be as good", first(open_))


def test_a_final_is_drawn_with_how_it_was_decided(content: Content) -> None:
    a, b, c = (row.bot for row in content.summary.standings[:3])

    def tie(*bots: str, rule: Rule) -> Tie:
        return Tie(
            bots=tuple(TieBot(bot=bot, match_points=0.5, strokes=0.0) for bot in bots), goes=1, deals=4, rule=rule
        )

    levels = (
        Level(title="semi-finals", bots=(a, b, c), ties=(tie(c, b, rule="settled"),)),
        Level(title="final", bots=(a, c), ties=(tie(a, c, rule="match points"),)),
    )
    stage = StagePlaces(number=1, format="knockout", is_over=True, levels=levels)
    summary = replace(content.summary, order="places", stages=(stage,))
    front = words(texts(replace(content, summary=summary))["index.html"])

    assert re.search(r"Winner .* beat .* in the final by more match points", front)
    assert re.search(
        r"Semi-finals .* goes on without a match .* 4 deals a game, settled Final .* by match points", front
    )


def test_a_bot_that_has_not_played_has_a_short_page(content: Content) -> None:
    rows = tuple(row for row in content.summary.standings if row.bot != "keeper")
    made = texts(replace(content, summary=replace(content.summary, standings=rows)))

    assert "It has not played yet." in made["bots/keeper.html"]
    assert "<h2" not in made["bots/keeper.html"]
    assert re.search(r"Not played yet</h2>.*bots/keeper.html", made["index.html"], re.DOTALL)


def test_a_gauntlet_says_who_is_ranked(content: Content) -> None:
    assert "gauntlet" not in texts(content)["index.html"]
    gauntlet = replace(content.summary, challengers=("keeper",))
    assert "only challengers are ranked" in texts(replace(content, summary=gauntlet))["index.html"]


def test_a_run_that_is_played_says_how_far_it_is(tmp_path: Path) -> None:
    nothing = texts(content_of(played(tmp_path / "begun", 0), is_live=True))
    assert "No match has a result yet." in words(nothing["index.html"])
    assert "No match has a result yet." in words(nothing["lists/1.html"])

    some = content_of(played(tmp_path / "played", 7), is_live=True)
    front = texts(some)["index.html"]
    assert "7 of 60 matches have been played; 53 are left." in words(front)
    assert '<progress value="7" max="60"' in front
    assert "live.js" in front or 'src="assets/live.' in front
    assert some.summary.key is None


def test_each_page_of_a_run_that_has_not_ended_says_as_of_when_and_whether_anybody_plays_it(tmp_path: Path) -> None:
    content = content_of(played(tmp_path / "run", 7))

    def heads(content: Content) -> set[str]:
        found = {
            path: re.findall(r'<p class="live".*?</p>', page, re.DOTALL)
            for path, page in texts(content).items()
            if path != "hall.html"
        }
        return {words("".join(some)).strip() for some in found.values()}

    assert heads(content) == {"As of 2026-11-23 21:10 UTC : 7 of 60 matches. Interrupted: nobody plays this run now."}
    underway = Underway(as_of=AS_OF, is_played=True)
    assert heads(replace(content, underway=underway)) == {
        "As of 2026-11-23 21:10 UTC : 7 of 60 matches. This run is still being played."
    }
    assert heads(content_of(played(tmp_path / "run"))) == {""}


def test_a_match_without_a_page_has_a_command(content: Content) -> None:
    first, second, third = content.matches[:3]
    rows = (
        replace(first, href="matches/1/index.html"),
        replace(second, problem="it is damaged"),
        third,
    )
    page = texts(replace(content, matches=rows))["lists/1.html"]

    assert 'href="../matches/1/index.html"' in page
    assert "it is damaged" in page
    assert f"golfref replay run.golfref:{third.number}" in page
    assert f"golfref replay run.golfref:{second.number}" not in page


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("r3t12", "round 3, turn 12"),
        ("r3w2", "round 3, slap window 2"),
        ("r3t12e2", "round 3, turn 12"),
        ("r3", "round 3"),
    ],
)
def test_moments_in_words(moment: str, text: str) -> None:
    assert place_in_words(moment) == text


def committed(record: Record, id_: int) -> CommittedMatch:
    """A match of a run with this record, between bots of the run that the other tests look at."""
    bots = ("keeper", "Keeper", "a/b")
    identity = Identity(variant=record.name, game="", bots=bots, versions=bots, deal=0, rotation=0)
    result = Result(
        number=id_ - 1,
        variant=record.name,
        block=0,
        bots=bots,
        totals=record.result.totals,
        ranks=record.result.ranks,
        rounds=len(record.result.rounds),
        forfeited=tuple(seat.forfeited for seat in record.seats),
        faults=tuple(seat.faults for seat in record.seats),
        late_slaps=tuple(seat.late_slaps for seat in record.seats),
    )
    return CommittedMatch(id=id_, number=id_ - 1, identity=identity, result=result, hash="")


def test_an_author_is_told_what_was_wrong_and_where(content: Content) -> None:
    record = BY_PRESET["six-card"]
    loud = replace(record.seats[0], stderr=f"one\n{SCRIPT}\n", stderr_bytes=30)
    record = replace(record, seats=(loud, *record.seats[1:]))
    texts_of_faults = FaultTexts()
    for id_ in range(1, EXAMPLES + 3):
        texts_of_faults.add(committed(record, id_), record)
    (faults,) = texts_of_faults.faults()
    assert faults.matches == {"illegal_action": EXAMPLES + 2}
    assert [one.id for one in faults.examples] == [*range(1, EXAMPLES + 1)]
    first = faults.examples[0]
    replay = Replay(record)
    (step,) = (one for one in replay.steps if one.at == first.moment)
    assert any("illegal_action" in note for note in StepView(replay, step.number, first.seat).notes)

    rows = {1: replace(content.matches[0], id=1, href="matches/1/index.html")}
    page = texts(replace(content, faults=(faults,), matches_by_id=rows))["bots/keeper.html"]
    assert f'href="../matches/1/index.html?view=seat{first.seat}#{first.moment}"' in page
    assert "Take the action from `legal`" in page
    assert first.detail in words(page)
    assert SCRIPT in words(page)
    assert "<script>alert" not in page
    assert "golfref transcript run.golfref:0 --bot keeper" in page


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("cannot start /home/ann/bot: [Errno 13] Permission denied: '/home/ann/bot'", "cannot be started: Permission"),
        ("cannot start /home/ann/bot: it is not a program for this kind of machine", "its program cannot be started"),
        ("its first message was not `ready`", "its first message was not `ready`"),
    ],
)
def test_nobody_is_told_where_a_program_lies_that_could_not_be_started(detail: str, told: str) -> None:
    public = published_detail(Mishap(kind="start_failed", detail=detail))
    assert told in public
    assert "/home" not in public
