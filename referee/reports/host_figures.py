"""A run by host: who played how much, how fast bots answered there and how late the referee was.

Records have how long a bot took for each answer, but no times of day. So decisions a second are those of the time for
which bots were waited for.
"""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from msgspec import Struct

from referee.reports.tables.layout import Column, fitted
from referee.rules.record import GivenSlaps, Move, asked_in
from referee.tournament.store.disk import StoreError
from referee.tournament.store.origins import Host
from referee.tournament.store.reading import Part, parts_of
from referee.tournament.store.rows import HostLeftOut, HostLost
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words


class HostFigures(Struct, frozen=True, kw_only=True):
    """What a run has of one host."""

    name: str
    told: tuple[Host, ...]
    """What it sent of itself, each time that it came and sent something else."""
    matches: int
    """How many matches it played, also of those that are out of the standings."""
    voids: int
    """How many attempts at a match were spoiled there."""
    decisions: int
    """How many decisions bots made there, without slaps."""
    decisions_per_s: float | None
    """Of each second for which bots were waited for. None where no time was measured."""
    windows: int
    """How many slap windows were timed there."""
    disturbed: int
    """How many of these are marked as disturbed."""
    late_slaps: int
    """How many slaps came too late."""
    slap_us: float | None
    """The median of all slaps, in corrected microseconds. None where none was timed."""
    lag_us: float
    """The median, over its matches, of the longest time in which the referee did not look at its pipes."""
    worst_lag_us: int

    @property
    def last(self) -> Host | None:
        """What it sent of itself when it came last."""
        return self.told[-1] if self.told else None


class RunHosts(Struct, frozen=True, kw_only=True):
    """What `golfref standings --hosts --json` prints."""

    name: str
    """The name of the run."""
    without_host: int
    """How many matches have no host: they were played at the desk."""
    hosts: tuple[HostFigures, ...]
    """By name."""
    left_out: tuple[str, ...]
    """What the history has of hosts that could not play."""
    lost: tuple[str, ...]
    """What it has of hosts that went while the run was played."""


class _Moves(Part, frozen=True, kw_only=True):
    moves: tuple[Move, ...]


class _Sums:
    """What is added up of one host."""

    def __init__(self) -> None:
        self.voids = self.decisions = self.time_us = self.disturbed = self.late = self.windows = 0
        self.slaps_us: list[float] = []
        self.lags_us: list[int] = []
        self.told: list[Host] = []

    def add(self, moves: Sequence[Move], lag_us: int) -> None:
        """A match was played there."""
        self.lags_us.append(lag_us)
        for answer in asked_in(moves):
            self.decisions += 1
            self.time_us += answer.time_us
        for window in moves:
            if isinstance(window, GivenSlaps) and window.reactions:
                self.windows += 1
                self.disturbed += bool(window.disturbed)
                self.late += sum(one.late for one in window.reactions)
                self.slaps_us += (one.corrected_us for one in window.reactions if one.corrected_us is not None)

    def figures(self, name: str) -> HostFigures:
        """All of it."""
        return HostFigures(
            name=name,
            told=tuple(dict.fromkeys(self.told)),
            matches=len(self.lags_us),
            voids=self.voids,
            decisions=self.decisions,
            decisions_per_s=round(1e6 * self.decisions / self.time_us, 1) if self.time_us else None,
            windows=self.windows,
            disturbed=self.disturbed,
            late_slaps=self.late,
            slap_us=round(median(self.slaps_us), 1) if self.slaps_us else None,
            lag_us=float(median(self.lags_us)) if self.lags_us else 0.0,
            worst_lag_us=max(self.lags_us, default=0),
        )


def hosts_of(store: Store) -> RunHosts:
    """What a run has of its hosts. Raises StoreError, also where it was played on this machine alone."""
    if not (stored := store.hosts()):
        raise StoreError(f"{store.path}: it has no hosts: the run was played on one machine, without --cluster")
    sums: dict[str, _Sums] = defaultdict(_Sums)
    for host in stored.values():
        sums[host.name].told.append(host)
    without = 0
    for row, match in parts_of(store, _Moves):
        if (host_ := stored.get(row.host or 0)) is None:
            without += 1
        else:
            sums[host_.name].add(match.moves, row.result.lag_us)
    for _, void in store.voids():
        if (host_ := stored.get(void.host or 0)) is not None:
            sums[host_.name].voids += 1
    return RunHosts(
        name=store.meta().config.name,
        without_host=without,
        hosts=tuple(sums[name].figures(name) for name in sorted(sums)),
        left_out=tuple(line for _, row in store.rows(HostLeftOut) for line in in_words(row)),
        lost=tuple(line for _, row in store.rows(HostLost) for line in in_words(row)),
    )


def hosts_report(found: RunHosts, width: int) -> list[str]:
    """All of it for people."""
    hosts = found.hosts
    tables = [fitted(_figures(hosts), hosts, width), fitted(MACHINES, hosts, width)]
    lines = [f"{found.name}: {sum(one.matches for one in hosts)} matches on {len(hosts)} host{'s' * (len(hosts) != 1)}"]
    for one in tables:
        lines += ["", *one.text.splitlines()]
    lines.append("")
    if found.without_host:
        lines.append(f"{found.without_host} matches were played at the desk, on no host")
    lines += [f"built on {one.name}: {', '.join(one.last.built)}" for one in hosts if one.last and one.last.built]
    return [*lines, *found.left_out, *found.lost]


def _figures(hosts: Sequence[HostFigures]) -> list[Column[HostFigures]]:
    """What was played on each host."""
    columns: list[Column[HostFigures]] = [
        Column("host", lambda one: one.name, is_text=True),
        Column("matches", lambda one: str(one.matches)),
        Column("voids", lambda one: str(one.voids)),
        Column("decisions\na second", lambda one: _number(one.decisions_per_s), gives_way=3),
        Column("lag", lambda one: _time(one.lag_us), gives_way=2),
        Column("worst\nlag", lambda one: _time(one.worst_lag_us)),
    ]
    slaps: list[Column[HostFigures]] = [
        Column("slap\nwindows", lambda one: str(one.windows), gives_way=4),
        Column("disturbed", lambda one: str(one.disturbed)),
        Column("late\nslaps", lambda one: str(one.late_slaps)),
        Column("a slap\ntook", lambda one: _time(one.slap_us), gives_way=1),
    ]
    return [*columns, *slaps] if any(one.windows for one in hosts) else columns


def _time(us: float | None) -> str:
    """A time in words; `-` where there is none."""
    if us is None:
        return "-"
    return f"{us:.0f} us" if us < 1e4 else f"{us / 1e3:.0f} ms"


def _number(number: float | None) -> str:
    return "-" if number is None else f"{number:.0f}"


def _races(one: HostFigures) -> str:
    if one.last is None or (races := one.last.races) is None:
        return "-"
    return f"{races.disturbed} of {races.windows}, {_time(races.behind_p50_us)}"


MACHINES: tuple[Column[HostFigures], ...] = (
    Column("host", lambda one: one.name, is_text=True),
    Column("cores", lambda one: _number(one.last.cores if one.last else None)),
    Column("jobs", lambda one: _number(one.last.jobs if one.last else None)),
    Column("built for", lambda one: (one.last.tag if one.last else "") or "-", is_text=True, gives_way=3),
    Column("system and Python", lambda one: one.last.host if one.last else "-", is_text=True, gives_way=1),
    Column("races before:\ndisturbed, behind", _races, is_text=True, gives_way=2, is_optional=True),
)
"""What each host is."""
