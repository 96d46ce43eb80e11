"""The signals that end a command: Ctrl-C, SIGTERM, and SIGHUP as when a terminal is closed.

Must be imported before anything else handles signals: SIGHUP is left alone where it is ignored then, as under `nohup`.
"""

import signal

ENDING_SIGNALS = tuple(
    number
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN
)


class Interrupted(KeyboardInterrupt):
    """One of them came, and everything that ran has been stopped. They are ignored from now on."""


def ignore_ending_signals() -> None:
    """Ignore them from now on: one came, and all that is left to do is to tidy up."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
