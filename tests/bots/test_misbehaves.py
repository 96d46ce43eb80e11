"""The page for authors whose bot misbehaves shows what the commands print."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from commands import golfref

from referee.reports.faults import PAGE

LEFT_OUT = "..."


def examples() -> Iterator[tuple[str, str]]:
    """Each command of the page with what the page says that it prints."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for said in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = said.partition("\n")
            yield command, output


def pattern(output: str) -> str:
    """What the output may be: a line of `...` stands for any lines, `...` in a line for any text of it."""
    lines = [
        r"(?:.*\n)*?" if line == LEFT_OUT else ".*?".join(map(re.escape, line.split(LEFT_OUT))) + r"\n"
        for line in output.splitlines()
    ]
    return "".join(lines)


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    programs = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    mine, repair = programs
    (tmp_path / "mine.py").write_text(mine)
    of_match = re.compile(r'    elif message\["type"\] == "match":\n.*\n')
    (tmp_path / "fixed.py").write_text(
        of_match.sub("", mine).replace("        offers = ", f"{repair}        offers = ")
    )
    folder = os.path.dirname(sys.executable)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/golfref").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m referee "$@"\n')
    (tmp_path / "bin/golfref").chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path / 'bin'}:{folder}:{os.environ['PATH']}"}

    found = list(examples())
    for command, output in found:
        said = printed(command, tmp_path, env)
        assert re.fullmatch(pattern(output), said), f"$ {command}\n{said}"
    assert len(found) >= 6


def printed(command: str, folder: Path, env: dict[str, str]) -> str:
    """What a command prints on both outputs; what only reads is called in this process."""
    if re.match("golfref (replay|transcript)[^|]*$", command):
        return golfref(*shlex.split(command)[1:], cwd=folder)[0]
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout
