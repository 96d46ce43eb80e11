"""Tries golfref in the guest of boot.py as the user that runs this, whose control group it may divide.

`golfref doctor`, the tests of what a bot can reach and use up, and a tournament of ten hostile bots against an honest
one, which must come out of it without a fault or a void. Nothing here judges times: the guest is slow.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from referee.play.process.process import control_groups
from referee.play.sandbox.cgroups import Cgroups

TESTS = Path(__file__).parent.parent
HOSTILE = (
    "hostile.py forks_without_end",
    "hostile.py starts_threads",
    "hostile.py fills_sockets 20",
    "hostile.py makes_files",
    "hostile.py fills_folders",
    "hostile.py signals_its_group SIGKILL",
    "hostile.py burns_cores 8",
    "hostile.py chooses_who_dies",
    "eats_memory.py forked",
    "whispers.py say golf loopback udp abstract",
)
CONFIG = """
[tournament]
name = "guest"
format = "gauntlet"
challengers = ["honest"]
deals = 1
jobs = 1
isolation = "bwrap"
[time]
start_s = 60.0
move_s = 20.0
[faults]
strikes = 1
[limits]
memory_mb = 64
processes = 48
files = 64
tmp_mb = 8
cpu_s = 20
[[variants]]
preset = "six-card"
options = { rounds = 1 }
"""

STALLED = "the referee did not look at its pipes"
"""So begins why a match is void where the guest's one core was needed elsewhere. golfref plays it again."""

LEFT_OUT = (
    "test_partners_that_nothing_keeps_apart_talk_to_each_other",
    "test_system_calls_by_other_numbers_end_the_bot[words0]",
)
PYTEST = (
    "-m", "isolation and not clock and not full", "-n", "0", "-p", "no:cacheprovider", "--timeout=400", "-q", "-rs",
    "--color=no",
    # A match that took too long for its clock is played again, as the tests of clocks are: the guest is slow.
    "--reruns", "2", "--only-rerun", STALLED, "--only-rerun", "it takes longer than",
    # Its bots signal by times of files, which lag behind in the guest; and the kernel of the guest takes the numbers of
    # 32-bit calls for those of 64 bits, so no filter can see them.
    *(f"--deselect=tests/play/sandbox/test_hostile_reach.py::{test}" for test in LEFT_OUT),
)  # fmt: skip


def main() -> int:
    """The exit code."""
    groups = control_groups()  # this process leaves the group that is divided, and what it starts does so with it
    holds = [isinstance(groups, Cgroups) and groups.version == 2 and groups.gap is None]
    print(f"user {os.geteuid()}: {groups}", flush=True)
    holds += [golfref("doctor").returncode == 0]
    holds += [subprocess.run([sys.executable, "-m", "pytest", *PYTEST], check=False).returncode == 0]
    holds += [is_unharmed(Path(f"/tmp/guest-{os.geteuid()}"))]
    return 0 if all(holds) else 1


def golfref(*words: str, stdout: int | None = None) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([sys.executable, "-m", "referee", *words], check=False, stdout=stdout)


def is_unharmed(folder: Path) -> bool:
    """Whether the honest bot of a tournament in this folder has no fault and no void."""
    config = CONFIG
    for program in ("honest.py", *HOSTILE):
        name = program.replace(".py", "")
        shutil.copytree(TESTS / "hostile", folder / name)
        shutil.copy(TESTS / "support" / "filler.py", folder / name)
        command = json.dumps([sys.executable, "-B", *program.split()])
        config += f'\n[[bots]]\nname = "{name}"\nowner = "{name}"\ndir = "{name}"\ncommand = {command}\n'
        config += 'env = { GOLFREF_TEST = "guest" }\n'
    (folder / "guest.toml").write_text(config)
    summary = json.loads(golfref("tournament", str(folder / "guest.toml"), "--json", stdout=subprocess.PIPE).stdout)
    faults = [one["faults"] for one in summary["standings"] if one["bot"] == "honest"]
    voids = summary["void_reasons"]
    print("matches", summary["matches"], "voids", voids, "faults of the honest bot", *faults, flush=True)
    voids = [reason for reason in voids if not reason.startswith(STALLED)]
    return summary["matches"] == 2 * len(HOSTILE) and not voids and faults == [{}]


if __name__ == "__main__":
    sys.exit(main())
