"""How an option is declared: the games that have it, what it needs, which card values it sets, its words for people.

The options themselves stand in options.py. This module must not know any of them.
"""

from collections.abc import Callable, Iterator
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Meta, Struct

if TYPE_CHECKING:
    from referee.rules.book.options import Options


class Games(Struct, frozen=True, kw_only=True):
    """The games that have an option, by their tags in RULES.md; `"SIX" in games` says whether six-card golf has it."""

    tags: frozenset[str]
    are_all_but: bool = False
    """Whether `tags` names the games that do not have the option."""

    def __contains__(self, tag: str) -> bool:
        return (tag in self.tags) != self.are_all_but


def only(*tags: str) -> Games:
    """Return these games and no others."""
    return Games(tags=frozenset(tags))


def all_but(*tags: str) -> Games:
    """Return every game but these; a game that is added later is among them."""
    return Games(tags=frozenset(tags), are_all_but=True)


EVERY_GAME = all_but()


class Need(Struct, frozen=True, kw_only=True):
    """What must hold so that an option has an effect (OPT-08)."""

    words: str
    """What is needed, in words that can follow "needs" in a message."""
    holds: "Callable[[Options], bool]"
    """Says whether a whole set of options has what is needed."""


class CardValues(Struct, frozen=True, kw_only=True):
    """The card values that an option sets, so that no two options set the value of one rank (OPT-01)."""

    ranks: "Callable[[Options], frozenset[str]]"
    """Returns the ranks, or single cards, whose values the option sets when it is not at its default."""
    when_named: bool = False
    """Whether they count as set only where somebody names the option, even with its default."""


def values_of(*ranks: str, when_named: bool = False) -> CardValues:
    """Return these ranks, whatever value the option has."""
    return CardValues(ranks=lambda _: frozenset(ranks), when_named=when_named)


class Option(Struct, frozen=True, kw_only=True):
    """What is declared of an option beside its type and its default. Tests ask for everything that follows from it."""

    does: str
    """One sentence that tells people what the option decides."""
    games: Games
    """The games that have the option (RULES.md section 21); in others it is an error (OPT-08)."""
    needs: Need | None = None
    sets: CardValues | None = None
    scores: bool = False
    """Whether the scores of a layout or of a round depend on it: the second scorer of the tests must then know it."""
    silent: str = ""
    """Why no sentence of a game's description depends on it; empty where one does."""


def option_of(kind: Any) -> Option | None:
    """Return the declaration in a field's type `Annotated[..., Option(...)]`, or None where there is none."""
    return next((one for one in get_args(kind)[1:] if isinstance(one, Option)), None)


def expected(kind: Any) -> str:
    """Return in words which values a field's type takes: the words of its `Meta`, or those that follow from its form.

    Raises LookupError for a type that has neither.
    """
    *others, last = _alternatives(kind)
    return f"{', '.join(others)} or {last}" if others else last


def _alternatives(kind: Any) -> Iterator[str]:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        words = [text for meta in args[1:] if isinstance(meta, Meta) and (text := _in_words(meta))]
        yield from words or _alternatives(args[0])
    elif origin is Literal:
        yield from (f'"{value}"' if isinstance(value, str) else str(value) for value in args)
    elif origin in (Union, UnionType):
        for one in args:
            yield from _alternatives(one)
    elif origin is tuple:
        yield f"a list of {len(args)} integers"
    elif kind in _PLAIN:
        yield _PLAIN[kind]
    else:
        raise LookupError(f"no words for the values of {kind}; write Annotated[..., Meta(description=...)]")


_PLAIN = {bool: "true or false", int: "an integer", type(None): '"none"'}


def _in_words(meta: Meta) -> str:
    """Return the description, or the bounds of an integer; "" where there is neither."""
    if meta.description is not None:
        return meta.description
    if meta.ge is None:
        return ""
    return f"an integer from {meta.ge}" + (f" to {meta.le}" if meta.le is not None else " up")
