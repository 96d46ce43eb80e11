"""What the history of a run tells besides amendments, in the words in which it is told, so that they can be checked.

This module must not know how a history is stored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from referee.tournament.plan.rounds import End, Round
from referee.tournament.plan.shards import Shard, read_shard
from referee.versions.version import SHORT_LENGTH, short

_GOES_ON = "played from here on by "
_CHANGED = "bot `{bot}` changed while matches were played (version {before} -> "
_OF_TWO = "): its results since then may be those of two programs"
_OTHER_VERSION = re.compile(f"[0-9a-f]{{{SHORT_LENGTH}}}{re.escape(_OF_TWO)}")
_KEPT_OUT = "bot `{bot}` (version {version}) is kept out by `qualify`: {reason}"
_KEPT_OUT_WORDS = re.compile(rf"bot `(.+?)` \(version ([0-9a-f]{{{SHORT_LENGTH}}})\) is kept out by `qualify`: (.+)")
_PLAYED_FOR = re.compile(r"played for (\d{1,12}) s of its hours")
_HOST_LEFT_OUT = "host `{host}` is left out: {reason}"
_HOST_LEFT_OUT_WORDS = re.compile(r"host `[^`]+` is left out: .+")
_HOST_LOST = "host `{host}` has left the cluster, or was lost"
_HOST_LOST_WORDS = re.compile(r"host `[^`]+` has left the cluster, or was lost")
_PART_BEGINS = "what follows was played as shard "
_PART = _PART_BEGINS + "{shard}"
_PARTS_END = "what follows was played after the shards had been put together"
_DRAWN = "next round: "
_OVER = "no more rounds: "


class Origin(Struct, frozen=True, kw_only=True):
    """What plays matches: the version of golfref and of the protocol, and the machine with its interpreter."""

    golfref: str
    protocol: str
    host: str

    @property
    def in_words(self) -> str:
        """The line of the history that tells of it, where it is not what the run began with."""
        return f"{_GOES_ON}golfref {self.golfref}, protocol {self.protocol}, {self.host}"


def tells_origin(line: str) -> bool:
    """Whether a line of the history tells what plays from there on."""
    return line.startswith(_GOES_ON)


def last_origin(begun: Origin, lines: Iterable[str]) -> str:
    """What plays, in words, after these lines of the history of a run that was begun so."""
    return next((line for line in reversed([*lines]) if tells_origin(line)), begun.in_words)


def player(origin: str) -> str:
    """What plays, of such a line: `golfref VERSION, protocol VERSION, HOST`."""
    return origin.removeprefix(_GOES_ON)


def golfref_of(origin: str) -> str:
    """The version of golfref in such a line."""
    return player(origin).removeprefix("golfref ").partition(",")[0]


def changed_bot(bot: str, before: str, after: str) -> str:
    """The line that tells that the files of a bot changed while it played. The versions are whole."""
    return _CHANGED.format(bot=bot, before=short(before)) + short(after) + _OF_TWO


def tells_changed_bot(line: str, versions: Mapping[str, str]) -> bool:
    """Whether a line of the history tells that one of these bots changed; `versions` has those of the run by name."""
    for bot, version in versions.items():
        beginning = _CHANGED.format(bot=bot, before=short(version))
        if line.startswith(beginning) and _OTHER_VERSION.fullmatch(line.removeprefix(beginning)):
            return True
    return False


def host_left_out(host: str, reason: str) -> str:
    """The line that tells that a host plays no matches, and why; both must be on one line."""
    return _HOST_LEFT_OUT.format(host=host.replace("`", "'"), reason=reason)


def tells_host_left_out(line: str) -> bool:
    """Whether a line of the history tells that a host plays no matches."""
    return _HOST_LEFT_OUT_WORDS.fullmatch(line) is not None


def host_lost(host: str) -> str:
    """The line that tells that a host which played is there no longer."""
    return _HOST_LOST.format(host=host.replace("`", "'"))


def tells_host_lost(line: str) -> bool:
    """Whether a line of the history tells that a host is there no longer."""
    return _HOST_LOST_WORDS.fullmatch(line) is not None


def part_begins(shard: Shard) -> str:
    """The line of a run that was put together from shards, before all that was in this one."""
    return _PART.format(shard=shard)


def parts_end() -> str:
    """The line after all that was in the shards."""
    return _PARTS_END


def tells_part(line: str) -> bool:
    """Whether a line of the history tells that a shard begins or that the last one has ended."""
    return line == _PARTS_END or (
        line.startswith(_PART_BEGINS) and read_shard(line.removeprefix(_PART_BEGINS)) is not None
    )


class KeptOut(Struct, frozen=True, kw_only=True):
    """A version of a bot that does not take part, because it did not qualify."""

    bot: str
    version: str
    """As people are shown it."""
    reason: str
    """On one line."""

    @property
    def in_words(self) -> str:
        """The line of the history that tells of it."""
        return _KEPT_OUT.format(bot=self.bot, version=self.version, reason=self.reason)


def told_as_kept_out(line: str) -> KeptOut | None:
    """Who is kept out by a line of the history. None for other lines."""
    told = _KEPT_OUT_WORDS.fullmatch(line)
    return None if told is None else KeptOut(bot=told[1], version=told[2], reason=told[3])


def drawn_in_words(drawn: Round | End) -> tuple[str, str]:
    """The lines that tell what was drawn: one for people, and its JSON."""
    words = f"{_DRAWN}{drawn.title}" if isinstance(drawn, Round) else f"{_OVER}{drawn.reason}"
    return words, msgspec.json.encode(drawn).decode()


def told_as_drawn(lines: Sequence[str]) -> Round | End | None:
    """What was drawn, where the lines of an event tell that. Raises msgspec.MsgspecError where they do not say what."""
    is_drawn = len(lines) == 2 or (len(lines) == 3 and told_as_played_for(lines[2]) is not None)
    if is_drawn and lines[0].startswith(_DRAWN):
        return msgspec.json.decode(lines[1], type=Round)
    if is_drawn and lines[0].startswith(_OVER):
        return msgspec.json.decode(lines[1], type=End)
    return None


def played_for(seconds: float) -> str:
    """The line that tells how long a run has been played of the hours that it has."""
    return f"played for {seconds:.0f} s of its hours"


def told_as_played_for(line: str) -> int | None:
    """How many seconds of its hours the run had been played for. None for other lines."""
    told = _PLAYED_FOR.fullmatch(line)
    return None if told is None else int(told[1])


def used_s(lines: Iterable[str]) -> int | None:
    """How many seconds of its hours a run had been played for, by the lines of its history. None where none tells."""
    told = map(told_as_played_for, lines)
    return max((seconds for seconds in told if seconds is not None), default=None)
