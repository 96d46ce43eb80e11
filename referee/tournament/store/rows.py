"""The rows of a run's journal: a struct for each kind. The body of a row is the JSON of its struct.

Rows are written once, in the order in which things happened, and never changed. What a row has by default is left out
of its JSON. tournaments/STORE.md is the page about them.
"""

import msgspec
from msgspec import Struct

from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.planned_match import Identity
from referee.tournament.plan.rounds import End, Round
from referee.tournament.plan.shards import Shard
from referee.tournament.results import Outcome, Result
from referee.tournament.store.origins import Host, Origin

STORE_FORMAT = 5
"""The number of the format: these tables, these rows, and how their hashes chain."""


class Row(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A row of the journal."""


class Begin(Row, frozen=True, kw_only=True):
    """The run begins. This is the first row, and there is no other one of its kind."""

    format: int = STORE_FORMAT
    golfref: str
    protocol: str
    host: str
    """What plays here, until an `origin` says otherwise."""
    config: RunConfig
    matches: int
    """How many matches the plan has; 0 where it is drawn round by round."""
    commitment: str
    """SHA-256 of the master key, in hexadecimal."""

    @property
    def origin(self) -> Origin:
        """What plays the first matches."""
        return Origin(golfref=self.golfref, protocol=self.protocol, host=self.host)


class Match(Outcome, frozen=True, kw_only=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A match has ended: which one it is, and what came of it. Its record lies beside the journal."""

    deal: int
    rotation: int
    """These are written where they are 0, too."""
    game: str
    """Tells apart games that the run has had under the same name."""
    versions: tuple[str, ...]
    """The versions of the bots, by seat."""
    record_hash: str
    """SHA-256 of the record's JSON, in hexadecimal."""
    host: int | None = None
    """The id of the row of the host that played it. None where no host is named."""

    @property
    def identity(self) -> Identity:
        """Which match it is."""
        return Identity(
            variant=self.variant,
            game=self.game,
            bots=self.bots,
            versions=self.versions,
            deal=self.deal,
            rotation=self.rotation,
            versions_before=self.versions_before,
        )


class Void(Row, frozen=True, kw_only=True):
    """The referee or its host spoiled an attempt at a match. All but the last three fields say at which match."""

    variant: str
    game: str
    bots: tuple[str, ...]
    versions: tuple[str, ...]
    deal: int
    rotation: int
    versions_before: tuple[int, ...] = ()
    attempt: int
    """Counts from 1, anew whenever the run goes on."""
    reason: str
    host: int | None = None
    """As of a match."""

    @property
    def identity(self) -> Identity:
        """Which match it was to be."""
        return msgspec.convert(self, Identity, from_attributes=True)


class Hours(Row, frozen=True, kw_only=True):
    """For how long the run had been played."""

    used_s: int | None = None
    """How many seconds of its hours had been used. None where it has no time to keep to."""


class Drawn(Hours, frozen=True, kw_only=True):
    """A round has been drawn, and is played from now on."""

    round: Round

    @property
    def what(self) -> Round:
        """The round."""
        return self.round


class Ended(Hours, frozen=True, kw_only=True):
    """No more rounds are drawn."""

    end: End

    @property
    def what(self) -> End:
        """The end."""
        return self.end


class Amended(Row, frozen=True, kw_only=True):
    """The run goes on with another config."""

    config: RunConfig
    matches: int
    """As of the beginning."""


class BotChanged(Row, frozen=True, kw_only=True):
    """The files of a bot changed while matches were played."""

    bot: str
    before: str
    after: str
    """Both versions, in hexadecimal."""


class KeptOut(Row, frozen=True, kw_only=True):
    """A version of a bot does not take part, because it did not qualify."""

    bot: str
    version: str
    """As people are shown it."""
    reason: str
    """On one line."""


class HostLeftOut(Row, frozen=True, kw_only=True):
    """A host plays no matches."""

    host: str
    reason: str


class HostLost(Row, frozen=True, kw_only=True):
    """A host that played is there no longer."""

    host: str


class ShardBegins(Row, frozen=True, kw_only=True):
    """What follows is the journal of a shard after its first row, as far as to the next row of this kind, or `merged`.

    Only the ids of hosts are those that their rows have here.
    """

    begin: Begin
    """The first row of the shard."""
    hash: str
    """The hash of the last row of the shard."""

    @property
    def shard(self) -> Shard | None:
        """Which shard it is. None where the row is not what a merge writes."""
        return self.begin.config.shard


class Merged(Row, frozen=True, kw_only=True):
    """The shards end here. What follows was played after they had been put together."""


AnyRow = (
    Begin | Match | Void | Drawn | Ended | Hours | Amended | Host | Origin | BotChanged | KeptOut | HostLeftOut
    | HostLost | ShardBegins | Merged
)  # fmt: skip

KINDS: dict[str, type[AnyRow]] = {
    "begin": Begin,
    "match": Match,
    "void": Void,
    "round": Drawn,
    "end": Ended,
    "hours": Hours,
    "amendment": Amended,
    "host": Host,
    "origin": Origin,
    "bot_changed": BotChanged,
    "kept_out": KeptOut,
    "host_left_out": HostLeftOut,
    "host_lost": HostLost,
    "shard": ShardBegins,
    "merged": Merged,
}
"""By kind what a row is."""

KIND_OF: dict[type[Struct], str] = {type_: kind for kind, type_ in KINDS.items()}

DECODERS = {kind: msgspec.json.Decoder(type_) for kind, type_ in KINDS.items()}
encode = msgspec.json.Encoder().encode
"""The body of a row that was decoded. `body_of` makes that of a new one."""


def body_of(row: AnyRow) -> str:
    """The body of a row: the same for equal rows.

    msgspec leaves out a text that is the default only where it is that very object, as its decoders make it.
    """
    return encode(DECODERS[KIND_OF[type(row)]].decode(encode(row))).decode()


class Meta(Struct, frozen=True, kw_only=True):
    """What a run is: what it began with, and the config that it has now."""

    golfref: str
    protocol: str
    host: str
    config: RunConfig
    master_key: str
    """In hexadecimal. It is secret until the run is complete."""
    commitment: str
    """SHA-256 of the master key, in hexadecimal."""
    matches: int
    """How many matches the plan has; 0 where it is drawn round by round."""


class Place(Struct, frozen=True, kw_only=True):
    """Whether a match counts, which follows from the journal: its place in the plan of today, or who dropped it."""

    id: int
    number: int | None = None
    """Its place in the plan. None where it does not count."""
    block: int | None = None
    dropped_by: int | None = None
    """The id of the amendment since which it has not counted. None where it counts."""


class CommittedMatch(Struct, frozen=True, kw_only=True):
    """A committed match as it lies in the store, without its record."""

    id: int
    """The id of its row, which never changes."""
    number: int | None
    """Its place in the run's plan. None where it is out of the standings."""
    identity: Identity
    result: Result
    hash: str
    """SHA-256 of its record, in hexadecimal."""
    host: int | None = None
    """The id of the row of the host that played it. None where no host is named."""


def match_row(result: Outcome, identity: Identity, record_hash: str, host: int | None) -> Match:
    """The row of a match that has ended."""
    outcome = {name: getattr(result, name) for name in Outcome.__struct_fields__}
    return Match(**outcome, game=identity.game, versions=identity.versions, record_hash=record_hash, host=host)


def void_row(identity: Identity, attempt: int, reason: str, host: int | None) -> Void:
    """The row of an attempt that was spoiled."""
    which = {name: getattr(identity, name) for name in Identity.__struct_fields__}
    return Void(**which, attempt=attempt, reason=reason, host=host)
