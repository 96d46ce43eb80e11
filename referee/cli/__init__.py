"""The command line: what the commands are called and which options they have. commands/ has what they do.

Each command imports what it needs when it runs, so that `--help` does not wait for it. every.py has all of them.
"""

import contextlib
import gc
import os
import sys

__all__ = ["main"]

COLLECTED_AFTER = 100_000
"""After how many new objects garbage is looked for. Imports leave none, and a match of two bots has fewer objects."""


def main() -> None:
    """The `golfref` command."""
    gc.set_threshold(COLLECTED_AFTER)
    if sys.platform == "win32":
        sys.exit("golfref runs on Linux and macOS; on Windows use WSL, the Windows Subsystem for Linux")
    for fd in range(3):  # if one of them is closed, the next file that is opened would take its place
        with contextlib.suppress(OSError):
            os.fstat(fd)
            continue
        os.open(os.devnull, os.O_RDWR)
    # numpy's matrices are small here: more threads only wait for each other. It reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from referee.cli.every import with_one_command

    try:
        with_one_command(sys.argv[1:])()
    except BrokenPipeError:
        # The program that read our output, such as `head`, has ended. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    finally:
        gc.freeze()  # so that Python, as it ends, does not look for garbage in all that was imported
