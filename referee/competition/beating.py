"""Whether a bot beats a shipped one: `qualify = { beat = "random", games = 20 }`.

tournaments/CHECKING.md defines what is played, with which deals, and what counts as beating.
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

from referee import wall_clock
from referee.competition.checking import HostSpoiled, first_of
from referee.competition.terms import Terms, terms_of
from referee.entries.last_checks import TRIALS, content, keep, kept_as
from referee.new_file import new_file, refusal
from referee.play.faults import HostFault, advised
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.sandbox.system_info import cores
from referee.play.session import run_session
from referee.play.spec import LONGEST_NAME, BotSpec, builtin_bot
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import Record
from referee.tournament.config.config import Config
from referee.tournament.config.tables import Qualify
from referee.tournament.config.variants import ConfiguredVariant, games
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.fixture import for_blocks
from referee.tournament.plan.keys import deal_key, own_cards
from referee.tournament.results import beaten_shares
from referee.tournament.series import Seating, seating
from referee.versions.store import VersionStore
from referee.versions.version import version_of

_FORMAT = "golfref-beat-2"

_KEY_FILE = "trials.key"
"""The file beside the versions with what nobody else knows of the deals of trials, 32 bytes."""


class Trial(Struct, frozen=True, kw_only=True):
    """What a version of a bot came to against a shipped one, as it is kept."""

    format: str = _FORMAT
    version: str
    """Whole."""
    when: str
    """The time in UTC."""
    terms: Terms
    beat: str
    beat_version: str
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


class _Asked(Struct, frozen=True, kw_only=True):
    """All on which it depends what a trial comes to, besides the bot and luck."""

    terms: Terms
    beat: str
    beat_version: str
    games: int


class _Tried(Struct, frozen=True, kw_only=True):
    """A bot that is tried."""

    bot: BotSpec
    version: str
    """Whole."""
    asked: _Asked


def try_bots(
    config: Config, rules: Qualify, bots: Sequence[BotSpec], *, tell: Callable[[str], None], again: bool = False
) -> dict[str, Trial | HostSpoiled]:
    """What each of these bots comes to against the shipped bot that it must beat, by name. It is kept by content.

    Must run in the main thread. Raises Interrupted, and NotWritten where nothing can be kept.
    """
    versions, other = VersionStore(config.folder), builtin_bot(rules.beat or "")
    other_version = version_of(other, config.folder)
    asked = _Asked(terms=terms_of(config), beat=other.name, beat_version=other_version, games=rules.games)
    found: dict[str, Trial | HostSpoiled] = {}
    left = list[_Tried]()
    for bot in bots:
        version = version_of(bot, config.folder)
        kept = None if again else _kept(versions, version, asked)
        if kept is None:
            left.append(_Tried(bot=bot, version=version, asked=asked))
        else:
            found[bot.name] = kept
    if left:
        trials = _Trials(config, other, left, tell)
        run_session([trials.run])
        found |= trials.found
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


def _kept(versions: VersionStore, version: str, asked: _Asked) -> Trial | None:
    with contextlib.suppress(msgspec.MsgspecError):
        kept = msgspec.json.decode(content(_file(versions, version, asked)), type=Trial)
        if kept.format == _FORMAT and kept.version == version and _encoded(_asked_of(kept)) == _encoded(asked):
            return kept
    return None


def _asked_of(trial: Trial) -> _Asked:
    return _Asked(terms=trial.terms, beat=trial.beat, beat_version=trial.beat_version, games=trial.games)


def _file(versions: VersionStore, version: str, asked: _Asked) -> Path:
    return kept_as(versions, TRIALS, version, _encoded(asked))


def _encoded(asked: _Asked) -> bytes:
    return msgspec.json.encode(asked, order="deterministic")


class _Trials:
    """Bots that are tried in one session, as many matches at a time as there are cores."""

    def __init__(self, config: Config, other: BotSpec, bots: Sequence[_Tried], tell: Callable[[str], None]) -> None:
        self._config, self._other, self._bots, self._tell = config, other, bots, tell
        self._secret = trials_secret(VersionStore(config.folder))
        self.found: dict[str, Trial | HostSpoiled] = {}
        """By name what each bot came to."""

    async def run(self, pump: Pump) -> None:
        """Try all of them, one after the other."""
        places = trio.CapacityLimiter(min(cores(), self._config.jobs))
        for one in self._bots:
            trial: Trial | HostSpoiled = HostSpoiled(problem="")
            try:
                trial = await self._try(pump, places, one)
            except* HostFault as faults:
                trial = HostSpoiled(problem=advised(first_of(faults)))
            self.found[one.bot.name] = trial
            if isinstance(trial, Trial):
                keep(_file(VersionStore(self._config.folder), one.version, one.asked), msgspec.json.encode(trial))
                came_to = "qualifies" if trial.has_beaten else "does not qualify"
                self._tell(f"tried {one.bot.name}: it {came_to}: {trial.in_words}")

    async def _try(self, pump: Pump, places: trio.CapacityLimiter, tried: _Tried) -> Trial:
        shares: dict[str, list[float]] = {one.name: [] for one in self._config.variants}
        faults = Counter[str]()

        async def one(variant: ConfiguredVariant, game: int) -> None:
            async with places:
                seat = seating(game, variant.seats, rotates=True)
                record = await _played(pump, partial(self._setup, variant, tried, seat))
            own = seat.order.index(0)
            shares[variant.name].append(beaten_shares(record.result.ranks)[own])
            faults.update(record.seats[own].faults)

        async with trio.open_nursery() as nursery:
            for variant in self._config.variants:
                for game in range(tried.asked.games):
                    nursery.start_soon(one, variant, game)
        return Trial(
            version=tried.version,
            when=wall_clock.stamp(),
            terms=tried.asked.terms,
            beat=tried.asked.beat,
            beat_version=tried.asked.beat_version,
            games=tried.asked.games,
            by_game={name: round(fmean(some), 6) for name, some in shares.items()},
            faults=dict(faults),
        )

    def _setup(self, variant: ConfiguredVariant, tried: _Tried, seat: Seating, attempt: int) -> MatchSetup:
        """A match of the bot, which is number 0 of the seating, against the shipped one at all other seats."""
        bot = tried.bot
        others = [
            replace(self._other, name=_free(f"{self._other.name}-{number}", bot.name))
            for number in range(1, variant.seats)
        ]
        key = trial_key(self._secret, tried.version, (variant.name, self._other.name), seat, attempt)
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
