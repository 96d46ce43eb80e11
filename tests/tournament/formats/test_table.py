"""The table of the formats."""

from typing import get_args

from referee.tournament.formats.table import FORMATS
from referee.tournament.plan.rounds import Format


def test_each_format_of_the_config_has_a_row() -> None:
    assert tuple(FORMATS) == get_args(Format)
