"""Whose a submission is. An entry keeps its owner, whoever hands in and whatever bot.toml says; only the organiser may
give it to another.
"""

from msgspec import Struct

from protocol.text import printable
from referee.competition.submissions.refusal import Refused


class Claims(Struct, frozen=True, kw_only=True):
    """Who says what. All are empty where nothing is said."""

    by_config: str
    """`owners` in [[bots]]."""
    by_organiser: str
    """`--owner`."""
    sender: str
    """The folder through which it came, which nobody else can write to."""
    said: str
    """bot.toml."""
    is_new: bool
    """Whether nobody has handed in an entry of this name, and none is there."""
    current: str
    """Of the entry that is there, or was."""


def owner_of(name: str, claims: Claims) -> str:
    """Whose the new version is; empty if it is nobody's. Raises Refused where it is not the entry's owner's."""
    sender = claims.sender
    if claims.by_config:
        for other, which in ((claims.by_organiser, "`--owner`"), (sender, "the folder through which it came")):
            if other and other != claims.by_config:
                raise Refused(
                    f"the entry `{name}` is {_shown(claims.by_config)}'s by the organiser's config, and {which} says "
                    f"{_shown(other)}"
                )
        return claims.by_config
    if claims.by_organiser:
        return claims.by_organiser
    if not claims.is_new:
        for other, which in ((sender, "this came from"), (claims.said, "its bot.toml says")):
            if other and other != claims.current:
                whose = f"{_shown(claims.current)}'s" if claims.current else "the organiser's own"
                raise Refused(
                    f"the entry `{name}` is {whose}, and {which} {_shown(other)}; take another name for yours, or ask "
                    "the organiser, who can give the entry to another by `--owner`"
                )
        return claims.current
    if sender and claims.said and claims.said != sender:
        raise Refused(
            f"its bot.toml says that it is {_shown(claims.said)}'s, and it came from {_shown(sender)}; take `owner` "
            "out of bot.toml, or put yourself there"
        )
    return sender or claims.said


def _shown(owner: str) -> str:
    return printable(owner, 100)
