"""Joins parts of assets: the style sheets with the tokens they share, and the viewer's modules into one classic script.

Pages from file:// can load neither modules nor data by fetch. Of modules it takes what the viewer's use and no more:
imports of names from a neighbour, and exports in front of a declaration.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

FIRST = "app.js"
"""The module that starts the viewer; it imports the others."""

TOKENS = "tokens.css"
"""Colours, sizes and fonts of all pages."""

_IMPORT = re.compile(r'import \{ \w+(?:, \w+)* \} from "\./(?P<file>[\w.]+)";')
_EXPORT = re.compile(r"export (?=(?:async function|function|const|let|class) )")
_DECLARED = re.compile(r"(?:async function|function|const|let|class) \*?(\w+)")


class NotJoined(ValueError):
    """A module has something that one classic script cannot hold."""


@cache
def style_sheet(name: str) -> bytes:
    """A style sheet of `assets/`, as in `viewer.css`, behind the tokens that all of them share."""
    folder = files("referee.site") / "assets"
    return b"\n".join((folder / one).read_bytes() for one in (TOKENS, name))


@cache
def viewer_script() -> bytes:
    """The viewer as one classic script."""
    folder = files("referee.site") / "assets" / "viewer"
    return joined(FIRST, lambda name: (folder / name).read_text(encoding="utf-8")).encode()


def joined(first: str, read: Callable[[str], str]) -> str:
    """The modules that `first` needs, each after those that it imports, as one script.

    `read` gives a module's text by its file name. Raises NotJoined, which names the file and the line.
    """
    ordered: dict[str, str] = {}
    _add(first, read, ordered, waiting=())
    _check_names(ordered)
    body = "\n".join(f"// {name}\n{text.strip()}\n" for name, text in ordered.items())
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def _add(name: str, read: Callable[[str], str], ordered: dict[str, str], waiting: tuple[str, ...]) -> None:
    """Add a module behind those that it imports."""
    if name in ordered:
        return
    if name in waiting:
        raise NotJoined(f"{name}: imports itself, by way of {', '.join(waiting)}")
    lines = []
    for number, line in enumerate(read(name).splitlines(), 1):
        if found := _IMPORT.fullmatch(line):
            _add(found["file"], read, ordered, (*waiting, name))
            continue
        kept = _EXPORT.sub("", line) if line.startswith("export ") else line
        if kept.startswith(("import ", "import{", "export ", "export{")) or "import.meta" in kept:
            raise NotJoined(f"{name}:{number}: expected an import of names or an export of a declaration: {line}")
        if "</script" in kept.lower():
            raise NotJoined(f"{name}:{number}: a script within a page must not hold {line.strip()}")
        lines.append(kept)
    ordered[name] = "\n".join(lines)


def _check_names(modules: Mapping[str, str]) -> None:
    """Modules have names of their own; in one script they would meet."""
    owner: dict[str, str] = {}
    for name, text in modules.items():
        for line in text.splitlines():
            found = _DECLARED.match(line)
            if found and owner.setdefault(found[1], name) != name:
                raise NotJoined(f"{name}: {found[1]} is also declared in {owner[found[1]]}; give one another name")
