"""Who takes part: `qualify` in [tournament] keeps out who has not qualified, before anything is played.

What was decided for a run stays decided for it: a version that takes part in it is never kept out of it later, and one
that was kept out stays out.
"""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.competition.beating import try_bots
from referee.competition.checking import Checked, HostSpoiled, OneBot, check_bots
from referee.competition.letters import keep_letter
from referee.new_file import NotWritten
from referee.play.faults import HostFault
from referee.play.greeting import Greeted
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config, ConfigError, survey
from referee.tournament.config.tables import Qualify
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import KeptOut
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words
from referee.versions.ready import NotReady
from referee.versions.version import short, version_of

LONGEST_REASON = 200
"""How many characters of a reason the history tells."""

Tell = Callable[[str], None]


class Qualified(Struct, frozen=True, kw_only=True):
    """Who takes part, and who does not."""

    config: Config
    """The config as if it named only those who take part."""
    kept_out: tuple[KeptOut, ...] = ()
    """All who do not, in the order of the config."""
    notes: tuple[KeptOut, ...] = ()
    """What the history of the run is to tell of them and does not tell yet."""


class _Decided(Struct, frozen=True, kw_only=True):
    """What was decided for the run that is there."""

    taking_part: frozenset[tuple[str, str]] = frozenset()
    """Names and short versions."""
    kept_out: tuple[KeptOut, ...] = ()


def qualified(config: Config, path: Path, *, fresh: bool, tell: Tell, not_ready: Sequence[NotReady] = ()) -> Qualified:
    """Who takes part in the run in `path`, which may not have begun, or is begun anew if `fresh`.

    Bots are checked and tried as far as nothing is kept of that. All entries must be stored and built but those
    that are `not_ready`, which are kept out. Must run in the main thread. Raises ConfigError where too few remain,
    HostFault where a bot cannot be tried here, and Interrupted.
    """
    if config.qualify is None:
        return Qualified(config=config)
    decided = _Decided() if fresh else _decided(path)
    reasons = {one.name: _out(one.name, one.version, one.problem, config) for one in not_ready}
    out: dict[str, KeptOut] = {}
    open_: list[BotSpec] = []
    for bot in config.bots:
        if bot.name in reasons:
            out[bot.name] = reasons[bot.name]
            continue
        if bot.builtin is not None or bot.name in config.exempt:
            continue
        named = (bot.name, short(version_of(bot, config.folder)))
        if named in decided.taking_part:
            continue
        if (before := next((one for one in decided.kept_out if (one.bot, one.version) == named), None)) is not None:
            out[bot.name] = before
        else:
            open_.append(bot)
    try:
        out |= _kept_out(config, config.qualify, open_, tell) if open_ else {}
    except NotWritten as error:
        raise HostFault(str(error)) from None
    told = {(one.bot, one.version) for one in decided.kept_out}
    kept_out = tuple(out[bot.name] for bot in config.bots if bot.name in out)
    tell_all(kept_out, tell)
    return Qualified(
        config=_without(config, frozenset(out)),
        kept_out=kept_out,
        notes=tuple(one for one in kept_out if (one.bot, one.version) not in told),
    )


def without_failed(
    config: Config, path: Path, failed: Sequence[Greeted], *, fresh: bool, tell: Tell
) -> Qualified | None:
    """Who takes part where these bots did not start, although they had qualified; they are kept out.

    None where one of them takes part in any case: because it need not qualify, or plays in the run that is there; and
    where none of those that had to qualify starts, which is likely to be the host's fault. Raises ConfigError where too
    few remain.
    """
    decided = _Decided() if fresh else _decided(path)
    versions = {bot.name: short(version_of(bot, config.folder)) for bot in config.bots if bot.builtin is None}
    tried = {
        name for name, version in versions.items()
        if name not in config.exempt and (name, version) not in decided.taking_part
    }  # fmt: skip
    names = {one.bot.name for one in failed}
    if not names < tried:
        return None
    out = {
        one.bot.name: _out(one.bot.name, versions[one.bot.name], f"it did not start: {_mishap(one)}", config)
        for one in failed
    }
    tell_all(tuple(out.values()), tell)
    left = _without(config, frozenset(config.tables.keys() - ({bot.name for bot in config.bots} - names)))
    return Qualified(config=left, kept_out=tuple(out.values()), notes=tuple(out.values()))


