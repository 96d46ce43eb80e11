"""What ends a command: one kind of error, which every room raises, and the exit codes."""

from protocol.text import printable

DONE = 0
CHECK_FAILED = 1
USAGE = 2
HOST_FAILED = 3
NOT_ALL_CHECKED = 4
INTERRUPTED = 130

EXIT_CODES = {
    DONE: "all is done",
    CHECK_FAILED: "a check failed, bots could not start, or with `--strict` bots were at fault",
    USAGE: "the command line, a config, an entry or a file is wrong; the message says where",
    HOST_FAILED: "the machine failed or lacks something, such as room on the disk",
    NOT_ALL_CHECKED: "`golfref check` or `verify` could not check everything, and found nothing wrong in the rest",
    INTERRUPTED: "interrupted by Ctrl-C or a signal",
}
"""What each exit code of golfref means."""

LONGEST_LINE = 3000
"""How many characters a line has at most. Nothing of a name or a file in it steers a terminal."""


class GolfrefError(Exception):
    """Why something cannot be done, in words for the person who can mend it. A command prints it and exits.

    Notes that are added to it (`add_note`) follow its words after a semicolon.
    """

    exit_code = USAGE
    """What a command that raises it exits with."""

    @property
    def printed(self) -> tuple[str, ...]:
        """What a command prints of it."""
        first, *others = "; ".join([str(self), *getattr(self, "__notes__", ())]).splitlines() or [""]
        return tuple(printable(line, LONGEST_LINE) for line in (f"golfref: {first}", *others))


class CommandError(GolfrefError):
    """The end of a command that is no other error's."""

    def __init__(self, text: str, exit_code: int = USAGE) -> None:
        super().__init__(text)
        self.exit_code = exit_code
