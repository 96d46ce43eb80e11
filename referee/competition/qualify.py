"""Who takes part: `qualify` in [tournament] keeps out who fails the check, or does not beat a shipped bot.

tournaments/ENTRIES.md, Qualification, defines which matches it plays for that, and when it has beaten the other one.

What was decided for a run stays decided for it: a version that takes part in it is never kept out of it later, and one
that was kept out stays out.
"""

import contextlib
import hmac
import os
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee import wall_clock
from referee.competition.checks import CheckResult, HostSpoiled, OneBot, cache_file, cached, check_bots, first_of, keep
from referee.new_file import NotWritten, new_file, refusal
from referee.play.faults import HostFault, advised
from referee.play.greeting import Greeted
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.sandbox.system_info import cores
from referee.play.session import run_session
from referee.play.spec import LONGEST_NAME, BotSpec, builtin_bot
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import Record
from referee.tournament.config.config import Config, ConfigError, survey
from referee.tournament.config.tables import Qualify
from referee.tournament.config.variants import ConfiguredVariant, games
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.keys import deal_key, own_cards
from referee.tournament.plan.planned_match import for_blocks
from referee.tournament.results import beaten_shares
from referee.tournament.series import Seating, seating
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import KeptOut
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words
from referee.versions.ready import NotReady
from referee.versions.store import VersionStore
from referee.versions.version import short, version_of

_KEY_FILE = "trials.key"
"""The file beside the versions with what nobody else knows of the deals of trials, 32 bytes."""

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
            if isinstance(one.came_to, HostSpoiled):
                out[one.name] = _out(
                    one.name, one.version, f"its check was void each time: {one.came_to.problem}", config
                )
            elif one.came_to.verdict == "fail":
                out[one.name] = _out(one.name, one.version, f"its check failed: {one.came_to.failures}", config)
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
    if one.is_new and isinstance(one.came_to, CheckResult):
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
                    taking_part=frozenset((bot.name, short(bot.version)) for bot in store.meta().config.bots),
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


# Whether a bot beats a shipped one


class Trial(Struct, frozen=True, kw_only=True):
    """The result of a version of a bot against a shipped one, as it is cached."""

    when: str
    """The time in UTC."""
    beat: str
    games: int
    """How many matches were played in each game."""
    by_game: dict[str, float]
    """By game, the mean of its match points."""
    faults: dict[str, int]
    """By kind, how many faults it had in all."""

    @property
    def matches(self) -> int:
        """How many matches were played in all."""
        return self.games * len(self.by_game)

    @property
    def points(self) -> float:
        """The mean of its match points over all matches."""
        return fmean(self.by_game.values())

    @property
    def has_beaten(self) -> bool:
        """Whether it has beaten the shipped bot. Half of the match points are no win."""
        return self.points > 0.5

    @property
    def in_words(self) -> str:
        """What came of it, in a few words."""
        many = sum(self.faults.values())
        faults = f", with {many} fault{'s' * (many > 1)}" if many else ""
        return (
            f"{self.points:.3f} match points a match against `{self.beat}` in {self.matches} matches{faults}, "
            "and more than 0.5 are needed"
        )


def try_bots(config: Config, rules: Qualify, bots: Sequence[BotSpec], *, tell: Tell) -> dict[str, Trial | HostSpoiled]:
    """The result of each of these bots against the shipped bot that it must beat, by name, unless it is cached.

    Must run in the main thread. Raises Interrupted, and NotWritten where no result can be cached.
    """
    other = builtin_bot(rules.beat or "")
    by = other.name, version_of(other, config.folder), rules.games
    files = {bot.name: cache_file(config, bot, by) for bot in bots}
    found: dict[str, Trial | HostSpoiled] = {
        name: trial for name, file in files.items() if (trial := cached(file, Trial)) is not None
    }
    left = [bot for bot in bots if bot.name not in found]

    async def run(pump: Pump) -> None:
        places = trio.CapacityLimiter(min(cores(), config.jobs))
        for bot in left:
            try:
                trial = await trials.play(pump, places, bot)
            except* HostFault as faults:
                found[bot.name] = HostSpoiled(problem=advised(first_of(faults)))
            else:
                found[bot.name] = trial
                keep(files[bot.name], msgspec.json.encode(trial))
                came_to = "qualifies" if trial.has_beaten else "does not qualify"
                tell(f"tried {bot.name}: it {came_to}: {trial.in_words}")

    if left:
        trials = _Trials(config, other, rules.games)
        run_session([run])
    return found


