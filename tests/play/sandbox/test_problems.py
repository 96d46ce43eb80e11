"""A file that is there and cannot be started: golfref says why before it tries, in the same words for every command."""

import sys
from pathlib import Path

import pytest

from referee.play.sandbox import problems
from referee.play.sandbox.problems import find_problem
from referee.play.spec import BotSpec

pytestmark = pytest.mark.isolation

HERE = Path(sys.executable).read_bytes()[: 1 << 20]
"""The beginning of a program of this machine."""

ELF = pytest.mark.skipif(HERE[:4] != b"\x7fELF", reason="programs of this system are not in the format ELF")

PROBLEMS = {
    b"": "`./bot` is empty",
    b"#!/bin/sh\r\nexec cat\r\n": "`./bot` names the interpreter `/bin/sh` and a carriage return after it; save it",
    b"#!/bin/sh\rexec cat\r": "`./bot` names the interpreter `/bin/sh` and a carriage return after it",
    b"#!/usr/bin/env sh\r\n": "`./bot` names the interpreter `/usr/bin/env sh` and a carriage return after it",
    b"#!/no/such\n": "`./bot` names the interpreter `/no/such`, which is not there; install it, or name the",
    b"#!/no/sh\n": "`./bot` names the interpreter `/no/sh`, which is not there; `#!/usr/bin/env sh` finds another one",
    b"#!sh\n": "`./bot` names the interpreter `sh`, which is not there in the bot's folder",
    b"#!/usr/bin/env no-such-thing\n": "`./bot` names the interpreter `no-such-thing`, which is not on the PATH",
    b"#!/usr/bin/env -S A=b no-such-thing -u\n": "`./bot` names the interpreter `no-such-thing`, which is not on",
    b"#!/usr/bin/env sh -e\n": "`./bot` hands `sh -e` to /usr/bin/env as one word; write `#!/usr/bin/env -S sh -e`",
    b"#!\n": "`./bot` names no interpreter after `#!`",
    b"\xef\xbb\xbf#!/bin/sh\n": "`./bot` has a byte order mark before `#!`",
    "#!/bin/sh\n".encode("utf-16"): "`./bot` is a text in UTF-16",
    "#!/bin/sh\n".encode("utf-16-le"): "`./bot` is a text in UTF-16",
    b"print('plays')\n": "`./bot` is a script that does not begin with a `#!` line",
    b"MZ\x90\0": "`./bot` is a program for Windows, and this machine is ",
    b"PK\3\4\0": "`./bot` is an archive, and no program; start a jar by `java -jar`",
    b"\0asm\1\0\0\0": "`./bot` is no program that ",
}


@pytest.fixture(autouse=True)
def plain_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that runs nothing but its own programs."""
    monkeypatch.setattr(problems, "_EMULATORS", ())


def problem_of(folder: Path, content: bytes) -> str | None:
    (folder / "bot").write_bytes(content)
    (folder / "bot").chmod(0o755)
    return find_problem(BotSpec(name="a", command=("./bot",), dir=str(folder), env={}), "limits")


@pytest.mark.parametrize("content", PROBLEMS, ids=repr)
def test_what_keeps_a_file_from_being_started_is_said(tmp_path: Path, content: bytes) -> None:
    assert (problem_of(tmp_path, content) or "").startswith(PROBLEMS[content])


@ELF
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            HERE[:18] + (9999).to_bytes(2, sys.byteorder) + HERE[20:],
            "`./bot` is a program for Linux on another machine",
        ),
        (HERE.replace(b"\0/lib", b"\0/nil", 1), "`./bot` needs the loader `/nil"),
        (b"\xcf\xfa\xed\xfe\7\0\0\1", "`./bot` is a program for macOS, and this machine is Linux on "),
    ],
    ids=["another machine", "another loader", "another system"],
)
def test_a_program_for_another_machine_is_named_so(tmp_path: Path, content: bytes, problem: str) -> None:
    assert (problem_of(tmp_path, content) or "").startswith(problem)


@ELF
def test_every_damage_of_a_program_is_survived(tmp_path: Path) -> None:
    for place in range(4, 1024, 7):
        problem_of(tmp_path, HERE[:place] + b"\xff\xff\xff" + HERE[place + 3 : place + 4096])


@pytest.mark.parametrize("content", [HERE, b"#!/bin/sh -e\n", b"#! /usr/bin/env sh\n", b"#!/usr/bin/env -S sh -e\n"])
def test_what_can_be_started_has_no_problem(tmp_path: Path, content: bytes) -> None:
    assert problem_of(tmp_path, content) is None


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    bot = BotSpec(name="a", command=("./bot",), dir=str(tmp_path), env={})
    assert find_problem(bot, "limits") == "`./bot` is a folder; name the program in it"
