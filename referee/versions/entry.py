"""An entry: what a folder says of the bot in it.

All of it was written by the bot's author, so it is as hostile as the bot: nothing of it may show the bot more of the
host, or let it use more, than the organiser allows.
"""

from typing import Annotated

from msgspec import Meta, Struct

from referee.play.spec import MB, BotLimits
from referee.versions.files import Bounds


class Entry(Struct, frozen=True, kw_only=True):
    """A contestant's bot as its folder has it."""

    name: str
    """The name of the folder."""
    folder: str
    """Absolute path of the folder, in which nothing of ours writes."""
    command: tuple[str, ...]
    """What runs the bot, in its folder once that has been built."""
    build: tuple[str, ...] = ()
    """What builds it, in a copy of its folder. Empty where nothing has to be built."""
    language: str = ""
    owner: str = ""
    contact: str = ""
    env: dict[str, str] = {}
    """What is added to the variables that every bot gets."""
    reads: tuple[str, ...] = ()
    """Absolute paths that the bot asks to read besides its folder, all of which the organiser allows."""
    wants_network: bool = False
    """Whether the build asks for the network, and the organiser allows it."""
    files: int = 0
    """How many files, links and folders it has."""
    size_bytes: int = 0
    """How long its files are, all together."""
    version: str
    """SHA-256 in hexadecimal over the command, the build, the environment and all files; see `version_of`."""


class Builds(Struct, frozen=True, kw_only=True):
    """The table [builds] of a config: what one build may use, with all that it starts.

    No build, and no entry, is done with less than its bounds.
    """

    time_s: Annotated[float, Meta(ge=1, le=86400, description="seconds")] = 900.0
    """Seconds from the start of a build to its end."""
    cpu_s: Annotated[int, Meta(ge=1)] = 600
    """Seconds of computing, over all cores."""
    memory_mb: Annotated[int, Meta(ge=64)] = 2048
    """Memory; under `bwrap` with the files that the build makes, if there are control groups."""
    disk_mb: Annotated[int, Meta(ge=1)] = 512
    """The folder that the build leaves; as much again in /tmp and /dev/shm."""
    processes: Annotated[int, Meta(ge=8)] = 256
    """Processes and threads."""
    files: Annotated[int, Meta(ge=64)] = 1024
    """Open files of each process."""
    entry_mb: Annotated[int, Meta(ge=1)] = 64
    """All files of an entry before its build."""
    entry_files: Annotated[int, Meta(ge=1)] = 10_000
    """Files, links and folders of an entry before its build."""
    network: bool = False
    """With true, builds that ask for the network have it."""
    reads: tuple[str, ...] = ()
    """Paths that every build may read, such as a toolchain in /opt."""
    env: dict[str, str] = {}
    """More variables for every build."""

    @property
    def entry_bounds(self) -> Bounds:
        """How much an entry may have before its build."""
        return Bounds(total_bytes=self.entry_mb * MB, members=self.entry_files, table="[builds]")

    @property
    def limits(self) -> BotLimits:
        """The same as the limits of a process."""
        return BotLimits(
            memory_mb=self.memory_mb,
            processes=self.processes,
            files=self.files,
            tmp_mb=self.disk_mb,
            cpu_s=self.cpu_s,
        )
