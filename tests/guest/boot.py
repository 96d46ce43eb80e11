"""Boots a Linux that has control groups of version 2, and tries golfref in it: `boot.py`, with the Python of the tests.

Debian's user-mode-linux is a kernel that runs as an ordinary process. Its guest sees the files of this host, and may
not change them; init.sh is its first process. This prints what the guest prints. The exit code is 0 if all holds there.
Without the kernel nothing is tried, which is an error where CI=true.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 45 * 60
"""A guest that runs for longer has hung; it takes a quarter of an hour on a core of its own."""

ALL_HOLDS = "guest: all holds"
"""The last line of init.sh, if nothing failed."""


def main() -> int:
    """The exit code."""
    if (kernel := shutil.which("linux.uml")) is None:
        print("control groups of version 2 are not tried: linux.uml is missing; apt-get install user-mode-linux")
        return int(os.environ.get("CI") == "true")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="golfref-guest-") as scratch:
        return 0 if booted(kernel, scratch) == ALL_HOLDS else 1


def booted(kernel: str, scratch: str) -> str:
    """The last line that the guest prints of itself."""
    command = [kernel, "root=/dev/root", "rootfstype=hostfs", "ro", "mem=2500M", "con=null", "con0=null,fd:1"]
    command += [f"uml_dir={scratch}/", "quiet", "loglevel=1", f"init={HERE}/init.sh"]
    command += [f"REPO={HERE.parents[1]}", f"PYTHON={sys.executable}", f"BASE={sys.base_prefix}"]
    last = ""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, text=True, errors="replace"
    ) as guest:
        watch = threading.Timer(LIMIT_S, os.killpg, (guest.pid, signal.SIGKILL))
        watch.start()
        try:
            for line in guest.stdout or ():
                print(line.rstrip(), flush=True)
                last = line.strip() if line.startswith("guest: ") else last
        finally:
            watch.cancel()
            if guest.poll() is None:
                os.killpg(guest.pid, signal.SIGKILL)
    return last


if __name__ == "__main__":
    sys.exit(main())
