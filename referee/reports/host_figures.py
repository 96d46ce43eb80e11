"""A run by host: who played how much, how fast bots answered there and how late the referee was.

Records tell how long a bot took for each answer, but no times of day. So decisions a second are those of the time for
which bots were waited for.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from msgspec import Struct

from referee.reports.tables.layout import Column, fitted, wider
from referee.rules.record import was_asked
from referee.tournament.store.disk import StoreError
from referee.tournament.store.origins import Host
from referee.tournament.store.reading import Part, parts_of
from referee.tournament.store.rows import HostLeftOut, HostLost
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words as in_words_of_row


class HostFigures(Struct, frozen=True, kw_only=True):
    """What a run tells of one host."""

    name: str
    told: tuple[Host, ...]
    """What it told of itself, each time that it came and told something else."""
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


class RunHosts(Struct, frozen=True, kw_only=True):
    """What `golfref standings --hosts --json` prints."""

    name: str
    """The name of the run."""
    without_host: int
    """How many matches tell no host: they were played at the desk."""
    hosts: tuple[HostFigures, ...]
    """By name."""
    left_out: tuple[str, ...]
    """What the history tells of hosts that could not play."""
    lost: tuple[str, ...]
    """What it tells of hosts that went while the run was played."""


class _Fault(Struct, frozen=True, kw_only=True):
    kind: str


class _Given(Struct, frozen=True, kw_only=True, tag="answer", tag_field="move"):
    seat: int
    time_us: int = 0
    joined: bool = False
    fault: _Fault | None = None


class _GivenTogether(Struct, frozen=True, kw_only=True, tag="sealed", tag_field="move"):
    answers: tuple[_Given, ...]


class _Reaction(Struct, frozen=True, kw_only=True):
    seat: int
    corrected_us: float | None = None
    late: bool = False


class _GivenSlaps(Struct, frozen=True, kw_only=True, tag="slaps", tag_field="move"):
    reactions: tuple[_Reaction, ...]
    disturbed: str = ""


class _Forfeit(Struct, frozen=True, kw_only=True, tag="forfeit", tag_field="move"):
    seat: int


class _Times(Part, frozen=True, kw_only=True):
    """What is measured in a match: no actions, no cards."""

    moves: tuple[_Given | _GivenTogether | _GivenSlaps | _Forfeit, ...]


class _Sums:
    """What is added up of one host."""

    def __init__(self) -> None:
        self.matches = self.voids = self.decisions = self.time_us = self.windows = self.disturbed = self.late = 0
        self.slaps_us: list[float] = []
        self.lags_us: list[int] = []

    def add(self, times: _Times, lag_us: int) -> None:
        """A match was played there."""
        self.matches += 1
        self.lags_us.append(lag_us)
        for given in _answers(times):
            self.decisions += 1
            self.time_us += given.time_us
        for window in _windows(times):
            self.windows += 1
            self.disturbed += bool(window.disturbed)
            self.late += sum(one.late for one in window.reactions)
            self.slaps_us += (one.corrected_us for one in window.reactions if one.corrected_us is not None)

    def figures(self, name: str, told: Sequence[Host]) -> HostFigures:
        """All of it."""
        return HostFigures(
            name=name,
            told=tuple(dict.fromkeys(told)),
            matches=self.matches,
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
    """What a run tells of its hosts. Raises StoreError, also where it was played on this machine alone."""
    if not (stored := store.hosts()):
        raise StoreError(f"{store.path}: no host is told: the run was played on one machine, without --cluster")
    names = {id_: one.name for id_, one in stored.items()}
    sums: dict[str, _Sums] = {name: _Sums() for name in sorted(names.values())}
    without = 0
    for row, times in parts_of(store, _Times):
        if (name := names.get(row.host or 0)) is None:
            without += 1
            continue
        sums[name].add(times, row.result.lag_us)
    for _, void in store.voids():
        if void.host in names:
            sums[names[void.host]].voids += 1
    told: dict[str, list[Host]] = defaultdict(list)
    for one in stored.values():
        told[one.name].append(one)
    return RunHosts(
        name=store.meta().config.name,
        without_host=without,
        hosts=tuple(some.figures(name, told[name]) for name, some in sums.items()),
        left_out=tuple(line for _, row in store.rows(HostLeftOut) for line in in_words_of_row(row)),
        lost=tuple(line for _, row in store.rows(HostLost) for line in in_words_of_row(row)),
    )


def _answers(times: _Times) -> Iterator[_Given]:
    """The answers that were asked for."""
    out = set[int]()
    for move in times.moves:
        if isinstance(move, _Forfeit):
            out.add(move.seat)
        given = move.answers if isinstance(move, _GivenTogether) else (move,) if isinstance(move, _Given) else ()
        yield from (one for one in given if was_asked(one, out))


def _windows(times: _Times) -> Iterator[_GivenSlaps]:
    return (move for move in times.moves if isinstance(move, _GivenSlaps) and move.reactions)


def _time(us: float | None) -> str:
    """A time in words; `-` where there is none."""
    if us is None:
        return "-"
    return f"{us:.0f} us" if us < 1e4 else f"{us / 1e3:.0f} ms"


def lines_of(found: RunHosts, width: int) -> list[str]:
    """All of it for people."""
    hosts = found.hosts
    told = [one.told[-1] if one.told else None for one in hosts]
    tables = [fitted(_figures(hosts), width), fitted(_machines(hosts, told), width)]
    lines = [f"{found.name}: {sum(one.matches for one in hosts)} matches on {len(hosts)} host{'s' * (len(hosts) != 1)}"]
    for one in tables:
        lines += ["", *one.text.splitlines()]
    lines += ["", *wider(tables, width).splitlines()]
    if found.without_host:
        lines.append(f"{found.without_host} matches were played at the desk, on no host")
    built = {one.name: ", ".join(last.built) for one, last in zip(hosts, told, strict=True) if last is not None}
    lines += [f"built on {host}: {bots}" for host, bots in built.items() if bots]
    return [*lines, *found.left_out, *found.lost]


def _figures(hosts: Sequence[HostFigures]) -> list[Column]:
    """What was played on each host."""
    columns = [
        Column(title="host", cells=[one.name for one in hosts], is_text=True),
        Column(title="matches", cells=[str(one.matches) for one in hosts]),
        Column(title="voids", cells=[str(one.voids) for one in hosts]),
        Column(title="decisions\na second", cells=[_rate(one) for one in hosts], gives_way=3),
        Column(title="lag", cells=[_time(one.lag_us) for one in hosts], gives_way=2),
        Column(title="worst\nlag", cells=[_time(one.worst_lag_us) for one in hosts]),
    ]
    if any(one.windows for one in hosts):
        columns += [
            Column(title="slap\nwindows", cells=[str(one.windows) for one in hosts], gives_way=4),
            Column(title="disturbed", cells=[str(one.disturbed) for one in hosts]),
            Column(title="late\nslaps", cells=[str(one.late_slaps) for one in hosts]),
            Column(title="a slap\ntook", cells=[_time(one.slap_us) for one in hosts], gives_way=1),
        ]
    return columns


def _machines(hosts: Sequence[HostFigures], told: Sequence[Host | None]) -> list[Column]:
    """What each host is, as it told when it came last."""
    systems = ["-" if one is None else one.host for one in told]
    columns = [
        Column(title="host", cells=[one.name for one in hosts], is_text=True),
        Column(title="cores", cells=[_count(one.cores if one else None) for one in told]),
        Column(title="jobs", cells=[_count(one.jobs if one else None) for one in told]),
        Column(title="built for", cells=[(one.tag if one else "") or "-" for one in told], is_text=True, gives_way=3),
        Column(title="system and Python", cells=systems, is_text=True, gives_way=1),
    ]
    if any(one is not None and one.races is not None for one in told):
        races = [_races(one) for one in told]
        columns.append(Column(title="races before:\ndisturbed, behind", cells=races, is_text=True, gives_way=2))
    return columns


def _races(told: Host | None) -> str:
    if told is None or (races := told.races) is None:
        return "-"
    return f"{races.disturbed} of {races.windows}, {_time(races.behind_p50_us)}"


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def _rate(one: HostFigures) -> str:
    return "-" if one.decisions_per_s is None else f"{one.decisions_per_s:.0f}"
