"""What plays matches: a version of golfref on a machine, and what a host of several tells of itself.

Only a run that a cluster played, or a shard, tells of hosts. This module must not know how matches get to a host.
"""

from msgspec import Struct


class Origin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What plays matches: the version of golfref and of the protocol, and the machine with its interpreter.

    As a row of a journal: this plays here from now on, in place of what did before.
    """

    golfref: str
    protocol: str
    host: str

    @property
    def in_words(self) -> str:
        """All of it on one line."""
        return f"golfref {self.golfref}, protocol {self.protocol}, {self.host}"


class RacesTest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class Host(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a host tells of itself when it comes to play.

    As a row of a journal: the host has come, and the matches that it plays from now on name the id of this row.
    """

    name: str
    """What the run calls it: the name of its worker, or of the machine."""
    golfref: str
    protocol: str
    host: str
    """Its system and its interpreter, in one line, as its records have it."""
    tag: str = ""
    """Its architecture and its libc, for which bots are built there. What follows is empty or None where a shard was
    played, not a cluster."""
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
