"""What a bot must have done before it takes part: `qualify` in [tournament]."""

from msgspec import Struct

from referee.play.spec import BadBot, builtin_bot
from referee.toml.reader import KeyPath, Reader

MOST_GAMES = 10_000


class Qualify(Struct, frozen=True, kw_only=True):
    """`qualify` as it is written, where it is a table."""

    check: bool = False
    """Whether it must pass the check of `golfref check CONFIG`, warnings or not."""
    beat: str | None = None
    """The shipped bot that it must beat."""
    games: int = 20
    """How many matches it plays for that in each game of the competition."""


BY_CHECK = Qualify(check=True)
"""What `qualify = "check"` means."""


def check_qualify(given: Qualify, names_games: bool, path: KeyPath, reader: Reader) -> None:
    """Note what is wrong with the table. `names_games` says whether `games` stands in it."""
    if given.beat is not None:
        try:
            builtin_bot(given.beat)
        except BadBot as error:
            reader.add((*path, "beat"), str(error))
    elif names_games:
        reader.add((*path, "games"), 'goes with `beat` only, as in { beat = "random", games = 20 }', at_key=True)
    elif not given.check and not reader.wrong(path):
        reader.add(path, 'expected `check = true`, or `beat` with the name of a shipped bot, such as "random"')
    if not 1 <= given.games <= MOST_GAMES:
        reader.add((*path, "games"), f"expected 1 to {MOST_GAMES}, got {given.games}")
