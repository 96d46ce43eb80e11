"""Whether a dask worker has a golfref with which it could take part, and whether the scheduler has: asked at first.

What is sent for that is of Python's standard library, so that it is understood in whatever environment they run.
"""

import os
import socket
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from distributed import Client

from referee import __version__
from referee.cluster.messages import LeftOut, on_one_line
from referee.tournament.run.this_host import NAME, host_name

_PLUGIN = "referee.cluster.plugin:HostPlugin.__name__"
_VERSION = "referee:__version__"


async def why_left_out(client: Client, address: str) -> LeftOut | None:
    """Why the dask worker at this address cannot take part; None where it can. Raises OSError where it is gone."""

    async def ask(function: Callable[..., Any], *words: str) -> Any:
        return (await client.run(function, *words, workers=[address], on_error="return"))[address]

    version, found = await ask(resolve_name, _VERSION), await ask(resolve_name, _PLUGIN)
    if version == __version__ and not isinstance(found, BaseException):
        return None
    if isinstance(found, OSError):
        raise found
    names = await ask(os.getenv, NAME), await ask(socket.gethostname), address
    name = next(one for one in names if isinstance(one, str) and one)
    return LeftOut(address=address, host=host_name(name), reason=on_one_line(_reason(version, found)))


def _reason(version: Any, found: Any) -> str:
    if isinstance(version, str):
        other = f"it has golfref {version}, and the desk {__version__}"
        why = other if version != __version__ else f"its golfref {version} cannot be loaded ({found})"
        return f"{why}; install the desk's there, with the extra `cluster`"
    return "the Python of its worker has no golfref; start the worker in the environment in which golfref is installed"


async def check_scheduler(client: Client) -> str:
    """Why the scheduler cannot take part; empty where it can."""
    try:
        await client.run_on_scheduler(resolve_name, "referee.cluster.plugin:RunPlugin.__name__")
    except ImportError:
        return (
            "its Python has no golfref like the desk's; start it where golfref is installed, with the extra `cluster`"
        )
    return ""
