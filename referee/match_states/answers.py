"""What the bots were asked and answered, by the step at which it took effect."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from referee.match_states.reel import Answer, Reel
from referee.match_states.states import Answered
from referee.match_states.windows import fault_of
from referee.rules.questions import Ask, Sealed
from referee.rules.record import Forfeit, Given, GivenTogether


def answers_of(reel: Reel) -> Mapping[int, tuple[Answered, ...]]:
    """By the number of the step, what was answered since the step before; slaps stand with their windows.

    What brought about nothing stands at the next step, and at the last one where none follows.
    """
    found: dict[int, tuple[Answered, ...]] = defaultdict(tuple)
    for answer in reel.answers:
        step = min(answer.first, len(reel.events) - 1)
        found[step] += tuple(_answered(answer))
    return found


def _answered(answer: Answer) -> Iterator[Answered]:
    match answer.move, answer.question:
        case Given() as given, Ask(decision=decision):
            yield _given(given, decision, answer)
        case GivenTogether(answers=answers), Sealed(asks=asks):
            yield from (_given(given, ask.decision, answer) for given, ask in zip(answers, asks, strict=True))
        case Forfeit(seat=seat, fault=fault), _:
            yield Answered(seat=seat, fault=fault_of(fault, forfeits=True))


def _given(given: Given, decision: str, answer: Answer) -> Answered:
    return Answered(
        seat=given.seat,
        decision=decision,
        action=given.action,
        time_us=given.time_us,
        waived_us=given.waived_us,
        joined=given.joined,
        fault=None if given.fault is None else fault_of(given.fault),
        comment=answer.comments.get(given.seat, ""),
    )
