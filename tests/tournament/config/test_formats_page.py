"""The configs on the page about formats can be played."""

from pathlib import Path

import pytest

from referee.tournament.config.config import load

PAGE = Path(__file__).parents[3] / "tournaments/FORMATS.md"
CONFIGS = [part.partition("```")[0] for part in PAGE.read_text(encoding="utf-8").split("```toml\n")[1:]]


@pytest.mark.parametrize("text", CONFIGS)
def test_a_config_of_the_page_can_be_played(text: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    load(config)
