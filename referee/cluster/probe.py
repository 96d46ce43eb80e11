"""Which dask workers have no golfref with which they could take part, and whether the scheduler has: asked at first.

What is sent for that is of Python's standard library, so that it is understood in whatever environment they run.
"""

import os
import socket
from pkgutil import resolve_name
from typing import Any

from distributed import Client

from referee import __version__
from referee.cluster.hosts import HOST, host_name
from referee.cluster.news import LeftOut

_PLUGIN = "referee.cluster.plugin:HostPlugin.__name__"
_VERSION = "referee:__version__"


async def without_golfref(client: Client) -> list[LeftOut]:
    """The dask workers that are there and cannot take part, each with the reason."""
    plugins = await client.run(resolve_name, _PLUGIN, on_error="return")
    if not (lacking := [address for address, found in plugins.items() if isinstance(found, BaseException)]):
        return []
    versions = await client.run(resolve_name, _VERSION, workers=lacking, on_error="return")
    told = await client.run(os.getenv, HOST, workers=lacking, on_error="return")
    names = await client.run(socket.gethostname, workers=lacking, on_error="return")
    return [
        LeftOut(
            address=address,
            host=_name(told.get(address), names.get(address), address),
            reason=_reason(versions.get(address), plugins[address]),
        )
        for address in lacking
    ]


def _name(told: Any, name: Any, address: str) -> str:
    return host_name(next((one for one in (told, name) if isinstance(one, str) and one), address))


def _reason(version: Any, error: BaseException) -> str:
    if isinstance(version, str):
        other = f"it has golfref {version}, and the desk {__version__}"
        why = other if version != __version__ else f"its golfref {version} cannot be loaded ({error})"
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
