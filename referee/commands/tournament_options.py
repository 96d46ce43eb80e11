"""What `golfref tournament` is asked to do."""

import shlex
from pathlib import Path

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from referee.commands.key import BadKeyFile, read_key
from referee.tournament.config.config import Config, ConfigError
from referee.tournament.config.formats import MOST_HOURS, FormatKeys
from referee.tournament.formats.table import formats_with
from referee.tournament.plan.rounds import Format
from referee.tournament.plan.shards import Shard


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
    shard: Shard | None = None
    """The part of the plan that is played here; None for all of it."""
    key: Path | None = None
    """The file with the master key."""
    progress: str | None = None
    """Where events are written: `json` on stderr, `json:FILE` in a file."""
    cluster: str | None = None
    """The cluster whose hosts play, as `--cluster` names it."""
    insecure_cluster: bool = False
    wait_s: int | None = None
    """How long its hosts are waited for; None for as long as usual."""
    as_json: bool
    strict: bool

    @property
    def path(self) -> Path:
        """Where the store is."""
        if self.store is not None:
            return self.store
        part = "" if self.shard is None else f".shard-{self.shard.number}-of-{self.shard.of}"
        return self.config.with_suffix(f"{part}.golfref")

    def applied_to(self, config: Config) -> Config:
        """The config as the command line has it. Raises ConfigError where the two do not go together."""
        config = self._applied(config)
        if self.key is not None and config.seed is not None:
            where = "--seed" if self.seed is not None else f"`seed` in {self.config}"
            raise ConfigError([f"golfref: --key: {where} gives another key; leave one of them out"])
        if self.hours is not None:
            _check_hours(self.hours, config.only_format)
        if self.shard is not None and (why := _not_fixed(config)):
            text = f"golfref: --shard: {why}, so the plan is not known before all of it has been played"
            raise ConfigError([f"{text}; play it on one machine, or on a cluster with --cluster"])
        return config

    def _applied(self, config: Config) -> Config:
        try:
            key = None if self.key is None else read_key(self.key)
        except BadKeyFile as error:
            raise ConfigError([f"golfref: {error}"]) from None
        return replace(
            config,
            jobs=self.jobs or config.jobs,
            workers=self.workers or config.workers,
            seed=self.seed or config.seed,
            hours=config.hours if self.hours is None else self.hours,
            shard=self.shard,
            key=key,
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
        parts += [] if self.shard is None else ["--shard", str(self.shard)]
        parts += [] if self.key is None else ["--key", str(self.key)]
        parts += [] if self.progress is None else ["--progress", self.progress]
        parts += [] if self.cluster is None else ["--cluster", self.cluster]
        parts += ["--insecure-cluster"] * self.insecure_cluster
        parts += [] if self.wait_s is None else ["--wait", str(self.wait_s)]
        parts += ["--amend"] * self.amend + ["--json"] * self.as_json + ["--strict"] * self.strict
        return shlex.join(parts)


def _check_hours(hours: float, format_: Format | None) -> None:
    """Raises ConfigError where `--hours` is out of its bounds, or this format does not end early."""
    try:
        convert({"hours": hours}, FormatKeys)
    except ValidationError:
        raise ConfigError([f"--hours: expected hours above 0, at most {MOST_HOURS}, got {hours:g}"]) from None
    if format_ not in (having := formats_with("hours")):
        what = "a tournament with [[stages]]" if format_ is None else f"a {format_}"
        ways = f"formats that can end early: {', '.join(having)}"
        raise ConfigError([f"--hours: {what} that is cut off gives no ranking; {ways}"])


def _not_fixed(config: Config) -> str:
    """Why the plan of a config depends on results or clocks; empty where it does not."""
    if config.hours is not None:
        return "`hours` ends the run by the clock"
    if config.stop is not None:
        return "[stop] ends the run by its results"
    if not config.traits.has_whole_deals:
        rounds = "[[stages]]" if config.only_format is None else f"`{config.only_format}`"
        return f"the rounds of {rounds} follow from results"
    return ""
