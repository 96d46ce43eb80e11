"""What this machine is called where a run is played on several, and what is stored of it."""

import os
import re
import socket

from protocol import VERSION
from referee import __version__
from referee.play.match import host_line
from referee.play.sandbox.system_info import cores
from referee.tournament.store.origins import Host

NAME = "GOLFREF_HOST"
"""The variable that gives this machine another name."""


def host_name(name: str = "") -> str:
    """The name under which a run knows a host: of letters, digits and `_.:-`, at most 100.

    Without `name` this machine's: the one in GOLFREF_HOST, else its name in the network.
    """
    name = name or os.environ.get(NAME) or socket.gethostname()
    return re.sub(r"[^\w.:-]", "-", name)[:100] or "host"


def own_host(jobs: int | None = None) -> Host:
    """What a run that several machines play stores of this one, which plays so many matches at a time."""
    return Host(name=host_name(), golfref=__version__, protocol=VERSION, host=host_line(), cores=cores(), jobs=jobs)
