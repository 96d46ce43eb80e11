"""A page of commands is held against what they print now: which differences count, and how it is written anew."""

import os
from pathlib import Path

import pytest
from page_commands import as_now, blocks, is_told, run

PAGE = """\
# Counting

```sh
cat >three <<'END'
1
2
END
mkdir -p below && cd below
```

Then:

```sh
wc -l ../three
false  # exit code 1
```

```
2 ../three
```

```toml
what = "is no command"
```
"""


def outputs(page: str, home: Path) -> list[str]:
    env, folder, told = {"PATH": os.environ["PATH"], "HOME": str(home)}, home, []
    for block in blocks(page):
        done = run(block.commands, folder, env, timeout_s=60)
        assert done.code == block.code
        folder = done.folder
        told.append(done.output)
    return told


def test_a_page_that_tells_what_is_printed_stays_as_it_is(tmp_path: Path) -> None:
    assert as_now(PAGE, outputs(PAGE, tmp_path)) == PAGE
    assert [block.line for block in blocks(PAGE)] == [4, 14]


def test_what_has_changed_is_written_anew(tmp_path: Path) -> None:
    changed = PAGE.replace("wc -l", "head -1").replace("\n2 ../three\n", "\n2 ../three\nand more\n")
    as_it_is = PAGE.replace("wc -l", "head -1").replace("\n2 ../three\n", "\n1\n")

    assert as_now(changed, outputs(changed, tmp_path)) == as_it_is


@pytest.mark.parametrize(
    ("page", "printed", "as_it_is"),
    [
        ("```sh\nx\n```\n\nText\n", "loud\n", "```sh\nx\n```\n\n```\nloud\n```\n\nText\n"),
        ("```sh\nx\n```\n\n```\nloud\n```\n", "", "```sh\nx\n```\n\n"),
    ],
    ids=["commands that print more", "commands that print no more"],
)
def test_a_block_of_output_comes_and_goes(page: str, printed: str, as_it_is: str) -> None:
    assert as_now(page, [printed]) == as_it_is


@pytest.mark.parametrize(
    ("told", "now", "same"),
    [
        ("built in 1.2 s, 14 MB", "built in 12 s, 9.5 MB", True),
        ("built in 1.2 s", "built in 1.2 min", False),
        ("digest " + "0a" * 32, "digest " + "1b" * 32, True),
        ("checked 2026-11-23 at 04:51:07", "checked 2027-01-02 at 04:51:07", True),
        ("ann  1e73701f8278  pass   30 of 1000  17  cactus", "ann  1e73701f8279  pass   8.9 of 1000  -  par-3", True),
        ("ann  1e73701f8278  pass   30 of 1000  17  cactus", "ann  1e73701f8278  FAIL   30 of 1000  17  cactus", False),
        ('{"type":"answer","id":"f1vq-sM52qOB"}', '{"type":"answer","id":"G3vB4Hdxb3TX"}', True),
        ("answers/20261123-052108-0-ann.txt", "answers/20270101-000000-12-ann.txt", True),
        ("golfref 0.7.0, Linux 6.1.0 x86_64", "golfref 0.9.0rc1, Linux 6.12-arch aarch64", True),
        ("name   time\n-----  ----\nann    1 ms", "name  time\n----  -----\nann   100 ms", True),
        ("440 matches, 0.75", "441 matches, 0.75", False),
        ("440 matches, 0.75", "440 matches, 0.76", False),
        ("first\n...\nlast", "first\nlast\nmiddle\nlast", True),
        ("first\n...\nlast", "first\nmiddle", False),
        ("first\n...\nlast", "before\nfirst\nlast", False),
        ("first\nmore", "first", False),
        ("all ... holds", "all that there is holds", False),
    ],
)
def test_only_figures_that_nobody_can_foretell_may_be_others(told: str, now: str, same: bool) -> None:
    assert is_told(told.splitlines(), now.splitlines()) is same
