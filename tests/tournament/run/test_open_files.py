"""How many files a run may open at a time."""

import subprocess
from pathlib import Path

from commands import GOLFREF, PATIENCE_S
from quick import QUICK

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }}
[tournament]
name = "run"
seed = "abc"
workers = 1
jobs = {jobs}
deals = {deals}
[[variants]]
preset = "six-card"
seats = 2
options = {{ rounds = 1 }}
"""


def play(folder: Path, limit: str, *, jobs: int, deals: int) -> tuple[str, int]:
    """What a run says that begins behind this command of a shell, and its exit code."""
    bots = "".join(f'[[bots]]\n{QUICK}\nname = "{name}"\n' for name in ("ann", "bea"))
    (folder / "run.toml").write_text(CONFIG.format(jobs=jobs, deals=deals) + bots)
    done = subprocess.run(
        ["sh", "-c", f'{limit}; exec "$@"', "sh", *GOLFREF, "tournament", "run.toml"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr, done.returncode


def test_a_low_soft_limit_of_open_files_voids_no_match(tmp_path: Path) -> None:
    said, code = play(tmp_path, "ulimit -S -n 40", jobs=8, deals=8)
    assert (code, "void" in said) == (0, False), said


def test_more_jobs_than_a_process_has_open_files_for_are_refused_before_the_first_match(tmp_path: Path) -> None:
    said, code = play(tmp_path, "ulimit -n 1024", jobs=64, deals=40)
    assert code == 3
    assert said == (
        "golfref: for 64 matches of 2 bots at a time a process needs 2368 open files, but may have 1024; raise the "
        "limit (`ulimit -Hn 2368` as root, LimitNOFILE=2368 of systemd, or --ulimit nofile=2368 of docker), or lower "
        "`jobs`: 22 in each process would fit; nothing was played\n"
    )
    assert not (tmp_path / "run.golfref").exists()
