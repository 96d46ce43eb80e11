"""The process that keeps the site of a run current while another one plays it.

It is told by its standard input: a byte says that the run is over, and asks for a last build; the end of the input says
that whoever plays is gone, and ends this process. What became of the site it tells on standard output, when it ends. A
build that fails, for whatever reason, is tried again, for the next one may succeed.
"""

import os
import sys
import threading
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.play.sandbox.low_priority import lower_priority
from referee.site.building import Built, Matches, SiteBuilder
from referee.site.folder import site_folder
from referee.site.following import follow
from referee.site.refusals import SiteRefused
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.site.live import main; main()"
"""What the interpreter is told to run, with the folder of this installation, the store and the site's folder."""

LAST_BUILD = b"!"
"""The byte that asks for a last build."""

PATIENCE_S = 60.0
"""After a build that failed, such as on a full disk, it waits for so long before it tries again."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of the site."""

    built: Built | None = None
    """The last build. None where there was none."""
    problem: str = ""
    """Why the site is not up to date; empty where it is, and where nobody asked for a last build."""


class _Ended(Exception):
    """Nobody wants this build any more."""


class _Wanted:
    """What is wanted of this process, as its input tells."""

    def __init__(self) -> None:
        self.last_build = threading.Event()
        """Whether live builds are over."""
        self.is_gone = False
        """Whether nobody wants anything any more."""
        threading.Thread(target=self._listen, daemon=True).start()

    def check(self) -> None:
        """Raise _Ended where the build that goes on is not wanted."""
        if self.is_gone or (self.last_build.is_set() and threading.current_thread() is not threading.main_thread()):
            raise _Ended

    def _listen(self) -> None:
        while os.read(0, 1):
            self.last_build.set()
        self.is_gone = True
        self.last_build.set()


def main() -> None:
    """Keep the site current until the input says that the run is over, or ends."""
    outcome = keep_current(Path(sys.argv[2]), Path(sys.argv[3]), _Wanted())
    sys.stdout.buffer.write(msgspec.json.encode(outcome))


def keep_current(store: Path, out: Path, wanted: _Wanted) -> Outcome:
    """Build live in a thread that gives way to everything, and the last time in this one, which does not."""
    try:
        with closing(Store.open(store)) as opened:
            meta = opened.meta()
        with site_folder(out, meta.config.name, meta.commitment) as folder:
            builder = SiteBuilder(store, folder, Matches(), wanted.check)
            live = threading.Thread(target=_live, args=(builder, store, wanted))
            live.start()
            wanted.last_build.wait()
            live.join()
            if wanted.is_gone:
                builder.calm()
                return Outcome()
            return Outcome(built=builder.build(is_live=False, is_played=False))
    except _Ended:
        return Outcome()
    except (StoreError, SiteRefused) as error:
        return Outcome(problem=str(error))
    except Exception as error:
        return Outcome(problem=f"{out}: the site could not be made ({type(error).__name__}: {error})")


def _live(builder: SiteBuilder, store: Path, wanted: _Wanted) -> None:
    """Build again and again until the last build is asked for, which says what is wrong if anything still is."""
    lower_priority()
    while not wanted.last_build.is_set():
        try:
            follow(builder, store, wanted.last_build.wait)
            return
        except _Ended:
            return
        except (StoreError, SiteRefused):
            wanted.last_build.wait(PATIENCE_S)
        except Exception:
            builder.forget()
            wanted.last_build.wait(PATIENCE_S)
