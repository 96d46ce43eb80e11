"""What the programs of this folder share besides filler.py, which the arena puts beside them.

The folder is their folder, as a bot's author would hand it in. None of them may be run by hand outside a match: where
nothing holds them they do what their first line says.
"""

import os
import sys


def report(name, outcome):
    """A finding, for the test: kept in the record as standard error. In one write, whoever else writes."""
    os.write(2, f"{name}: {outcome}\n".encode())


def attempt(name, act, *given):
    """Report what comes of an act: its result, or the name of the error."""
    try:
        report(name, act(*given))
    except OSError as error:
        report(name, name_of(error))
    except Exception as error:
        report(name, type(error).__name__)


def name_of(error):
    import errno

    return errno.errorcode.get(error.errno, str(error))


def is_caged():
    """Whether this runs in a cell: some acts must not be tried where nothing holds them."""
    return os.getcwd() == "/bot" and os.getuid() != 0


def only_in_a_cell():
    if not is_caged():
        sys.exit("this may be run in a cell only")


def may_write(path):
    """Whether a file may be opened to write, or a folder takes a new one; nothing is written."""
    try:
        if os.path.isdir(path):
            os.rmdir(os.mkdir(f"{path}/probe") or f"{path}/probe")
        else:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))
    except OSError:
        return False
    return True


def play_turns(turns):
    """Play so many turns and then knock; pass in all slap windows."""
    from filler import requests, right, say

    for request in requests():
        if request["decision"] == "turn":
            say(right(request, "draw" if turns else "knock"))
            turns -= bool(turns)
        else:
            say(right(request, "pass"))
