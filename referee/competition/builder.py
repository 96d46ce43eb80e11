"""What builds the entries of a competition, as its config says."""

from collections.abc import Callable

from referee.tournament.config.config import Config
from referee.versions.ready import Builder
from referee.versions.store import VersionStore


def builder_for(config: Config, tell: Callable[[str], None]) -> Builder:
    """What makes entries of this competition ready; `tell` takes what a person may want to read meanwhile."""
    return Builder(VersionStore(config.folder), isolation=config.isolation, builds=config.builds, tell=tell)
