"""The cluster that `golfref tournament --cluster` plays on."""

import contextlib
from collections.abc import Iterator

from referee.cluster.where import BadCluster, where
from referee.commands.console import say
from referee.commands.options import refuse
from referee.commands.tournament.options import TournamentOptions
from referee.tournament.config.config import Config
from referee.tournament.run.run import Cluster

INSTALL = "pip install 'golfref[cluster]'"


@contextlib.contextmanager
def clustered(options: TournamentOptions, config: Config) -> Iterator[Cluster | None]:
    """The hosts that play, for the duration of the block. None where this machine plays alone.

    Raises BadCluster and ClusterFailed.
    """
    if options.cluster is None:
        if options.insecure_cluster or options.wait_s is not None:
            option = "--insecure-cluster" if options.insecure_cluster else "--wait"
            raise BadCluster(f"{option} says how --cluster is used, and there is no --cluster")
        yield None
        return
    has_network = config.builds.network or any(bot.network for bot in config.bots)
    place = where(options.cluster, insecure=options.insecure_cluster, has_network=has_network)
    if not place.address.startswith("tcp:"):
        refuse(f"--cluster {options.cluster}", {"--insecure-cluster": options.insecure_cluster})
    try:
        from referee.cluster.session import ClusterSession  # noqa: PLC0415 - Dask is slow to import, and may be missing
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"dask", "distributed"}:
            raise
        raise BadCluster(f"--cluster needs the library `distributed`, which is not installed: {INSTALL}") from None
    with ClusterSession(place, jobs=options.jobs, workers=options.workers, wait_s=options.wait_s, tell=say) as session:
        session.prepare(config)
        yield session
