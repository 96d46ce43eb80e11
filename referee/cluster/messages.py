"""What desk and hosts of a run send each other, as structs. Dask, and the pipes of a host's trial, move their bytes."""

from collections.abc import Callable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.play.spec import BotSpec, Confinement
from referee.tournament.orders import Heartbeat, Played, SessionSetup, Spoiled
from referee.tournament.run.this_host import host_name
from referee.tournament.store.origins import Host
from referee.versions.entry import Builds, Entry

LONGEST_LINE = 1000
"""How many characters of a text people are shown, whichever host sent it."""

# From the desk


class SentBot(Struct, frozen=True, kw_only=True):
    """A bot as the desk describes it to the hosts."""

    spec: BotSpec
    """As the desk has it. Its paths are the desk's."""
    version: str
    archive: str = ""
    """The hash of the archive with its files; of an entry with its source. Empty for a shipped bot and one without
    files: each host has the shipped bots itself."""
    words: dict[int, str] = {}
    """By number of a word of its command, the path in the archive of the file that the word names."""
    entry: Entry | None = None
    built: str = ""
    """The archive with the files that the desk built from the entry. Empty where nothing has to be built."""

    @property
    def name(self) -> str:
        """What the run calls it."""
        return self.spec.name


class Demands(Struct, frozen=True, kw_only=True, tag=True):
    """What a run asks of a host. It holds no key and no card."""

    python: tuple[int, int]
    modules: dict[str, str]
    """By folder of the referee's code, a hash of all of it: the same version may have been changed."""
    tag: str
    """What bots are built for at the desk."""
    session: SessionSetup
    """What all matches have in common, without the bots, which each host has as they start there."""
    needs_users: bool = False
    """Whether each bot needs a user id of its own."""
    builds: Builds
    times_slaps: bool
    """Whether races are to be run before the first match."""
    bots: tuple[SentBot, ...]
    archives: dict[str, int]
    """All archives, each with its size in bytes."""
    jobs: int | None = None
    """How many matches each dask worker plays at a time. None for as many as it has threads."""
    workers: int | None = None
    """How many processes play these on each dask worker. None for as many as without a cluster."""

    @property
    def confinement(self) -> Confinement:
        """How every bot is kept from what is not its own."""
        return self.session.confinement

    @property
    def seats(self) -> int:
        """How many bots sit at the largest table."""
        return max(game.seats for game in self.session.games)

    def bot_of(self, archive: str) -> str:
        """The name of the first bot that needs this archive."""
        return next((one.name for one in self.bots if archive in (one.archive, one.built)), "")


class Piece(Struct, frozen=True, kw_only=True, tag=True):
    """A part of an archive, in order. After the last one comes an empty piece."""

    archive: str
    data: bytes


# From a host. Its trial leaves `address` empty, and its dask worker fills it in.


class Lacks(Struct, frozen=True, kw_only=True, tag=True):
    """The host has all but these archives, which the desk is to send, one after the other."""

    address: str = ""
    archives: tuple[str, ...]


class Line(Struct, frozen=True, kw_only=True, tag=True):
    """Something that a person may want to read while the host gets ready."""

    host: str
    text: str


class Ready(Struct, frozen=True, kw_only=True, tag=True):
    """The host plays from now on."""

    address: str = ""
    host: Host
    bots: tuple[BotSpec, ...] = ()
    """The bots of the demands, in their order, as they start there. The desk does not get them."""

    @property
    def jobs(self) -> int:
        """How many matches it plays at a time."""
        return self.host.jobs or 1


class LeftOut(Struct, frozen=True, kw_only=True, tag=True):
    """The host does not play, or plays no longer."""

    address: str = ""
    host: str
    """What it is called."""
    reason: str
    """Why, on one line, and where something can be done about it, what."""

    @property
    def in_words(self) -> str:
        """A sentence for people."""
        return f"host {self.host} is left out: {self.reason}"


class Began(Struct, frozen=True, kw_only=True, tag=True):
    """A match is played from now on."""

    number: int


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a job, from the host that played it."""

    id: int
    """The job's."""
    address: str
    reports: tuple[Played | Spoiled, ...]
    """Of the matches that were played."""


# From the scheduler


class Came(Struct, frozen=True, kw_only=True, tag=True):
    """A dask worker has come to the cluster. The desk does not know yet whether it plays."""

    address: str


class Gone(Struct, frozen=True, kw_only=True, tag=True):
    """A dask worker has left the cluster, or was lost."""

    address: str


# Within the desk


class Returned(Struct, frozen=True, kw_only=True):
    """Dask could not have a job played. It may be handed out again."""

    id: int
    reason: str


class Lost(Struct, frozen=True, kw_only=True):
    """The scheduler is gone or cannot be reached any more, or the desk cannot send the bots."""

    reason: str


FromTrial = Lacks | Line | Ready | LeftOut | Heartbeat
"""From the process that gets a host ready, to its dask worker."""

News = Lacks | Line | Ready | LeftOut | Began | Came | Gone
"""From hosts and scheduler to the desk."""

Happening = News | Outcome | Returned | Lost
"""What a run on a cluster learns."""

Listener = Callable[[Happening], None]

_NEWS: "msgspec.msgpack.Decoder[News]" = msgspec.msgpack.Decoder(News)


def encoded(message: Struct) -> bytes:
    """The bytes of a message."""
    return msgspec.msgpack.encode(message)


def news(data: bytes) -> News:
    """The news in these bytes, with its texts on one line each, whoever wrote them. Raises msgspec.MsgspecError."""
    found = _NEWS.decode(data)
    if isinstance(found, Line):
        return replace(found, host=host_name(found.host), text=on_one_line(found.text))
    if isinstance(found, LeftOut):
        return replace(found, host=host_name(found.host), reason=on_one_line(found.reason))
    if isinstance(found, Ready):
        return replace(found, host=_on_lines(found.host), bots=())
    return found


def _on_lines(host: Host) -> Host:
    return replace(
        host,
        name=host_name(host.name),
        golfref=on_one_line(host.golfref),
        protocol=on_one_line(host.protocol),
        host=on_one_line(host.host),
        tag=on_one_line(host.tag),
        isolation=on_one_line(host.isolation),
        built=tuple(map(on_one_line, host.built)),
    )


def on_one_line(text: str) -> str:
    """A text of any length as it can be shown in a line."""
    return printable(" ".join(text.split()), LONGEST_LINE)
