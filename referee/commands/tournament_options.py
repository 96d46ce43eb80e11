"""What `golfref tournament` is asked to do."""

import shlex
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.config.config import Config


class TournamentOptions(Struct, frozen=True, kw_only=True):
    """What `golfref tournament` was asked to do."""

    config: Path
    store: Path | None
    fresh: bool
    amend: bool
    dry_run: bool
    jobs: int | None
    workers: int | None
    seed: str | None
    hours: float | None
    site: Path | None
    """The folder of a site that is kept current meanwhile."""
    progress: str | None = None
    """What machines are told: `json` on stderr, `json:FILE` in a file."""
    cluster: str | None = None
    """The cluster whose hosts play, as `--cluster` names it."""
    insecure_cluster: bool = False
    as_json: bool
    strict: bool

    def applied_to(self, config: Config) -> Config:
        """The config as the command line has it."""
        return replace(
            config,
            jobs=self.jobs or config.jobs,
            workers=self.workers or config.workers,
            seed=self.seed or config.seed,
            hours=self.hours or config.hours,
        )

    def again(self) -> str:
        """The command line that goes on."""
        parts = ["golfref", "tournament", str(self.config)]
        parts += ["--store", str(self.store)] * (self.store is not None)
        parts += ["--seed", str(self.seed)] * (self.seed is not None)
        parts += [] if self.hours is None else ["--hours", f"{self.hours:g}"]
        parts += ["--jobs", str(self.jobs)] * (self.jobs is not None)
        parts += ["--workers", str(self.workers)] * (self.workers is not None)
        parts += [] if self.site is None else ["--site", str(self.site)]
        parts += [] if self.progress is None else ["--progress", self.progress]
        parts += [] if self.cluster is None else ["--cluster", self.cluster]
        parts += ["--insecure-cluster"] * self.insecure_cluster
        parts += ["--amend"] * self.amend + ["--json"] * self.as_json + ["--strict"] * self.strict
        return shlex.join(parts)
