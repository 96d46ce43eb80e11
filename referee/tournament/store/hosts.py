"""The hosts on which a run was played: what is told of each, as it lies in the store.

Only a run that a cluster played, or that was put together from parts, tells of hosts. This module must not know how
matches get to a host.
"""

from msgspec import Struct

from referee.tournament.store.events import Origin


class RacesTest(Struct, frozen=True, kw_only=True):
    """What a host's races between identical bots came to before its first match; times in corrected microseconds."""

    windows: int
    disturbed: int
    """Windows that are marked as disturbed."""
    late: int
    """Slaps that did not come in time."""
    median_us: float
    """The median of all slaps."""
    behind_p50_us: float
    behind_p90_us: float
    """How far the others lay behind the quickest of their window."""
    chance_seat: float
    """The probability that chance alone announces some seats first at least so often (chi-square)."""
    lateness_ms: float
    """The longest time in which the referee did not look at its pipes."""


class Host(Struct, frozen=True, kw_only=True):
    """What a host tells of itself when it comes to play."""

    name: str
    """What the run calls it: the name of its worker, or of the machine."""
    golfref: str
    protocol: str
    host: str
    """Its system and its interpreter, in one line, as its records have it."""
    tag: str = ""
    """Its architecture and its libc, for which bots are built there. What follows is not known of parts of a run that
    were put together: it is empty or None there."""
    cores: int | None = None
    jobs: int | None = None
    """How many matches it plays at a time."""
    memory_mb: int | None = None
    """How much memory was free when it came."""
    isolation: str = ""
    built: tuple[str, ...] = ()
    """The bots that had to be built there, by name."""
    races: RacesTest | None = None
    """None where the run times no slaps."""

    @property
    def origin(self) -> Origin:
        """What plays there."""
        return Origin(golfref=self.golfref, protocol=self.protocol, host=self.host)


class StoredHost(Struct, frozen=True, kw_only=True):
    """A host that came, as the store has it."""

    id: int
    """Counts from 1, in the order in which hosts came. One that comes again has another."""
    after: int
    """How many matches had been committed before it came."""
    events: int
    """How many events of the run's history came before it."""
    voids: int
    """How many attempts had been voided before it came."""
    host: Host
