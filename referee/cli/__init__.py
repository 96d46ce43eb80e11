"""The command line: what the commands are called and which options they have. commands/ has what they do.

Each command imports what it needs when it runs, so that `--help` does not wait for it. every.py has all of them.
"""

import atexit
import contextlib
import gc
import os
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
    from referee.streams import set_up_streams

    set_up_streams()
    # numpy's matrices are small here: more threads only wait for each other. It reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from referee.cli.every import with_one_command

    try:
        with_one_command(sys.argv[1:])()
    except BrokenPipeError:
        # The program that read our output, such as `head`, has ended. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        # Something of the host of which no command knows what it means, such as no folder for temporary files.
        from referee.commands.console import HOST_FAILED, say
        from referee.play.faults import in_words

        say(f"golfref: {in_words(error)}")
        sys.exit(HOST_FAILED)
    except SystemExit as leaving:
        if isinstance(leaving.code, int) and threading.active_count() == 1:
            _leave(leaving.code)
        raise
    finally:
        gc.freeze()  # so that Python, as it ends, does not look for garbage in all that was imported


def _leave(code: int) -> None:
    """End without taking apart all that was imported, which Python does otherwise, and which is a tenth of a match.

    Returns where the output cannot be written: Python tells that as it ends.
    """
    with contextlib.suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        atexit._run_exitfuncs()
        os._exit(code)
