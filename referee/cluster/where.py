"""The value of `--cluster`: where a cluster is, and what is wrong with that."""

import json
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from referee.errors import HOST_FAILED, GolfrefError


class BadCluster(GolfrefError, ValueError):
    """The value of `--cluster` names no cluster that may be used. The text says why."""


class ClusterFailed(GolfrefError):
    """There is no cluster to play on, or it is gone. The text says why."""

    exit_code = HOST_FAILED


class Where(Struct, frozen=True, kw_only=True):
    """Where the cluster is."""

    address: str = ""
    """The address of its scheduler; empty where the cluster is started here."""
    local: int = 0
    """With how many hosts it is started here."""


FORMS = "tcp://HOST:PORT, tls://HOST:PORT, file:SCHEDULER.json or local:N"
MOST_LOCAL = 16
_TLS = "use tls:// (tournaments/CLUSTER.md, TLS step by step)"


def where(text: str, *, insecure: bool, has_network: bool) -> Where:
    """The cluster that `--cluster` names. Raises BadCluster: for plain tcp unless `insecure`, always if `has_network`.

    `has_network`: builds or bots may use the network, and so can connect to the scheduler.
    """
    kind, colon, rest = text.partition(":")
    if kind == "local" and colon:
        if not rest.isascii() or not rest.isdigit() or not 1 <= int(rest) <= MOST_LOCAL:
            raise BadCluster(f"--cluster {text}: expected local:N with 1 to {MOST_LOCAL} hosts")
        return Where(local=int(rest))
    address = _checked(_in_file(Path(rest)) if kind == "file" and colon else text, text)
    if address.startswith("tcp:"):
        if has_network:
            raise BadCluster(
                f"--cluster {text}: plain tcp is refused where [builds] or a bot has network = true, because a program "
                f"that reaches the scheduler runs others as you on all hosts; {_TLS}, or set network = false"
            )
        if not insecure:
            raise BadCluster(
                f"--cluster {text}: plain tcp is refused, because whoever reaches the scheduler, on this machine too, "
                f"runs programs as you on all hosts, and whoever reads the orders on the way knows all cards; {_TLS}, "
                "or add --insecure-cluster where you trust everybody who reaches it"
            )
    return Where(address=address)


def _in_file(path: Path) -> str:
    """The address in a scheduler file, as Dask writes it."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise BadCluster(f"--cluster: {path}: {error.strerror}; the scheduler writes it when it starts") from None
    except ValueError as error:
        raise BadCluster(f"--cluster: {path} is no scheduler file, as `dask scheduler` writes it: {error}") from None
    if not isinstance(content, dict) or not isinstance(address := content.get("address"), str):
        raise BadCluster(f"--cluster: {path} is no scheduler file, as `dask scheduler` writes it: it has no address")
    return address


def _checked(address: str, text: str) -> str:
    whole = address if "://" in address else f"tcp://{address}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadCluster(f"--cluster {text}: {error}; expected {FORMS}") from None
    if parts.scheme not in {"tcp", "tls"} or not host or not port or parts.path or parts.query:
        raise BadCluster(f"--cluster {text}: expected {FORMS}")
    return f"{parts.scheme}://{parts.netloc}"
