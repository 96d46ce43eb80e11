"""What hosts and the desk of a run tell each other through Dask, as structs. Dask moves their bytes."""

from collections.abc import Callable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.cluster.hosts import Demands, on_one_line
from referee.play.process.pool import Reuse
from referee.tournament.orders import Played, Spoiled
from referee.tournament.run.host import host_name
from referee.tournament.store.hosts import Host


class Hosting(Struct, frozen=True, kw_only=True):
    """What every host of a run is to be."""

    run: str
    """Names the run among all that use the cluster: the resource that its hosts have, and the topic of their news."""
    reuse: Reuse
    slap_s: float
    jobs: int | None = None
    """How many matches each dask worker plays at a time. None for as many as it has threads."""
    workers: int | None = None
    """How many processes play these on each dask worker. None for as many as without a cluster."""
    demands: Demands


class Lacking(Struct, frozen=True, kw_only=True, tag=True):
    """A host needs these parcels, in this order."""

    address: str
    parcels: tuple[str, ...]


class Said(Struct, frozen=True, kw_only=True, tag=True):
    """Something that a person may want to read while a host gets ready."""

    host: str
    line: str


class Came(Struct, frozen=True, kw_only=True, tag=True):
    """A dask worker has come to the cluster. It has not said yet whether it plays."""

    address: str


class Joined(Struct, frozen=True, kw_only=True, tag=True):
    """A dask worker plays from now on."""

    address: str
    """Dask's address of the worker."""
    host: Host
    jobs: int


class LeftOut(Struct, frozen=True, kw_only=True, tag=True):
    """A dask worker does not play, or plays no longer."""

    address: str
    host: str
    reason: str


class Gone(Struct, frozen=True, kw_only=True, tag=True):
    """A dask worker has left the cluster, or was lost."""

    address: str


class Began(Struct, frozen=True, kw_only=True, tag=True):
    """A match is played from now on."""

    number: int


News = Lacking | Said | Came | Joined | LeftOut | Gone | Began


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a bundle, as the host that played it says."""

    address: str
    reports: tuple[Played | Spoiled, ...]
    seconds: tuple[float, ...] = ()
    """How long each of them took."""


class Back(Struct, frozen=True, kw_only=True):
    """A bundle has been played."""

    id: int
    outcome: Outcome


class Returned(Struct, frozen=True, kw_only=True):
    """Dask could not have a bundle played. It may be handed out again."""

    id: int
    reason: str


class Lost(Struct, frozen=True, kw_only=True):
    """The scheduler is gone or cannot be reached any more, or the desk cannot send the bots."""

    reason: str


Happening = News | Back | Returned | Lost
"""What a run on a cluster gets to know."""

Listener = Callable[[Happening], None]

_NEWS: "msgspec.msgpack.Decoder[News]" = msgspec.msgpack.Decoder(News)


def encoded(message: Struct) -> bytes:
    """The bytes of a message."""
    return msgspec.msgpack.encode(message)


def news(data: bytes) -> News:
    """The news in these bytes, with its texts on one line each, whoever wrote them. Raises msgspec.DecodeError."""
    found = _NEWS.decode(data)
    if isinstance(found, Said):
        return replace(found, host=host_name(found.host), line=on_one_line(found.line))
    if isinstance(found, LeftOut):
        return replace(found, host=host_name(found.host), reason=on_one_line(found.reason))
    if isinstance(found, Joined):
        return replace(found, host=_cleaned(found.host))
    return found


def _cleaned(host: Host) -> Host:
    """What a host tells of itself, as people can be shown it."""
    return replace(
        host,
        name=host_name(host.name),
        golfref=on_one_line(host.golfref),
        protocol=on_one_line(host.protocol),
        host=on_one_line(host.host),
        tag=on_one_line(host.tag),
        isolation=on_one_line(host.isolation),
        built=tuple(map(on_one_line, host.built)),
    )
