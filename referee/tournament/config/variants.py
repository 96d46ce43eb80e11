"""The games of a config: presets, their options, and how many bots sit at a table."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from protocol.codec import encode
from protocol.messages import GameMessage, Limits
from referee.play.spec import LONGEST_NAME
from referee.play.talk.script import hello
from referee.rules.check_options import BadOptions, seat_problem, with_options
from referee.rules.variants import UnknownVariant, Variant
from referee.toml.reader import KeyPath, Reader


class ConfiguredVariant(Struct, frozen=True, kw_only=True):
    """A variant as this tournament plays it."""

    name: str
    """Unique in the tournament. It is the preset's name unless the config gives another."""
    variant: Variant
    seats: int


class GivenVariant(Struct, frozen=True, kw_only=True):
    """[[variants]] as it is written."""

    preset: str | None = None
    """The game; `golfref variants` lists them. Required."""
    name: str | None = None
    """The name in tables. Default: that of the preset."""
    seats: int | None = None
    """The number of bots at a table. Default: `seats` of [tournament]."""
    options: dict[str, Any] = {}
    """Options of the game; `golfref rules GAME` lists them."""


def read_variants(
    given_variants: Sequence[GivenVariant] | None, usual_seats: int, reader: Reader
) -> list[ConfiguredVariant]:
    """The games of the config, as far as they can be made out. What is wrong with them is noted.

    At a table sit `usual_seats`, where its [[variants]] does not say otherwise.
    """
    if given_variants is None:
        reader.missing(("variants",), "expected at least one [[variants]]")
    variants = []
    for index, given in enumerate(given_variants or ()):
        path: KeyPath = ("variants", index)
        if given.name is not None:
            reader.check_label((*path, "name"), given.name, LONGEST_NAME)
        variant = _variant(given, path, reader)
        if variant is not None:
            seats = usual_seats if given.seats is None else given.seats
            _check_seats(variant, seats, given, path, reader)
            variants.append(ConfiguredVariant(name=given.name or variant.preset, variant=variant, seats=seats))
    reader.check_unique("variants", given_variants or (), "preset")
    size, most = len(encode(hello(games(variants), Limits()))), Limits().line_bytes
    if size > most:
        what = f"the line `hello`, which names all games, would have {size} bytes, of which a bot reads at most {most}"
        reader.add(("variants",), f"{what}; have fewer games in one tournament, or shorter names")
    return variants


def games(variants: Sequence[ConfiguredVariant]) -> tuple[GameMessage, ...]:
    """All games that will be played, as bots are told in `hello`."""
    return tuple(GameMessage(variant=entry.variant.preset, name=entry.name, seats=entry.seats) for entry in variants)


def _variant(given: GivenVariant, path: KeyPath, reader: Reader) -> Variant | None:
    if given.preset is None:
        reader.missing((*path, "preset"))
        return None
    try:
        return with_options(given.preset, given.options)
    except UnknownVariant as error:
        reader.add((*path, "preset"), str(error))
    except BadOptions as bad:
        for problem in bad.problems:
            reader.add((*path, "options", problem.option), problem.text, at_key=problem.text.startswith("unknown"))
    return None


def _check_seats(variant: Variant, seats: int, given: GivenVariant, path: KeyPath, reader: Reader) -> None:
    """The seats must suit the variant (GEN-14)."""
    key, origin = ("preset", ", as [tournament] has it") if given.seats is None else ("seats", "")
    problem = seat_problem(variant, seats)
    if reader.wrong((*path, "seats")):
        return
    if problem is not None and problem.option in given.options:
        reader.add((*path, "options", problem.option), problem.text)
    elif problem is not None:
        reader.add((*path, key), problem.text + origin)
    elif seats == 1:
        reader.add((*path, key), f"a tournament needs 2 seats or more (`golfref match` plays alone), got 1{origin}")
