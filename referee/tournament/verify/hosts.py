"""What a run tells of the hosts that played it: each match and each void that names one must fit to it."""

from collections.abc import Iterator, Mapping

from protocol.text import printable
from referee.rules.record import Record
from referee.tournament.store.events import Origin, player
from referee.tournament.store.hosts import StoredHost
from referee.tournament.store.store import Store
from referee.tournament.verify.compare import LONGEST_SHOWN


class HostsCheck:
    """The hosts of a run while it is checked. Raises StoreError where what is told of them is damaged."""

    def __init__(self, store: Store) -> None:
        self._committed, self._events = len(store.ids()), len(store.history())
        self._voids = store.all_ids()["voids"]
        self._hosts = {one.id: one for one in store.hosts()}
        self._played_on, self._voided_on = store.played_on(), store.voided_on()

    def findings(self) -> Iterator[str]:
        """What is wrong with the tables of hosts, one text for each finding."""
        before = (0, 0, 0)
        for place, one in enumerate(self._hosts.values(), 1):
            moment = (one.after, one.events, one.voids)
            if one.id != place:
                yield f"hosts: the ids are not 1, 2, 3 and so on, first at {one.id}: a row was changed or taken out"
                return
            most = (self._committed, self._events, len(self._voids))
            if any(not low <= now <= high for low, now, high in zip(before, moment, most, strict=True)):
                matches, events, voids = moment
                yield (
                    f"host #{one.id}: it came after {matches} matches, {events} events and {voids} voids, "
                    "which does not go with the rows around it"
                )
            before = moment
        yield from self._lists("match", self._played_on, range(1, self._committed + 1))
        yield from self._lists("void", self._voided_on, self._voids)

    def of_match(self, id_: int, record: Record, told: str | None) -> Iterator[str]:
        """What is wrong with where a match was played: its record must be of the host that it names.

        `told` is the line of the history that tells what played a match that names no host; None where there is none.
        """
        played = Origin(golfref=record.golfref, protocol=record.protocol, host=record.host)
        host = self._host(self._played_on.get(id_))
        if host is not None:
            if host.after >= id_:
                yield f"host #{host.id}, {_shown(host.host.name)}, came when it had been committed already"
            if played != host.host.origin:
                yield f"played by {_player(played)}; its host {_shown(host.host.name)} is {_player(host.host.origin)}"
        elif told is not None and played.in_words != told:
            yield f"played by {_player(played)}; the run tells of {_shown(player(told))}"

    def _host(self, id_: int | None) -> StoredHost | None:
        return None if id_ is None else self._hosts.get(id_)

    def _lists(self, what: str, by_host: Mapping[int, int], ids: "range | list[int]") -> Iterator[str]:
        there = set(ids)
        for id_, host in by_host.items():
            if id_ not in there:
                yield f"hosts: host #{host} is told of {what} #{id_}, which is not there"
            elif host not in self._hosts:
                yield f"{what} #{id_}: it names host #{host}, which is not there"


def _player(origin: Origin) -> str:
    return _shown(player(origin.in_words))


def _shown(text: str) -> str:
    return printable(text, LONGEST_SHOWN)
