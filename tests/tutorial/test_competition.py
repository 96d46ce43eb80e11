"""The tutorial of a competition: all of its commands, in real shells, with the compilers of all of its entries."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from golden import Golden
from needs import lacking, need_cells_for_strangers, need_tools
from page_commands import as_now, blocks, run

from referee.bot_tools.starters import find_starter

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "tournaments" / "competition" / "README.md"
LANGUAGES = ("c", "go", "java", "javascript", "lua", "perl", "python", "ruby")
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
"""Where Debian's compilers are, and nothing that is one user's."""

HOME = "/home/you"
"""What the page calls the organiser's home."""

PATIENCE_S = 300.0
"""Commands that take longer have hung, on a host with a lot else to do too."""

pytestmark = pytest.mark.toolchain


@pytest.fixture
def home(mark: dict[str, str]) -> Iterator[dict[str, str]]:
    """The environment of an organiser whose home is empty, and who has installed golfref as pipx does."""
    with TemporaryDirectory(prefix="golfref-test-") as folder:  # pytest's are closed to other users
        home = Path(folder, "home")
        commands = Path(folder, "bin")
        home.mkdir()
        commands.mkdir()
        (commands / "golfref").symlink_to(Path(sys.executable).with_name("golfref"))
        Path(folder).chmod(0o755)
        yield {
            "HOME": str(home),
            "PATH": f"{commands}:{SYSTEM}",
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",  # what is printed comes in the order in which a terminal shows it
            "GOLFREF": str(ROOT),
            **mark,
        }


@pytest.mark.timeout(900)  # an evening with builds in five languages
def test_every_command_prints_what_the_page_says(home: dict[str, str], golden: Golden) -> None:
    need_cells_for_strangers()
    for language in LANGUAGES:
        need_tools(find_starter(language))
    if shutil.which("ssh-keygen", path=SYSTEM) is None:
        lacking("ssh-keygen is not installed: apt-get install openssh-client")
    page = PAGE.read_text(encoding="utf-8")
    folder, printed = Path(home["HOME"]), []
    for block in blocks(page):
        told = run(block.commands, folder, home, PATIENCE_S)
        if told.code != block.code:
            pytest.fail(
                f"{PAGE}:{block.line}: these commands end with exit code {told.code}, and by the page with "
                f"{block.code}. They print:\n{told.output}",
                pytrace=False,
            )
        folder = told.folder
        printed.append(told.output.replace(home["HOME"], HOME))
    golden.check(PAGE, as_now(page, printed).encode())
