"""Pages that tell commands with what they print: the commands are run, and what they print is held against the page.

A block of commands begins with ```sh, and a block without a language that follows it at once is what they print, on
standard output and standard error; without one they print nothing. A comment `# exit code N` in the commands says how
the last of them ends, else that is 0. In what is printed

- a line `...` stands for any lines, also for none;
- figures that differ from run to run and from machine to machine, all that MEASURED lists, may be others;
- spaces count as one, and a rule of dashes as one dash, because columns are as wide as their figures.

A block that is not what the commands print now is written anew as they print it.
"""

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

_FENCE = "```"
_LEFT_OUT = "..."

MEASURED: tuple[tuple[str, str], ...] = (
    (r"\b[0-9a-f]{12,64}\b", "HEX"),  # versions, digests, keys
    (r"\bSHA256:[A-Za-z0-9+/]{43}", "SHA256:BASE64"),  # fingerprints of ssh-keygen
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d[:-]?\d\d(?:[:-]?\d\d)?)?(?: ?UTC|Z|[+-]\d\d:?\d\d)?", "DATE"),
    (r"\b\d{8}-\d{6}-\d+\b", "ID"),  # submissions
    (r"\b(golfref|Python|Linux) \d\S*(?: x86_64| aarch64| arm64)?", r"\1 VERSION"),
    (r", above 100 ms in \d+ of \d+ matches", ""),
    (r"\b\d[\d,.]* ?(us|ms|s|min|h|bytes|kB|MB|GB)\b", r"N \1"),
    (r'"id":"[\w-]{12}"', '"id":"ID"'),  # of requests
    (
        r"(?:\d[\d.]*|-) of (\d+) +(?:\d+|-) +\S+$",
        r"N of \1 N GAME",
    ),  # the slowest answer of a check, memory, and the game
    (r"-{2,}", "-"),
    (r"\s+", " "),
)
"""What may differ, as regular expressions with what stands for it in a comparison."""


class Block(Struct, frozen=True, kw_only=True):
    """Commands of a page, and what they print by the page."""

    line: int
    """The line of the page, from 1, at which the commands begin."""
    commands: str
    code: int
    """The exit code with which they end."""
    printed: tuple[str, ...]
    start: int
    """The line of the page, from 0, at which what they print begins, with its fence; where nothing stands, would."""
    stop: int
    """The line behind it."""


class Told(Struct, frozen=True, kw_only=True):
    """What came of a block's commands."""

    output: str
    code: int
    folder: Path
    """Where the shell was in the end."""


def blocks(page: str) -> list[Block]:
    """All blocks of commands of a page, in their order."""
    lines = page.splitlines()
    found, fences = [], list(_fences(lines))
    for number, (begin, end) in enumerate(fences):
        if lines[begin] != f"{_FENCE}sh":
            continue
        start, stop = end + 1, end + 1
        if number + 1 < len(fences):
            after, close = fences[number + 1]
            if lines[after] == _FENCE and not any(lines[end + 1 : after]):
                start, stop = after, close + 1
        commands = "\n".join(lines[begin + 1 : end])
        code = re.search(r"# exit code (\d+)", commands)
        found.append(
            Block(
                line=begin + 2,
                commands=commands,
                code=int(code[1]) if code else 0,
                printed=tuple(lines[start + 1 : stop - 1]),
                start=start,
                stop=stop,
            )
        )
    return found


def run(commands: str, folder: Path, env: Mapping[str, str], timeout_s: float) -> Told:
    """Give the commands to a shell that ends at the first one that fails. `env` is all of its environment."""
    with_place = f"trap 'pwd >\"$HOME/.place\"' EXIT\n{commands}"
    done = subprocess.run(
        ["bash", "-euc", with_place],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=timeout_s,
    )
    place = Path(env["HOME"], ".place").read_text(encoding="utf-8").rstrip("\n")
    return Told(output=done.stdout.decode(errors="backslashreplace"), code=done.returncode, folder=Path(place))


def as_now(page: str, outputs: Sequence[str]) -> str:
    """The page with what each of its blocks prints now. It is the same page if nothing has changed."""
    lines = page.splitlines()
    for block, output in reversed(list(zip(blocks(page), outputs, strict=True))):
        now = output.splitlines()
        if is_told(block.printed, now):
            continue
        told = ["", _FENCE, *now, _FENCE] if now else []
        lines[block.start : block.stop] = told[1:] if block.start < block.stop else told
    return "\n".join(lines) + "\n"


def is_told(printed: Iterable[str], now: Iterable[str]) -> bool:
    """Whether these lines of a page stand for what is printed now."""
    parts = (r"(?:.*\n)*?" if line == _LEFT_OUT else re.escape(_plain(line) + "\n") for line in printed)
    return re.fullmatch("".join(parts), "".join(_plain(line) + "\n" for line in now)) is not None


def _plain(line: str) -> str:
    """The line without what differs from run to run."""
    for pattern, stands_for in MEASURED:
        line = re.sub(pattern, stands_for, line)
    return line.strip()


def _fences(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines, from 0, at which each block of a page begins and ends."""
    places = [number for number, line in enumerate(lines) if line.startswith(_FENCE)]
    return zip(places[::2], places[1::2], strict=True)
