"""What the programs of this folder share: enough of the protocol to play a whole game without breaking a rule.

The folder is their folder, as a bot's author would hand it in. None of them may be run by hand outside a match: where
nothing holds them they do what their first line says.
"""

import json
import os
import sys


def say(message, end="\n"):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + end)
    sys.stdout.flush()


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


def start(**fields):
    """Wait for `hello`, say `ready`."""
    sys.stdin.readline()
    say({"type": "ready", **fields})


def fill(offer):
    first = lambda choice: choice["of"][: choice["pick"]] if "pick" in choice else choice["one_of"][0]
    return {name: choice if name == "kind" else first(choice) for name, choice in offer.items()}


def right(request):
    """An answer that breaks no rule."""
    return {"type": "answer", "id": request["id"], "action": fill(request["legal"][0])}


def requests():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "request":
            yield message


def play():
    for request in requests():
        say(right(request))


def is_caged():
    """Whether this runs in a cell: some acts must not be tried where nothing holds them."""
    return os.getcwd() == "/bot" and os.getuid() != 0


def only_in_a_cell():
    if not is_caged():
        sys.exit("this may be run in a cell only")
