"""entries --log and entries --build: what the build of an entry said, and building it again."""

from pathlib import Path

from referee.commands.console import put, say
from referee.commands.interrupt import Signals
from referee.competition.builder import builder_for
from referee.ending_signals import Interrupted
from referee.errors import CHECK_FAILED, DONE
from referee.tournament.config.config import Config, ConfigError, Survey, survey
from referee.versions.build_log import log_lines
from referee.versions.entry import Entry
from referee.versions.store import VersionStore
from referee.versions.version import short


def show_log(config: Path, name: str) -> int:
    """Print what the last build of an entry said; returns the exit code."""
    (entry,) = _entries(config, survey(config), name)
    versions = VersionStore(config.absolute().parent)
    log, built = versions.build_log(entry.version), versions.last_build(entry.version)
    if not entry.build:
        say(f"entry `{entry.name}` has no build")
    elif log is None or built is None:
        say(f"version {short(entry.version)} of `{entry.name}` has not been built; `golfref entries {config} --build`")
    else:
        put(*log_lines(log))
        came = "built" if built.outcome == "built" else f"failed: {built.problem}"
        say(f"version {short(entry.version)} of `{entry.name}`, {built.when}, {built.seconds:.1f} s: {came}")
    return DONE


def build_again(config: Path, name: str | None) -> int:
    """Build an entry again, or all of them, whatever came of it before; returns the exit code."""
    signals = Signals()
    try:
        with signals:
            found = survey(config)
            entries, rest = _entries(config, found, name), _rest(found)
            builder = builder_for(rest, say)
            with signals.held():
                not_ready = builder.ready(entries, check=signals.check, again=True)
    except Interrupted as interrupted:
        interrupted.add_note("what was built by then is kept")
        raise
    say(*(line for one in not_ready for line in one.told()))
    return CHECK_FAILED if not_ready else DONE


def _entries(config: Path, found: Survey, name: str | None) -> list[Entry]:
    """The entry of this name, or all; raises ConfigError where there is none."""
    entries = [entry for entry in found.entrants.entries if name in (None, entry.name)]
    if entries:
        return entries
    if broken := [line for one in found.entrants.broken if one.name == name for line in one.lines]:
        raise ConfigError(broken)
    there = ", ".join(entry.name for entry in found.entrants.entries) or "none"
    raise ConfigError([*found.lines, f"{config}: there is no entry `{name}`; there are {there}"])


def _rest(found: Survey) -> Config:
    """The config with the entries that can be read; raises ConfigError where something else is wrong."""
    if found.rest is None:
        raise ConfigError(found.lines)
    return found.rest
