"""What machines are told of `golfref tournament`: `--progress` writes it as JSON lines, and hooks are run with it."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from referee.commands.console import listening, say
from referee.competition.happenings import End, Happening, Note, safe_lines
from referee.competition.hooks import RunningHooks
from referee.competition.outflow import Outflow
from referee.competition.reporting import tell_again
from referee.tournament.config.config import Config
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import extent_of
from referee.tournament.store.store import Store

JSON = "json"
"""The word of `--progress` that turns stderr into JSON lines; after it and a colon a file can be named."""

LAST_PATIENCE_S = 10.0
"""At the end a reader has so long for the lines that it has not read."""

_STRAYS_PATIENCE_S = 1.0
"""What a dying process of ours still writes to stderr is read for so long at the end."""


class BadProgress(Exception):
    """What `--progress` says cannot be done. The text says why."""


class Machines:
    """Whoever is told what happens in a run. There may be nobody."""

    def __init__(self, lines: Outflow | None, *, is_stderr: bool) -> None:
        """`lines` is where `--progress` wants them; `is_stderr` says whether that takes the place of all words."""
        self.replaces_words = is_stderr
        self._lines, self._hooks = lines, list[RunningHooks]()

    @property
    def listen(self) -> bool:
        """Whether there is anybody to be told of matches."""
        return self._lines is not None or bool(self._hooks)

    def start_hooks(self, config: Config, store: Path) -> None:
        """Start the process that runs the hooks of this config, where it has any. Raises HooksRefused."""
        if config.hooks.commands:
            self._hooks.append(RunningHooks(config, store, say))

    def put(self, happening: Happening) -> None:
        """Tell what happened. Returns at once."""
        if self._lines is not None:
            self._lines.put(happening)
        for hooks in self._hooks:
            hooks.put(happening)

    def go_on(self, store: Store, planned: int) -> None:
        """Tell hooks what they were not told before the run went on, because it was killed. Raises HooksRefused."""
        for hooks in self._hooks:
            if (cursor := hooks.go_on(store)) is not None:
                tell_again(hooks.put, store, planned, cursor)

    def note(self, text: str) -> None:
        """Tell what was said in words. Hooks are not told."""
        if self._lines is not None:
            self._lines.put(Note(text=safe_lines(text)))

    def end(self, code: int, why: str, path: Path) -> None:
        """Tell that the command ends, and give hooks a bounded time."""
        if not self.listen:
            return
        played, planned = _so_far(path)
        store = None if played is None else str(path.absolute())
        end = End(code=code, why=safe_lines(why), store=store, played=played, planned=planned)
        for hooks in self._hooks:
            hooks.finish(end)
        if self._lines is not None:
            self._lines.put(end)

    def close(self) -> None:
        """End the hooks, and write the last lines."""
        for hooks in self._hooks:
            hooks.close()
        if self._lines is None:
            return
        self._lines.finish(LAST_PATIENCE_S)
        if not self.replaces_words and (self._lines.problem or self._lines.left_out):
            why = self._lines.problem or "its reader is too slow"
            say(f"note: --progress: {self._lines.left_out} lines could not be written: {why}")


@contextlib.contextmanager
def machines(progress: str | None) -> Iterator[Machines]:
    """Whoever is told what happens, as `--progress` says; they are closed after the block. Raises BadProgress."""
    kind, colon, file = (progress or "").partition(":")
    if progress is not None and (kind != JSON or bool(colon) != bool(file)):
        raise BadProgress(f"--progress: expected json or json:FILE, got {progress!r}")
    with contextlib.ExitStack() as stack:
        if progress is None:
            told = Machines(None, is_stderr=False)
        elif file:
            told = Machines(Outflow(stack.enter_context(_file(file))), is_stderr=False)
        else:
            told = Machines(Outflow(stack.enter_context(_own_stderr())), is_stderr=True)
            stack.enter_context(_strays(told))
        stack.callback(told.close)
        if progress is not None:
            stack.enter_context(listening(told.note, also_words=not told.replaces_words))
        yield told


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


@contextlib.contextmanager
def _own_stderr() -> Iterator[int]:
    """A descriptor of what stderr is now."""
    fd = os.dup(2)
    try:
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def _strays(told: Machines) -> Iterator[None]:
    """Turn into notes what anything else writes to stderr during the block, such as a worker that dies."""
    before = os.dup(2)
    reading, writing = os.pipe()
    os.dup2(writing, 2)
    os.close(writing)

    def read() -> None:
        begun = b""
        while data := os.read(reading, 1 << 16):
            *lines, begun = (begun + data).split(b"\n")
            for line in filter(None, lines):
                told.note(line.decode("utf-8", "replace"))
            if len(begun) > 1 << 16:
                begun = b""
        if begun:
            told.note(begun.decode("utf-8", "replace"))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        thread.join(_STRAYS_PATIENCE_S)


def _so_far(path: Path) -> tuple[int | None, int | None]:
    """How many matches of the run are there, and how many its plan has. None where that cannot be told."""
    with contextlib.suppress(StoreError), contextlib.closing(Store.open(path)) as store:
        return len(store.numbers()), extent_of(store).planned
    return None, None
