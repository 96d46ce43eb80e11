"""check CONFIG: the conformance check of a whole competition, with one table, and a letter for each author."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.bot_check.report import counted
from referee.commands.console import put, put_json, say, screen_width
from referee.commands.interrupt import Signals
from referee.competition.builder import builder_for
from referee.competition.check_table import Row, as_json, lines_of, verdict_of
from referee.competition.checks import OneBot, check_bots
from referee.competition.letters import file_names, folder_for, letter
from referee.ending_signals import Interrupted
from referee.errors import CHECK_FAILED, DONE, HOST_FAILED, CommandError
from referee.new_file import NotWritten, new_file
from referee.play.sandbox.levels import check_cells
from referee.reports.tables.figures import duration
from referee.reports.tables.layout import wrapped
from referee.tournament.config.bots import BotEntry, BrokenEntry
from referee.tournament.config.config import Config, ConfigError, check_ready, survey
from referee.versions.ready import NotReady


class ConfigCheck(Struct, frozen=True, kw_only=True):
    """What `golfref check CONFIG` is asked to do."""

    config: Path
    bots: Sequence[str]
    """The names of those that are checked; none: all that are no shipped ones."""
    letters: Path | None
    """Where the letters go; None: beside the config."""
    as_json: bool
    again: bool


def check_config(order: ConfigCheck, signals: Signals) -> int:
    """Check the bots of a competition, print what came of it, and write the letters. Returns the exit code."""
    try:
        with signals:
            return _check(order, signals)
    except Interrupted as interrupted:
        interrupted.add_note("checks that ended are kept")
        raise


def _check(order: ConfigCheck, signals: Signals) -> int:
    found = survey(order.config)
    if (config := found.rest) is None:
        raise ConfigError(found.lines)
    say(*(f"note: {note}" for note in found.notes))
    names = _chosen(order, found.entrants.all)
    if config.isolation == "bwrap":
        check_cells(of_strangers=config.needs_users)
    unready = [_broken(one) for one in found.entrants.broken if one.name in names]
    entries = [entry for entry in config.entries if entry.name in names]
    with signals.held():
        unready += builder_for(config, say).ready(entries, check=signals.check)
    lost = {one.name for one in unready}
    bots = [bot for bot in config.bots if bot.name in names and bot.name not in lost]
    check_ready(config.only([bot.name for bot in bots]))
    told = _Telling(len(names))
    for one in unready:
        told.tell_unready(one)
    with signals.held():
        checked = check_bots(config, bots, again=order.again, tell=told.tell) if bots else []
    rows: list[Row] = sorted([*unready, *checked], key=lambda one: names.index(one.name))
    folder = order.letters or folder_for(config)
    _write_letters(config, rows, folder)
    if order.as_json:
        put_json(msgspec.json.encode(as_json(rows)))
    else:
        put(*lines_of(rows, screen_width()))
        put(*_summary(config, rows, folder))
    if any(verdict_of(one) == "void" for one in rows):
        return HOST_FAILED
    return CHECK_FAILED if any(verdict_of(one) == "fail" for one in rows) else DONE


def _chosen(order: ConfigCheck, entrants: Sequence[BotEntry]) -> list[str]:
    """The names of the bots that are checked: those asked for, or all that are no shipped ones. Raises CommandError."""
    known = [one.name for one in entrants]
    if unknown := [name for name in order.bots if name not in known]:
        raise CommandError(f"--bot {printable(unknown[0], 60)}: {order.config} has {', '.join(known)}")
    names = list(dict.fromkeys(order.bots)) or [one.name for one in entrants if not one.is_shipped]
    if not names:
        raise CommandError(f"{order.config} has shipped bots only; --bot NAME checks one of them")
    return names


def _broken(entry: BrokenEntry) -> NotReady:
    return NotReady(name=entry.name, version="", problem="the entry cannot be read", lines=entry.lines)


class _Telling:
    """Says on stderr which bots have been checked."""

    def __init__(self, bots: int) -> None:
        self._bots, self._done = bots, 0

    def tell(self, one: OneBot, seconds: float) -> None:
        """Print the verdict of a bot."""
        self._count(one.name, f"{verdict_of(one)}, {duration(seconds) if one.is_new else 'kept from before'}")

    def tell_unready(self, one: NotReady) -> None:
        """Say why a bot cannot be checked."""
        self._count(one.name, f"{verdict_of(one)}, {one.problem}")

    def _count(self, name: str, words: str) -> None:
        self._done += 1
        say(f"checked {self._done} of {self._bots}: {name}: {words}")


def _write_letters(config: Config, rows: Sequence[Row], folder: Path) -> None:
    """Write a letter for each bot that was checked or could not be. Other files of the folder are left alone."""
    names = file_names(one.name for one in rows)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritten(f"{folder}: the folder cannot be made: {error.strerror}") from None
    for one in rows:
        if (text := letter(config, one)) is not None:
            with new_file(folder / names[one.name], replaces=True) as file:
                file.write(text.encode())


def _summary(config: Config, rows: Sequence[Row], folder: Path) -> Iterator[str]:
    """What all of it came to, in sentences."""
    width = screen_width()
    counts = Counter(map(verdict_of, rows))
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("pass", "warn", "fail", "void") if counts[verdict])
    what = f"{counted(len(rows), 'bot')} in {counted(len(config.variants), 'game')}: {told}."
    letters = f" For each there is a letter to its author in {folder}."
    if void := counts["void"]:
        letters = f" For all but the void there are letters to their authors in {folder}." if len(rows) > void else ""
    yield from ("", wrapped(what + letters, width))
    if void:
        text = (
            "A void check is the host's fault. Put right what is said above, and run the same command again: it checks "
            "the void ones anew. A bot whose checks are void while others are checked may spoil them itself."
        )
        yield wrapped(text, width)
