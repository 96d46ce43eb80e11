"""The JSON Schema of the wire, generated from the message types: `python -m protocol.schema` prints it.

schema.json beside this file is that output. The schema says which lines are well formed; when they may be said, and
what they mean, is told in README.md.
"""

import sys
from inspect import cleandoc
from typing import Any

import msgspec

from protocol import VERSION
from protocol.messages import FromBot, FromReferee

_PREFIX = "#/$defs/"
_ROLES = {"type": "message", "kind": "action", "event": "event"}
"""The field that tells the members of a family apart, and what the family is called."""


def schema() -> dict[str, Any]:
    """The schema of any line (JSON Schema 2020-12). Definitions are named by the words of the wire: `event.drew`."""
    (referee, bot), found = msgspec.json.schema_components([FromReferee, FromBot], ref_template=_PREFIX + "{name}")
    names = {name: _name(definition) for name, definition in found.items()}
    definitions = {names[name]: definition | {"title": names[name]} for name, definition in found.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"golfref protocol {VERSION}",
        "description": "One line of the conversation between the referee and a bot.",
        "anyOf": [{"$ref": f"{_PREFIX}FromReferee"}, {"$ref": f"{_PREFIX}FromBot"}],
        "$defs": _renamed({"FromReferee": referee, "FromBot": bot, **definitions}, names),
    }


def text() -> bytes:
    """The schema as schema.json holds it: UTF-8, each definition on a line of its own, with a final newline."""
    parts = schema()
    definitions = parts.pop("$defs")
    lines = [f"{_json(name)}: {_json(definition)}" for name, definition in definitions.items()]
    return (_json(parts)[:-1] + ', "$defs": {\n' + ",\n".join(lines) + "\n}}\n").encode()


def _json(node: Any) -> str:
    return msgspec.json.encode(node).decode()


def _name(definition: dict[str, Any]) -> str:
    """`message.request`, `action.draw`, `event.drew`; a struct that no field tells apart goes by its own name."""
    for tag_field, role in _ROLES.items():
        tags = definition["properties"].get(tag_field, {}).get("enum", ())
        if len(tags) == 1:
            return f"{role}.{tags[0]}"
    return str(definition["title"]).removesuffix("Message")


def _renamed(node: Any, names: dict[str, str]) -> Any:
    """The node with new names in its references, and without `discriminator`, which JSON Schema does not know.

    Lines of descriptions are not indented, whichever way msgspec reads docstrings.
    """
    if isinstance(node, dict):
        return {key: _renamed(value, names) for key, value in node.items() if key != "discriminator"}
    if isinstance(node, list):
        return [_renamed(value, names) for value in node]
    if isinstance(node, str) and node.startswith(_PREFIX):
        return _PREFIX + names[node.removeprefix(_PREFIX)]
    return cleandoc(node) if isinstance(node, str) else node


if __name__ == "__main__":
    sys.stdout.buffer.write(text())
