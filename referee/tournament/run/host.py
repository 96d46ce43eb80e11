"""What this machine is called where a run is played on several, and what it tells of itself."""

import os
import socket

from protocol import VERSION
from referee import __version__
from referee.play.match import host_line
from referee.tournament.store.hosts import Host

NAME = "GOLFREF_HOST"
"""The variable that gives this machine another name."""


def own_name() -> str:
    """What this machine is called: as GOLFREF_HOST says, else by its name in the network."""
    return os.environ.get(NAME) or socket.gethostname()


def own_host() -> Host:
    """What this machine tells of itself where it goes on with a run that several have played."""
    return Host(name=own_name(), golfref=__version__, protocol=VERSION, host=host_line())
