"""The command line: `table.py` lists the commands, and each is a module here or in a folder by its subject.

What ends a command is a GolfrefError; `table.py` alone turns it into words and an exit code.
"""

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading

__all__ = ["main"]

COLLECTED_AFTER = 100_000
"""After how many new objects garbage is looked for. Imports leave none, and a match of two bots has fewer objects."""


def main() -> None:
    """The `golfref` command."""
    gc.set_threshold(COLLECTED_AFTER)
    if sys.platform == "win32":
        sys.exit("golfref runs on Linux and macOS; on Windows use WSL, the Windows Subsystem for Linux")
    from referee.ending_signals import ENDING_SIGNALS  # noqa: PLC0415 - not where golfref cannot run
    from referee.errors import INTERRUPTED  # noqa: PLC0415
    from referee.streams import set_up_streams  # noqa: PLC0415

    set_up_streams()
    # numpy's matrices are small here: more threads only wait for each other. It reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        for number in ENDING_SIGNALS:
            signal.signal(number, signal.default_int_handler)
        from referee.commands.table import app  # noqa: PLC0415 - a signal may come while it is imported

        app()
    except KeyboardInterrupt:
        print("golfref: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The program that read our output, such as `head`, has ended. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except SystemExit as leaving:
        if isinstance(leaving.code, int) and threading.active_count() == 1:
            _leave(leaving.code)
        raise
    finally:
        gc.freeze()  # so that Python, as it ends, does not look for garbage in all that was imported


def _leave(code: int) -> None:
    """End without taking apart all that was imported, which Python does otherwise, and which is a tenth of a match.

    Returns where the output cannot be written: Python prints that as it ends.
    """
    with contextlib.suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        atexit._run_exitfuncs()
        os._exit(code)
