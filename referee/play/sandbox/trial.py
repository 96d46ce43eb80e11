"""A command that is tried out, to see whether this host can do what bots need. It must not know what that is."""

import subprocess
from collections.abc import Sequence

from referee.play.faults import HostFault
from referee.play.sandbox.paths import PATH

TRIAL_S = 20.0
"""How long a command may take that ends at once where all is well."""

TOO_SLOW = "it did not end within"
"""How the problem of a command begins that took longer."""


def trial_problem(command: Sequence[str], *, passed: Sequence[int] = ()) -> str:
    """Run a command that inherits these descriptors. Returns in one line why it failed; empty where it did not.

    Raises HostFault where the host has no room for it, which says nothing of the command.
    """
    try:
        done = subprocess.run(
            command,
            pass_fds=passed,
            env={"PATH": PATH},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_S,
            check=False,
        )
    except OSError as error:
        raise HostFault(f"the host cannot start another process: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        return f"{TOO_SLOW} {TRIAL_S:g} s"
    if done.returncode == 0:
        return ""
    return " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
