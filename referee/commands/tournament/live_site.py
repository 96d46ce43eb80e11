"""The site of a tournament while it is played: a process beside it makes the pages, and never stops it from playing."""

import contextlib
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

import referee
from referee.commands.console import say
from referee.commands.match.record_file import old_name
from referee.commands.runs.site import check_apart, in_words, problem
from referee.errors import GolfrefError
from referee.play.process import orphans
from referee.site.folder import SiteRefused, check_folder, commitment_of

ANSWER_S = 10.0
"""How long the process may take to end when nobody wants it any more."""


def check_site(out: Path, store: Path, commitment: str, *, fresh: bool) -> None:
    """Raise SiteRefused where the site of this run cannot be kept current there: before anything is played.

    With `fresh` the site of another run may be there, which is moved out of the way when the run begins.
    """
    if why := problem():
        raise SiteRefused(f"--site: {why}")
    try:
        check_apart(store, out)
        check_folder(out, None if fresh else commitment)
    except SiteRefused as error:
        error.args = (f"--site: {error}",)
        raise


@contextlib.contextmanager
def kept_current(out: Path, store: Path, commitment: str) -> Iterator["LiveSite"]:
    """The site of a run while it is played. Its process is gone after the block."""
    if commitment_of(out) not in (None, commitment):
        old = old_name(out)
        try:
            out.rename(old)
        except OSError as error:
            raise SiteRefused(
                f"--site: {out}: cannot be renamed to {old}: {error.strerror}; name another folder"
            ) from None
        say(f"note: the old {out} is now {old}")
    site = LiveSite(store, out)
    try:
        yield site
    finally:
        site.end()


class LiveSite:
    """A site that is kept current by a process of its own."""

    def __init__(self, store: Path, out: Path) -> None:
        """Start the process. The store must be there."""
        from referee.site.live import START  # noqa: PLC0415 - it needs jinja2

        self._store, self._out = store, out
        root = str(Path(referee.__file__).resolve().parent.parent)
        command = [sys.executable, "-P", "-c", START, root, str(store), str(out)]
        try:
            self._process = Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)
        except OSError as error:
            raise SiteRefused(f"the host cannot start a process that makes the site: {error.strerror}") from None
        orphans.register(self._process.pid)

    def finish(self) -> None:
        """Build a last time, and print what the site holds; or why it is not up to date, which ends nothing."""
        from referee.site.building import site_builder  # noqa: PLC0415 - it needs jinja2

        begun_s = time.monotonic()
        say(f"bringing the site in {self._out} up to date")
        self._process.terminate()
        self.end()
        try:
            with site_builder(self._store, self._out) as builder:
                built = builder.build(is_live=False, is_played=False)
            say(*in_words(built, self._out, time.monotonic() - begun_s))
        except Exception as error:
            why = str(error) if isinstance(error, GolfrefError) else f"{type(error).__name__}: {error}"
            again = shlex.join(["golfref", "site", str(self._store), "-o", str(self._out)])
            say(
                f"golfref: --site: {why}",
                f"  all results are stored, and this makes the site of them: {again}",
            )

    def end(self) -> None:
        """Let the process end. It sees the end of its input."""
        with self._process:
            if self._process.stdin is not None:
                self._process.stdin.close()
            try:
                self._process.wait(ANSWER_S)
            except TimeoutExpired:
                self._process.kill()
        orphans.unregister(self._process.pid)
