"""What desk and host tell each other before a host plays its first match.

Nothing here starts or reads a bot, and nothing knows how messages travel.
"""

import os
import platform
import re
from pathlib import Path

from msgspec import Struct

from protocol.messages import GameMessage
from protocol.text import printable
from referee.entries.entry import Builds, Entry
from referee.play.spec import BotLimits, BotSpec, Isolation
from referee.tournament.orders import Heartbeat
from referee.tournament.store.hosts import Host

HOST_FOLDER, HOST_TAG = "GOLFREF_HOST_FOLDER", "GOLFREF_HOST_TAG"
"""Variables of a host's environment: where it keeps bots, and what bots are built for there."""

PIECE_BYTES = 1 << 22
"""How much of a parcel travels at once."""

LONGEST_LINE = 1000
"""How many characters of a text people are shown, whichever host sent it."""


class Travelling(Struct, frozen=True, kw_only=True):
    """A bot as it travels to the hosts."""

    spec: BotSpec
    """As the desk has it. Its paths are the desk's."""
    version: str
    parcel: str = ""
    """Its files; of an entry its source. Empty where it has none, as a shipped bot, which each host has itself."""
    words: dict[int, str] = {}
    """By number of a word of its command, where in the parcel lies what the word names."""
    entry: Entry | None = None
    built: str = ""
    """The parcel with what the desk built from the entry. Empty where nothing has to be built."""

    @property
    def name(self) -> str:
        """What the run calls it."""
        return self.spec.name


class Demands(Struct, frozen=True, kw_only=True):
    """What a run asks of a host. It holds no key and no card."""

    python: tuple[int, int]
    rooms: dict[str, str]
    """By folder of the referee's code, a hash of all of it: the same version may have been changed."""
    tag: str
    """What bots are built for at the desk."""
    isolation: Isolation
    needs_users: bool = False
    """Whether each bot needs a user id of its own."""
    limits: BotLimits
    builds: Builds
    start_s: float
    """How long a bot may take to start."""
    seats: int
    """How many bots sit at the largest table."""
    times_slaps: bool
    """Whether races are to be run before the first match."""
    games: tuple[GameMessage, ...]
    bots: tuple[Travelling, ...]
    parcels: dict[str, int]
    """All parcels, each with its size in bytes."""

    def bot_of(self, parcel: str) -> str:
        """The name of the first bot that needs this parcel."""
        return next((one.name for one in self.bots if parcel in (one.parcel, one.built)), "")


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a parcel, in order. After the last one comes an empty piece."""

    parcel: str
    data: bytes


class Lacks(Struct, frozen=True, kw_only=True, tag=True):
    """The host has all that it cannot be sent. These parcels are to be sent, one after the other."""

    parcels: tuple[str, ...]


class Telling(Struct, frozen=True, kw_only=True, tag=True):
    """Something that a person may want to read meanwhile."""

    line: str


class Ready(Struct, frozen=True, kw_only=True, tag=True):
    """The host can play."""

    host: Host
    bots: tuple[BotSpec, ...]
    """The bots of the demands, in their order, as they start here."""


class Refused(Struct, frozen=True, kw_only=True, tag=True):
    """The host cannot play, and ends."""

    host: str
    """What it is called."""
    reason: str
    """Why, on one line, and where something can be done about it, what."""

    @property
    def in_words(self) -> str:
        """A sentence for people."""
        return f"host {self.host} is left out: {self.reason}"


FromHost = Lacks | Telling | Ready | Refused | Heartbeat


def on_one_line(text: str) -> str:
    """A text of any length as it can be shown in a line."""
    return printable(" ".join(text.split()), LONGEST_LINE)


def host_folder() -> Path:
    """Where this host keeps bots from one run to the next: what GOLFREF_HOST_FOLDER says, else in the user's cache."""
    if told := os.environ.get(HOST_FOLDER):
        return Path(told).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "golfref", "host").absolute()


def host_tag() -> str:
    """What bots are built for here: the machine's architecture and its libc. GOLFREF_HOST_TAG says otherwise.

    What was built for one tag is never started under another one: a program needs the libc, or a later one, of the host
    that built it.
    """
    if told := os.environ.get(HOST_TAG):
        return re.sub(r"[^\w.-]", "-", told)[:100]
    try:
        libc = (os.confstr("CS_GNU_LIBC_VERSION") or "libc").replace(" ", "-")
    except (ValueError, OSError):
        libc = "musl" if any(Path("/lib").glob("ld-musl-*")) else "libc"
    return f"{platform.machine()}-{libc}"
