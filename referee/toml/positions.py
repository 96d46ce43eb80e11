"""Where in a TOML text a key or a value stands, for error messages.

tomllib parses the values. tree-sitter only finds their places, so this module is imported when a place is needed.
It must not know what any key means.
"""

import tomllib
from collections.abc import Iterator

import tree_sitter_toml
from msgspec import Struct
from tree_sitter import Language, Node, Parser

from referee.toml.reader import KeyPath

_KEYS = ("bare_key", "quoted_key", "dotted_key")


class Position(Struct, frozen=True, order=True):
    """A place in the text. Both count from 1, columns in characters."""

    line: int
    column: int


class Positions:
    """The places of a valid TOML text. What has no place of its own has that of the nearest thing around it."""

    def __init__(self, text: str) -> None:
        self._source = text.encode()
        self._keys: dict[KeyPath, Position] = {}
        self._values: dict[KeyPath, Position] = {}
        self._lengths: dict[KeyPath, int] = {}
        root = Parser(Language(tree_sitter_toml.language())).parse(self._source).root_node
        for node in root.named_children:
            if node.type == "pair":
                self._pair((), node)
            elif node.type in ("table", "table_array_element"):
                self._section(node)

    def key(self, path: KeyPath) -> Position:
        """The place of a key, of a section's header, or of an array's element."""
        return self._nearest(self._keys, path)

    def value(self, path: KeyPath) -> Position:
        """The place of a value, or of a section's header."""
        return self._nearest(self._values, path)

    def has(self, path: KeyPath) -> bool:
        """Whether the text has this key, section or element."""
        return path in self._keys

    def _nearest(self, places: dict[KeyPath, Position], path: KeyPath) -> Position:
        for length in range(len(path), 0, -1):
            if path[:length] in places:
                return places[path[:length]]
        return Position(1, 1)

    def _section(self, node: Node) -> None:
        header, *pairs = (child for child in node.named_children if child.type == "pair" or child.type in _KEYS)
        path: KeyPath = ()
        for name, _ in _names(header):
            path = self._last_element(path)
            path += (name,)
            self._put(path, node, node)
        if node.type == "table_array_element":
            self._lengths[path] = self._lengths.get(path, 0) + 1
            path = self._last_element(path)
            self._put(path, node, node)
        for pair in pairs:
            self._pair(path, pair)

    def _last_element(self, path: KeyPath) -> KeyPath:
        return (*path, self._lengths[path] - 1) if path in self._lengths else path

    def _pair(self, path: KeyPath, node: Node) -> None:
        key, value = node.named_children[0], node.named_children[-1]
        for name, part in _names(key):
            path += (name,)
            self._put(path, part, value)
        self._inside(path, value)

    def _inside(self, path: KeyPath, value: Node) -> None:
        parts = [child for child in value.named_children if child.type != "comment"]
        if value.type == "inline_table":
            for pair in parts:
                self._pair(path, pair)
        elif value.type == "array":
            for index, element in enumerate(parts):
                self._put((*path, index), element, element)
                self._inside((*path, index), element)

    def _put(self, path: KeyPath, key: Node, value: Node) -> None:
        self._keys.setdefault(path, self._place(key))
        self._values.setdefault(path, self._place(value))

    def _place(self, node: Node) -> Position:
        """tree-sitter counts bytes, people count characters."""
        start = self._source.rfind(b"\n", 0, node.start_byte) + 1
        before = self._source[start : node.start_byte].decode()
        return Position(self._source.count(b"\n", 0, start) + 1, len(before) + 1)


def _names(key: Node) -> Iterator[tuple[str, Node]]:
    """The names in a key, unquoted, each with its node."""
    if key.type == "dotted_key":
        for part in key.named_children:
            yield from _names(part)
    elif key.text is not None:
        text = key.text.decode()
        yield next(iter(tomllib.loads(f"{text} = 0"))) if key.type == "quoted_key" else text, key