def trials_secret(versions: VersionStore) -> bytes:
    """The secret of the organiser from which the deals of all trials follow; made where there is none.

    A bot knows the hash of its own files, so the deals must not follow from that alone. Raises NotWritten.
    """
    path = versions.folder / _KEY_FILE
    try:
        with versions.locked():
            if not path.exists():
                with new_file(path) as file:
                    os.fchmod(file.fileno(), 0o600)
                    file.write(secrets.token_bytes(32))
            return path.read_bytes()
    except OSError as error:
        raise refusal(f"{path}: cannot be made or read", error) from None


def trial_key(secret: bytes, version: str, game: tuple[str, str], seat: Seating, attempt: int = 0) -> bytes:
    """The deal key of a match, with cards of its own; `game` is its name and that of the shipped bot."""
    name, other = game
    master = hmac.digest(secret, b"golfref/qualify\0" + version.encode(), "sha256")
    return deal_key(master, name, ("entry", other), seat.deal, own_cards("fresh", seat.rotation, attempt))


class _Trials:
    """The matches of bots against a shipped one, as many at a time as there are places."""

    def __init__(self, config: Config, other: BotSpec, number: int) -> None:
        """`number` matches are played in each game."""
        self._config, self._other, self._games = config, other, number
        self._secret = trials_secret(VersionStore(config.folder))

    async def play(self, pump: Pump, places: trio.CapacityLimiter, bot: BotSpec) -> Trial:
        """Play all matches of a bot. Raises HostFault, alone or in a group."""
        shares: dict[str, list[float]] = {one.name: [] for one in self._config.variants}
        faults = Counter[str]()

        async def one(variant: ConfiguredVariant, game: int) -> None:
            async with places:
                seat = seating(game, variant.seats, rotates=True)
                record = await _played(pump, partial(self._setup, variant, bot, seat))
            own = seat.order.index(0)
            shares[variant.name].append(beaten_shares(record.result.ranks)[own])
            faults.update(record.seats[own].faults)

        async with trio.open_nursery() as nursery:
            for variant in self._config.variants:
                for game in range(self._games):
                    nursery.start_soon(one, variant, game)
        return Trial(
            when=wall_clock.stamp(),
            beat=self._other.name,
            games=self._games,
            by_game={name: round(fmean(some), 6) for name, some in shares.items()},
            faults=dict(faults),
        )

    def _setup(self, variant: ConfiguredVariant, bot: BotSpec, seat: Seating, attempt: int) -> MatchSetup:
        """A match of the bot, which is number 0 of the seating, against the shipped one at all other seats."""
        others = [
            replace(self._other, name=_free(f"{self._other.name}-{number}", bot.name))
            for number in range(1, variant.seats)
        ]
        key = trial_key(
            self._secret, version_of(bot, self._config.folder), (variant.name, self._other.name), seat, attempt
        )
        bots = (bot, *others)
        return MatchSetup(
            variant=for_blocks(variant.variant),
            name=variant.name,
            bots=tuple(bots[number] for number in seat.order),
            seeds=tuple(bot_seed(key, seat.rotation, number) for number in range(variant.seats)),
            deal_key=key,
            block=seat.deal,
            clocks=self._config.clocks,
            faults=self._config.faults,
            confinement=self._config.confinement,
            games=games(self._config.variants),
        )


async def _played(pump: Pump, setup: Callable[[int], MatchSetup]) -> Record:
    """The record of a match, which is played again with other cards where the host spoils it. Raises HostFault."""
    for attempt in range(ATTEMPTS - 1):
        with contextlib.suppress(HostFault):
            return await play(pump, setup(attempt))
    return await play(pump, setup(ATTEMPTS - 1))


def _free(name: str, taken: str) -> str:
    return name if name != taken else f"{name}-again"[:LONGEST_NAME]
