"""What bots wrote as the `comment` of their answers, for people: it is found in the lines that a record keeps."""

from collections.abc import Iterable, Iterator

from protocol.codec import answer_in, comment_of
from protocol.messages import Answer
from referee.play.talk.script import request_ids
from referee.reports.bot_match import Wrote
from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Line, Move, Reaction, Record, was_asked

LONGEST_ESCAPE = len(r"\ud83d\ude00")
"""How many characters of JSON stand for one character at most."""


class Comments:
    """The comments along a record: call `of` with each of its moves, in order."""

    def __init__(self, record: Record) -> None:
        """Raises ValueError where the id key is no hex."""
        id_key = bytes.fromhex(record.id_key)
        self._ids = [request_ids(id_key, seat) for seat in range(len(record.seats))]
        self._comments = [_by_id(bot.lines) for bot in record.seats]
        self._forfeited: set[int] = set()

    def of(self, move: Move) -> dict[int, str]:
        """The comments on the answers of a move by seat, safe to show. An answer that did not count has none."""
        found: dict[int, str] = {}
        for one in self._asked(move):
            comment = self._comments[one.seat].get(next(self._ids[one.seat]), "")
            if comment and _counts(one):
                found[one.seat] = comment
        return found

    def _asked(self, move: Move) -> Iterator[Given | Reaction]:
        """What was done by the seats to which requests were sent."""
        match move:
            case Given() | GivenTogether():
                answers = move.answers if isinstance(move, GivenTogether) else (move,)
                yield from (one for one in answers if was_asked(one, self._forfeited))
            case GivenSlaps():
                yield from (one for one in move.reactions if one.seat in move.asked)
            case Forfeit():
                self._forfeited.add(move.seat)


def comment_in(line: Line | Wrote) -> str:
    """The comment in a line that a bot wrote, safe to show; empty where it has none."""
    answer = _answer_in(line)
    return "" if answer is None else comment_of(answer)


def _by_id(lines: Iterable[Line]) -> dict[bytes, str]:
    """The comment of the first answer with each id."""
    found: dict[bytes, str] = {}
    for line in lines:
        if (answer := _answer_in(line)) is not None:
            found.setdefault(answer.id.encode(), comment_of(answer))
    return found


def _answer_in(line: Line | Wrote) -> Answer | None:
    """The answer in a line. A line whose end is not kept is taken to end within the string where it breaks off."""
    texts = [line.text]
    if len(line.text.encode()) < line.size:
        texts = [f'{line.text[: len(line.text) - cut]}…"}}' for cut in range(LONGEST_ESCAPE)]
    return next(filter(None, map(answer_in, texts)), None)


def _counts(answer: Given | Reaction) -> bool:
    """Whether the answer was in time and a message, even if it was not legal."""
    if isinstance(answer, Reaction) and answer.late:
        return False
    return answer.fault is None or answer.fault.kind == "illegal_action"
