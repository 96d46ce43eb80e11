"""What things of a tournament are called: names that show as what they are, and no two alike."""

from collections.abc import Sequence
from typing import Protocol

from referee.tournament.config.reader import KeyPath, Reader


class Named(Protocol):
    """What may have a name of its own."""

    @property
    def name(self) -> str | None:
        """None: it goes by something else."""


def check_label(path: KeyPath, text: str | None, longest: int, reader: Reader) -> None:
    """A name must be there, and show as what it is: no control or bidi characters, no blanks around it."""
    if text is None:
        reader.missing(path)
    elif not (0 < len(text) <= longest and text.isprintable() and text == text.strip()):
        reader.add(path, f"expected 1 to {longest} printable characters, without blanks around them")


def check_unique(section: str, items: Sequence[Named], stand_in: str, reader: Reader) -> None:
    """No two of a section go by the same name, which is `stand_in`'s value where no `name` is given."""
    first: dict[str, KeyPath] = {}
    for index, item in enumerate(items):
        key = stand_in if item.name is None else "name"
        name, path = getattr(item, key), (section, index, key)
        if name in first:
            hint = "" if key == "name" else "; give this one a `name`"
            reader.add(path, f"the name `{name}` is taken{hint}", first=first[name])
        elif name is not None:
            first[name] = path
