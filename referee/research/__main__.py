"""Prints the codes of a game and the fields of its tensors: python -m referee.research GAME [SEATS]."""

import argparse

from referee.research.codec import Codec
from referee.research.columns import Column

TENSOR = {
    "one_of": "one hot, 0: none",
    "part": "divided by {most:g}",
    "card": "lies, up, known, kind",
    "seats": "by seat, 1 or 0",
    "age": "divided by {most:g}",
    "left": "divided by 4",
    "": "-",
}
"""By what codes become in a tensor: the words for it."""


def main() -> None:
    """Print a line for each column, and for each further field of the tensor."""
    parser = argparse.ArgumentParser(prog="python -m referee.research", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("seats", type=int, nargs="?")
    options = parser.parse_args()
    try:
        codec = Codec(options.game, options.seats, derived=True)
    except ValueError as error:
        parser.error(str(error))
    fields = {field.name: field for field in codec.fields}
    counts = f"{codec.code_count} codes, {codec.shape[0]} values, {codec.size} moves"
    print(f"{codec.variant.preset}, {codec.seats} seats: {counts}")
    print(f"{'name':14}{'codes at':>9}{'values at':>10}  {'shape':14}{'in the tensor':24}meaning")
    columns = {column.name: column for column in codec.layout.columns}
    for name in dict.fromkeys([*columns, *fields]):
        column, field = columns.get(name), fields.get(name)
        at = codec.layout.at.get(name, "-")
        start, shape = ("-", "-") if field is None else (field.start, "x".join(map(str, field.shape)))
        means = field.means if field else column.means if column else ""
        print(f"{name:14}{at:>9}{start:>10}  {shape:14}{_becomes(column):24}{means}")


def _becomes(column: Column | None) -> str:
    if column is None or (column.becomes == "part" and column.most == 1):
        return ""
    return TENSOR[column.becomes].format(most=column.most)


if __name__ == "__main__":
    main()
