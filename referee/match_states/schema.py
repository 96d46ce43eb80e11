"""Prints the JSON Schema of the states document, made of its structs: `python -m referee.match_states.schema`."""

import sys
from typing import Any

import msgspec

from referee.match_states.states import FORMAT, Document


def schema() -> dict[str, Any]:
    """The schema of a document (JSON Schema 2020-12)."""
    (document,), found = msgspec.json.schema_components([Document], ref_template="#/$defs/{name}")
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


def _plain(node: Any) -> Any:
    """The node without `discriminator`, which JSON Schema does not know."""
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if key != "discriminator"}
    return [_plain(value) for value in node] if isinstance(node, list) else node


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n")