def _mishap(greeted: Greeted) -> str:
    return "" if greeted.mishap is None else f"{greeted.mishap.kind}: {greeted.mishap.detail}"


def tell_all(kept_out: Sequence[KeptOut], tell: Tell) -> None:
    """Say who is kept out."""
    for one in kept_out:
        tell(*in_words(one))


def _kept_out(config: Config, rules: Qualify, bots: Sequence[BotSpec], tell: Tell) -> dict[str, KeptOut]:
    """Which of these bots have not qualified, by name."""
    out: dict[str, KeptOut] = {}
    if rules.check:
        checked = check_bots(config, bots, tell=lambda one, _: _tell_check(one, tell))
        _refuse_if_all_void([one.came_to for one in checked])
        for one in checked:
            keep_letter(config, one)
            if isinstance(one.came_to, HostSpoiled):
                out[one.name] = _out(
                    one.name, one.version, f"its check was void each time: {one.came_to.problem}", config
                )
            elif one.came_to.verdict == "fail":
                words = one.came_to.words.partition("; warn: ")[0].removeprefix("fail: ")
                out[one.name] = _out(one.name, one.version, f"its check failed: {words}", config)
    if rules.beat is not None:
        left = [bot for bot in bots if bot.name not in out]
        trials = try_bots(config, rules, left, tell=tell)
        _refuse_if_all_void([*trials.values()])
        for bot in left:
            trial, version = trials[bot.name], version_of(bot, config.folder)
            if isinstance(trial, HostSpoiled):
                out[bot.name] = _out(bot.name, version, f"its matches were void each time: {trial.problem}", config)
            elif not trial.has_beaten:
                out[bot.name] = _out(bot.name, version, f"it did not beat `{trial.beat}`: {trial.in_words}", config)
    return out


def _refuse_if_all_void(found: Sequence[object]) -> None:
    """Raise HostFault where the host spoiled all of it. Where it spoiled some alone, it is likely that these did it."""
    spoiled = [one for one in found if isinstance(one, HostSpoiled)]
    if spoiled and len(spoiled) == len(found):
        raise HostFault(f"no bot could be tried: {spoiled[0].problem}")


def _tell_check(one: OneBot, tell: Tell) -> None:
    if one.is_new and isinstance(one.came_to, Checked):
        tell(f"checked {one.name}: {one.came_to.verdict}")


def _out(name: str, version: str, reason: str, config: Config) -> KeptOut:
    """Who is kept out. The history of a run is published, so it names no folder of the organiser."""
    public = reason.replace(f"{config.folder}/", "")
    return KeptOut(bot=name, version=short(version), reason=printable(public, LONGEST_REASON))


def _decided(path: Path) -> _Decided:
    """What was decided for the run in this store; nothing where there is none that can be read, which others tell."""
    with contextlib.suppress(StoreError, OSError):
        if path.exists():
            with contextlib.closing(Store.open(path)) as store:
                return _Decided(
                    taking_part=frozenset((bot.name, short(bot.version)) for bot in store.meta().facts.bots),
                    kept_out=tuple(row for _, row in store.rows(KeptOut)),
                )
    return _Decided()


def _without(config: Config, names: frozenset[str]) -> Config:
    """The config as if it did not name these bots. Raises ConfigError where too few remain to play it."""
    if not names:
        return config
    rest = survey(config.file, without=names)
    if rest.lines or rest.rest is None:
        some = ", ".join(sorted(names))
        raise ConfigError(
            [f"{config.file}: `qualify` keeps out {some}; with the others nothing can be played:", *rest.lines]
        )
    left = config.only([bot.name for bot in config.bots if bot.name not in names])
    return replace(left, stages=rest.rest.stages, anchor=rest.rest.anchor)
