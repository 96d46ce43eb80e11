"""A page of commands is held against what they print now: which differences count, and how it is written anew."""

import os
from pathlib import Path

import pytest
from told_pages import as_now, blocks, is_told, run

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


def test_commands_that_print_where_the_page_tells_nothing_get_a_block(tmp_path: Path) -> None:
    silent = "```sh\necho loud\n```\n\nText\n"

    assert as_now(silent, outputs(silent, tmp_path)) == "```sh\necho loud\n```\n\n```\nloud\n```\n\nText\n"


def test_a_block_goes_when_nothing_is_printed_any_more() -> None:
    assert as_now("```sh\ntrue\n```\n\n```\nloud\n```\n", [""]) == "```sh\ntrue\n```\n\n"


@pytest.mark.parametrize(
    ("told", "now"),
    [
        ("built in 1.2 s, 14 MB", "built in 12 s, 9.5 MB"),
        ("digest " + "0a" * 32, "digest " + "1b" * 32),
        ("checked 2026-11-23 at 04:51:07", "checked 2027-01-02 at 04:51:07"),
        ("checked 2026-11-23 04:51:07 UTC", "checked 2027-01-02 14:00:59 UTC"),
        ("ann  1e73701f8278  pass   30 of 1000  17  cactus", "ann  1e73701f8279  pass   8.9 of 1000  -  par-3"),
        ('{"type":"answer","id":"f1vq-sM52qOB"}', '{"type":"answer","id":"G3vB4Hdxb3TX"}'),
        ("answers/20261123-052108-0-ann.txt", "answers/20270101-000000-12-ann.txt"),
        ("golfref 0.7.0, Linux 6.1.0 x86_64", "golfref 0.9.0rc1, Linux 6.12-arch aarch64"),
        ("name   time\n-----  ----\nann    1 ms", "name  time\n----  -----\nann   100 ms"),
        ("first\n...\nlast", "first\nlast"),
        ("first\n...\nlast", "first\nlast\nmiddle\nlast"),
        ("...", "anything"),
    ],
)
def test_figures_that_nobody_can_foretell_may_be_others(told: str, now: str) -> None:
    assert is_told(told.splitlines(), now.splitlines())


@pytest.mark.parametrize(
    ("told", "now"),
    [
        ("built in 1.2 s", "built in 1.2 min"),
        ("ann  0.75", "ann  0.76"),
        ("440 matches", "441 matches"),
        ("ann  1e73701f8278  pass   30 of 1000  17  cactus", "ann  1e73701f8278  FAIL   30 of 1000  17  cactus"),
        ("first\n...\nlast", "first\nmiddle"),
        ("first\n...\nlast", "before\nfirst\nlast"),
        ("first", "first\nmore"),
        ("first\nmore", "first"),
        ("all ... holds", "all that there is holds"),
    ],
)
def test_everything_else_counts(told: str, now: str) -> None:
    assert not is_told(told.splitlines(), now.splitlines())


@pytest.mark.parametrize(
    ("now", "written"),
    [
        ("took 7 s\nann 2\nx\nbea 2\ntook 8 s\nend", "took 1 s\nann 2\n...\nbea 2\ntook 2 s\nend"),
        ("took 7 s\nann 1\nx\nbea 3\ntook 8 s", "took 1 s\nann 1\n...\nbea 3\ntook 2 s"),
        ("took 7 s\nann 2\nx\ny\nbea 3\ntook 8 s", "took 1 s\nann 2\n...\nbea 3\ntook 2 s"),
        ("all is new", "all is new"),
    ],
)
def test_only_the_lines_that_differ_are_written_anew(now: str, written: str) -> None:
    page = "```sh\nx\n```\n\n```\n{}\n```\n"

    before = page.format("took 1 s\nann 1\n...\nbea 2\ntook 2 s")

    assert as_now(before, [f"{now}\n"]) == page.format(written)
