"""What `golfref tournament` is asked to do."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from referee.commands.options import Json, Strict
from referee.commands.runs.key import read_key
from referee.tournament.config.config import Config, ConfigError
from referee.tournament.config.formats import MOST_HOURS, FormatKeys
from referee.tournament.formats.table import formats_with
from referee.tournament.plan.rounds import Format
from referee.tournament.plan.shards import MOST_SHARDS, Shard, read_shard


def _shard(text: str) -> Shard:
    found = read_shard(text)
    if found is None:
        raise typer.BadParameter(
            f"expected K/N, such as 2/5, with K from 1 to N and N at most {MOST_SHARDS}, got {text!r}"
        )
    return found


class TournamentOptions(Struct, frozen=True, kw_only=True):
    """What `golfref tournament` was asked to do."""

    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The tournament's TOML file.")]
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where results go; default: CONFIG with .golfref for .toml, beside it."),
    ] = None
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, and keep an old store as FILE.old1.")] = False
    amend: Annotated[
        bool, typer.Option("--amend", help="Go on with a changed config; without it, print what would change.")
    ] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check all, start every bot once, and play nothing.")] = (
        False
    )
    jobs: Annotated[int | None, typer.Option(min=1, help="Matches at a time; default: the config's.")] = None
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that play; default: the config's, else by cores and matches."),
    ] = None
    seed: Annotated[
        str | None,
        typer.Option(help="Fix schedule and deals; default: the config's, else a secret key."),
    ] = None
    hours: Annotated[
        float | None,
        typer.Option(help="Begin no round that would not end within so long; default: the config's."),
    ] = None
    site: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep a static site of the run current in this folder while it is played."),
    ] = None
    shard: Annotated[
        Shard | None,
        typer.Option(
            parser=_shard,
            metavar="K/N",
            help="Play only shard K of N of the plan, for machines that cannot talk; then `golfref merge`.",
        ),
    ] = None
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The master key, from a file that `golfref key` made; default: a new one."),
    ] = None
    progress: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write events as JSON lines to this file, or pipe.",
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS|local:N",
            help="Play on the hosts of this Dask scheduler (tls://HOST:PORT, file:SCHEDULER.json), or try out N here.",
        ),
    ] = None
    insecure_cluster: Annotated[
        bool,
        typer.Option(
            "--insecure-cluster",
            help="Let --cluster use plain tcp: whoever reaches the scheduler runs programs as you.",
        ),
    ] = False
    wait_s: Annotated[
        int | None,
        typer.Option(
            "--wait",
            min=0,
            metavar="SECONDS",
            help="How long --cluster waits for hosts when none can play what is left; default: 300.",
        ),
    ] = None
    as_json: Json = False
    strict: Strict = False

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
        key = None if self.key is None else read_key(self.key)
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
        raise ConfigError([f"golfref: --hours: expected hours above 0, at most {MOST_HOURS}, got {hours:g}"]) from None
    if format_ not in (having := formats_with("hours")):
        what = "a tournament with [[stages]]" if format_ is None else f"a {format_}"
        ways = f"formats that can end early: {', '.join(having)}"
        raise ConfigError([f"golfref: --hours: {what} that is cut off gives no ranking; {ways}"])


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
