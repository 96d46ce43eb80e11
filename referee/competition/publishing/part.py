"""Checking the part of an author: sums, signature, and its matches as far as one seat of each shows.

A match as one bot knows it does not tell the cards of others, nor the key of its deal. So that the cards were dealt as
the key says, and that the others played what is told of them, only the whole records in the bundle of the run show.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from protocol.messages import End, FromReferee
from protocol.offers import admits
from protocol.text import printable
from referee.competition.publishing.bundle import MATCHES, PART, README, PartInfo
from referee.competition.publishing.reading import Broken, BundleFolder
from referee.kit.rerun import steps_of
from referee.reports.bot_match import BotMatch, Faulted, Sent, events_in, read_bot_match
from referee.rules.record import NoRecord
from referee.tournament.store.journal import MOST_RECORD_BYTES
from referee.tournament.verify.run import Checked

MOST_INFO_BYTES = 1 << 20

_ONE_SEAT = "the deals and what other bots played, which only the records in the bundle of the run show"


class PartCheck:
    """The part of an author while it is checked."""

    def __init__(self, folder: BundleFolder) -> None:
        self._folder = folder
        self._matches = 0

    def findings(self) -> Iterator[str]:
        """All that is wrong, one text for each finding. Raises Broken where nothing more can be read."""
        part = _info(self._folder)
        for bot, begin in part.bots.items():
            path = f"{begin}{MATCHES}"
            seen: set[int] = set()
            for number, line in enumerate(self._lines(path), 1):
                where = f"{printable(path, 100)}:{number}"
                try:
                    match = read_bot_match(line)
                    found = [*_of_part(match, bot, part.run, seen), *_check(match)]
                except NoRecord as error:
                    found = [str(error)]
                except Exception as error:  # a fault of ours must not end the check of the others, nor pass as theirs
                    fault = f"{type(error).__name__}: {error}"
                    found = [f"golfref failed to check it, which is a fault of golfref ({fault})"]
                self._matches += 1
                yield from (f"{where}: {printable(text, 500)}" for text in found)
        begins = tuple(f"{begin}." for begin in part.bots.values())
        odd = (path for path in self._folder.sums if path not in (PART, README) and not path.startswith(begins))
        yield from (f"{printable(path, 200)}: no such file belongs into the part of an author" for path in odd)

    def checked(self) -> Checked:
        """What was compared and what could not be, after all findings."""
        matches = "1 match" if self._matches == 1 else f"{self._matches} matches"
        return Checked(
            findings=(),
            compared=(f"{matches} of the author's bots told again: lines, answers, faults and results agree",),
            unchecked=(_ONE_SEAT,),
        )

    def _lines(self, path: str) -> Iterator[bytes]:
        return self._folder.lines(path, MOST_RECORD_BYTES) if self._folder.has(path) else iter(())


def _info(folder: BundleFolder) -> PartInfo:
    try:
        return msgspec.json.decode(folder.read(PART, MOST_INFO_BYTES), type=PartInfo)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Broken(f"{PART}: expected what `golfref publish` writes ({error})") from None


def _of_part(match: BotMatch, bot: str, run: str, seen: set[int]) -> Iterator[str]:
    """Whether the match belongs into this file."""
    if match.bot != bot:
        yield f"it is a match of {match.bot}, not of {bot}"
    if match.place is None or match.place.run != run:
        yield f"it is no match of the run {run}"
    elif match.place.commit in seen:
        yield f"match #{match.place.commit} is there twice"
    else:
        seen.add(match.place.commit)


def _check(match: BotMatch) -> Iterator[str]:
    """What is wrong with a match in itself. Raises NoRecord for a line that is no message."""
    for step in steps_of(match):
        action = step.recorded.action if step.recorded is not None else None
        if step.request is not None and action is not None and not admits(step.request.legal, action):
            yield f"request {step.number}: the answer that is told is none of those that were offered"
    end: End | None = None
    for entry in match.wire:
        if isinstance(entry, Sent):
            for _ in events_in(entry):
                pass
            last = msgspec.json.decode(entry.text.removesuffix("\n").rpartition("\n")[2], type=FromReferee)
            end = last if isinstance(last, End) else end
    if end is None and not match.forfeited:
        yield "it has no end"
    if end is not None and (end.totals, end.ranks) != (match.totals, match.ranks):
        yield f"it ends with totals {end.totals} and ranks {end.ranks}; told are {match.totals} and {match.ranks}"
    faults = Counter(entry.kind for entry in match.wire if isinstance(entry, Faulted))
    if dict(faults) != {kind: count for kind, count in match.faults.items() if count}:
        yield f"its faults are told as {match.faults}, and {dict(faults)} are there"
