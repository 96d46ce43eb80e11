"""Where the events of `golfref tournament` go: `--progress` writes them as JSON lines, and hooks are run with them."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from referee.commands.console import listening, say
from referee.errors import GolfrefError
from referee.events.events import End, Event, Note, safe_lines
from referee.events.hooks import Hooks
from referee.events.writer import NonBlockingWriter
from referee.tournament.config.config import Config
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import extent_of
from referee.tournament.store.store import Store

LAST_PATIENCE_S = 10.0
"""At the end a reader has so long for the lines that it has not read."""


class BadProgress(GolfrefError):
    """What `--progress` says cannot be done. The text says why."""


class EventSink:
    """Takes the events of a run, and passes them to the lines of `--progress` and to hooks. There may be neither."""

    def __init__(self, lines: NonBlockingWriter | None) -> None:
        """`lines` is what `--progress` names."""
        self._lines = lines
        self._hooks: Hooks | None = None

    @property
    def is_used(self) -> bool:
        """True if any event goes anywhere."""
        return self._lines is not None or self._hooks is not None

    def start_hooks(self, config: Config, store: Path) -> None:
        """Start the process that runs the hooks of this config, where it has any. Raises HooksRefused."""
        if config.hooks.commands:
            self._hooks = Hooks(config, store, say)

    def put(self, event: Event) -> None:
        """Pass an event on. Returns at once."""
        if self._lines is not None:
            self._lines.put(event)
        if self._hooks is not None:
            self._hooks.put(event)

    def catch_up(self, store: Store, planned: int) -> None:
        """Send hooks what they missed before the run went on. Raises HooksRefused and StoreError."""
        if self._hooks is not None:
            self._hooks.catch_up(store, planned)

    def note(self, text: str) -> None:
        """Write a line about what was printed in words. It goes to no hook."""
        if self._lines is not None:
            self._lines.put(Note(text=safe_lines(text)))

    def end(self, code: int, why: str, path: Path) -> None:
        """Send that the command ends, and give hooks a bounded time."""
        if not self.is_used:
            return
        played, planned = _so_far(path)
        store = None if played is None else str(path.absolute())
        end = End(code=code, why=safe_lines(why), store=store, played=played, planned=planned)
        if self._hooks is not None:
            self._hooks.finish(end)
        if self._lines is not None:
            self._lines.put(end)

    def close(self) -> None:
        """End the hooks, and write the last lines."""
        if self._hooks is not None:
            self._hooks.close()
        if self._lines is None or (self._lines.finish(LAST_PATIENCE_S) and not self._lines.left_out):
            return
        why = self._lines.problem or "its reader is too slow"
        missing = self._lines.left_out + self._lines.waiting
        say(f"note: --progress: {missing} lines could not be written: {why}")


@contextlib.contextmanager
def event_sink(progress: str | None) -> Iterator[EventSink]:
    """The sink for what `--progress` names; it is closed after the block. Raises BadProgress."""
    file = None if progress is None else progress.removeprefix("json:")
    if file in ("", "json"):
        raise BadProgress("--progress: expected a file or a pipe, as --progress run.jsonl; stderr has words for people")
    with contextlib.ExitStack() as stack:
        lines = None if file is None else NonBlockingWriter(stack.enter_context(_file(file)))
        sink = EventSink(lines)
        stack.callback(sink.close)
        if lines is not None:
            stack.enter_context(listening(sink.note))
        yield sink


@contextlib.contextmanager
def _file(name: str) -> Iterator[int]:
    """A descriptor that writes to the end of a file, or to a pipe that somebody reads."""
    try:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
    except (OSError, ValueError) as error:
        raise BadProgress(f"--progress: {name} cannot be written: {getattr(error, 'strerror', error)}") from None
    try:
        yield fd
    finally:
        os.close(fd)


def _so_far(path: Path) -> tuple[int | None, int | None]:
    """How many matches of the run are there, and how many its plan has. None where that cannot be read."""
    with contextlib.suppress(StoreError), contextlib.closing(Store.open(path)) as store:
        return len(store.numbers()), extent_of(store).planned
    return None, None
