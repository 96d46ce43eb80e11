"""`golfref help`: every page can be read in the terminal."""

from pathlib import Path

from commands import golfref

from referee.commands.help import TOPICS
from referee.commands.table import COMMANDS
from referee.errors import EXIT_CODES

ROOT = Path(__file__).parents[2]
FOR_CONTRIBUTORS = {"bots/starters/project/README.md", "referee/DESIGN.md"}


def test_every_page_for_users_has_a_topic() -> None:
    folders = ("bots", "protocol", "referee", "tournaments")
    pages = {path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob("*.md")}
    assert pages - FOR_CONTRIBUTORS == {f"{page}.md" for page in TOPICS.values()} - {"README.md", "CHANGELOG.md"}


def test_pages_are_listed_shown_and_found_by_a_word(tmp_path: Path) -> None:
    listed, _ = golfref("help", cwd=tmp_path)
    assert "  isolation" in listed
    assert golfref("help", "FIRST_BOT.md", cwd=tmp_path)[0] == (ROOT / "protocol/FIRST_BOT.md").read_text(
        encoding="utf-8"
    )
    assert "see `golfref help isolation`" in golfref("help", "isolaton", cwd=tmp_path, code=2)[1]
    assert "and isolation" in golfref("help", "newuidmap", cwd=tmp_path, code=2)[1]


def test_the_page_of_commands_has_every_command_with_its_options_and_every_exit_code(tmp_path: Path) -> None:
    page, _ = golfref("help", "commands", cwd=tmp_path)
    assert [name for name in COMMANDS if f"### golfref {name}\n\n```\nUsage: golfref {name} " not in page] == []
    assert [code for code in EXIT_CODES if f"\n- {code}: " not in page] == []
