"""What all commands share: data go to stdout, words for people to stderr, and the exit codes mean the same."""

import sys

DONE = 0
CHECK_FAILED = 1
USAGE = 2
HOST_FAILED = 3
NOT_ALL_CHECKED = 4
INTERRUPTED = 130


def say(*lines: str) -> None:
    """Write lines for the person at the keyboard (stderr)."""
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def put(*lines: str) -> None:
    """Write lines of data (stdout). Where that fails, the command ends and says so."""
    try:
        for line in lines:
            print(line, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.exit(f"golfref: the output cannot be written: {error.strerror}; nothing that is stored is lost")


def put_json(data: bytes) -> None:
    """Write one JSON document (stdout)."""
    put(data.decode())
