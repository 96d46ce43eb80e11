"""What is read from a store: what a run is and was, its matches, its voids, and what else happened to it."""

from msgspec import Struct

from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.fixture import Identity
from referee.tournament.results import Result
from referee.tournament.store.events import Origin
from referee.tournament.store.tables import STORE_FORMAT


class Meta(Struct, frozen=True, kw_only=True):
    """What a run is: what it began with, or was last amended to."""

    format: int = STORE_FORMAT
    golfref: str
    protocol: str
    host: str
    facts: RunConfig
    master_key: str
    """In hexadecimal. It is secret until the run is complete."""
    commitment: str
    """SHA-256 of the master key, in hexadecimal."""
    matches: int
    """How many matches the plan has."""

    @property
    def origin(self) -> Origin:
        """What played the first matches."""
        return Origin(golfref=self.golfref, protocol=self.protocol, host=self.host)


class Former(Struct, frozen=True, kw_only=True):
    """What a run was before it was amended."""

    after: int
    """How many matches had been committed by then."""
    event: int
    """The id of the amendment in the run's history."""
    facts: RunConfig


class Void(Struct, frozen=True, kw_only=True):
    """An attempt at a match that the referee or its host spoiled."""

    id: int
    """Counts voids from 1."""
    after: int | None
    """How many matches had been committed before it. None in a run of the earlier format, as is `events`."""
    events: int | None
    """How many events of the run's history came before it."""
    number: int | None
    """The match's place in the plan of then. None in a run of the earlier format that has been amended since."""
    bots: tuple[str, ...]
    """The bots by seat."""
    attempt: int
    """Counts from 1, anew whenever the run goes on."""
    reason: str


class RunEvent(Struct, frozen=True, kw_only=True):
    """Something that happened to a run besides its matches: an amendment, or a bot that changed by itself."""

    after: int
    """How many matches had been committed before it."""
    lines: tuple[str, ...]


class CommittedMatch(Struct, frozen=True, kw_only=True):
    """A committed match as it lies in the store, without its record."""

    id: int
    """Counts commits from 1, and never changes."""
    number: int | None
    """Its place in the run's plan. None where it is out of the standings."""
    identity: Identity
    result: Result
    hash: str
    """SHA-256 of its record, in hexadecimal."""
