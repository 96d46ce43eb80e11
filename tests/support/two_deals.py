"""A run of two deals with two rotations each, which all have cards of their own (`fresh`) or share them (`same`)."""

from collections.abc import Callable
from pathlib import Path

from commands import golfref
from quick import QUICK

CONFIG = """
[tournament]
name = "exported"
seed = "abc"
deals = 2
rotations = "{rotations}"
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[bots]]
name = "ann"
{quick}
[[bots]]
name = "bob"
env = {{ SECRET = "of bob" }}
{quick}
"""


def two_deals(rotations: str) -> Callable[[Path], None]:
    """What plays such a run in a folder: the matches of one deal are 0 and 1, those of the other 2 and 3."""

    def write(folder: Path) -> None:
        (folder / "run.toml").write_text(CONFIG.format(rotations=rotations, quick=QUICK))
        golfref("tournament", "run.toml", cwd=folder)

    return write
