"""A run of two deals with two rotations each, which all have cards of their own."""

from pathlib import Path

from commands import golfref
from quick import QUICK

CONFIG = """
[tournament]
name = "exported"
seed = "abc"
deals = 2
rotations = "fresh"
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


def two_deals(folder: Path) -> None:
    """Play such a run in this folder: the matches of one deal are 0 and 1, those of the other 2 and 3."""
    (folder / "run.toml").write_text(CONFIG.format(quick=QUICK))
    golfref("tournament", "run.toml", cwd=folder)
