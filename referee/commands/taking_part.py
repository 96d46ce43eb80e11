"""Who takes part in a tournament when it begins, or goes on: with entries on the shelf, built, and qualified."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from referee.commands.console import say
from referee.commands.entering import Newcomers, NotTakenUp, playing_in
from referee.commands.hours import check_hours_option
from referee.commands.interrupt import Signals
from referee.commands.machines import Machines
from referee.commands.tournament_options import TournamentOptions
from referee.play.faults import HostFault
from referee.tournament.config.config import Config, ConfigError, check_ready, load
from referee.tournament.formats.table import traits_of
from referee.tournament.store.rows import KeptOut

if TYPE_CHECKING:
    from referee.entries.ready import NotReady


class Entered(Struct, frozen=True, kw_only=True):
    """Who takes part."""

    config: Config
    newcomers: Newcomers | None
    """Where a ladder is played, what takes new versions up between its rounds."""
    notes: tuple[KeptOut, ...]
    """What the history is to tell of those who do not take part."""


def entered(options: TournamentOptions, path: Path, signals: Signals, told: Machines) -> Entered | None:
    """Who takes part, with entries on the shelf and built. None where somebody cannot play, which is told.

    A ladder that goes on does so with the versions that played, where newer ones cannot. Raises ConfigError.
    """
    is_new = options.fresh or options.dry_run
    playing = None if is_new else playing_in(path, options.config, options.applied_to)
    if playing is not None:
        told.start_hooks(playing, path)
        newcomers = Newcomers(playing, path, options.applied_to, signals)
        try:
            return Entered(config=newcomers.config(), newcomers=newcomers, notes=newcomers.notes)
        except NotTakenUp as error:
            raise ConfigError(error.lines) from None
    config = load(options.config)
    if not options.dry_run:
        told.start_hooks(config, path)
    config = options.applied_to(config)
    if options.hours is not None:
        check_hours_option(options.hours, config)
    not_ready = _made_ready(config, signals)
    if not_ready and config.qualify is None:
        return None
    config, kept_out = _qualified(config, path, options, signals, not_ready)
    later = Newcomers(config, path, options.applied_to, signals) if traits_of(config.format).is_endless else None
    return Entered(config=config, newcomers=later, notes=kept_out)


def _made_ready(config: Config, signals: Signals) -> "tuple[NotReady, ...]":
    """Put entries on the shelf, and build them; returns which cannot play, and tells of them.

    Raises ConfigError, HostFault.
    """
    if not config.entries:
        return ()
    from referee.competition.builder import builder_for  # noqa: PLC0415 - a tournament without it starts sooner

    builder = builder_for(config, say)
    with signals.held():
        not_ready = builder.ready(config.entries, check=signals.check)
    say(*(line for one in not_ready for line in one.told()))
    if undecided := [f"`{one.name}`" for one in not_ready if one.is_hosts]:
        raise HostFault(f"the host cannot make {', '.join(undecided)} ready, so nothing is decided about them")
    lost = {one.name for one in not_ready}
    check_ready(config.only([bot.name for bot in config.bots if bot.name not in lost]))
    return not_ready


def _qualified(
    config: Config, path: Path, options: TournamentOptions, signals: Signals, not_ready: "Sequence[NotReady]"
) -> tuple[Config, tuple[KeptOut, ...]]:
    """The config with those who take part, and what the history is to tell of the others."""
    if config.qualify is None:
        return config, ()
    from referee.competition.qualifying import qualified  # noqa: PLC0415 - as above

    with signals.held():
        found = qualified(config, path, fresh=options.fresh, not_ready=not_ready, tell=say)
    return found.config, found.notes
