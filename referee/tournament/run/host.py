"""What this machine is called where a run is played on several, and what it tells of itself."""

import os
import socket

from protocol import VERSION
from referee import __version__
from referee.play.match import host_line
from referee.play.sandbox.system_info import cores
from referee.tournament.store.hosts import Host

NAME = "GOLFREF_HOST"
"""The variable that gives this machine another name."""


def own_name() -> str:
    """What this machine is called: as GOLFREF_HOST says, else by its name in the network."""
    return os.environ.get(NAME) or socket.gethostname()


def own_host(jobs: int | None = None) -> Host:
    """What this machine tells of itself where it plays so many matches at a time of a run that several play."""
    return Host(name=own_name(), golfref=__version__, protocol=VERSION, host=host_line(), cores=cores(), jobs=jobs)
