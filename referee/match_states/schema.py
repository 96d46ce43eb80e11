"""The JSON Schema of the states document, from its structs: `python -m referee.match_states.schema` prints it.

README.md says what the fields mean and how a viewer uses them.
"""

import sys
from typing import Any

import msgspec

from referee.match_states.states import FORMAT, Document

_PREFIX = "#/$defs/"


def schema() -> dict[str, Any]:
    """The schema of a document (JSON Schema 2020-12)."""
    (document,), found = msgspec.json.schema_components([Document], ref_template=_PREFIX + "{name}")
    made: dict[str, Any] = _plain(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": FORMAT,
            "description": "A match as states: what `golfref replay RUN:7 --json` prints.",
            **document,
            "$defs": found,
        }
    )
    return made


def text() -> bytes:
    """The schema as it is printed: UTF-8, indented, with a final newline."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n"


def _plain(node: Any) -> Any:
    """The node without `discriminator`, which JSON Schema does not know."""
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if key != "discriminator"}
    return [_plain(value) for value in node] if isinstance(node, list) else node


if __name__ == "__main__":
    sys.stdout.buffer.write(text())
