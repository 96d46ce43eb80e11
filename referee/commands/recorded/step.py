"""replay --step: a recorded match on the terminal, event by event, forwards and backwards."""

from protocol.text import printable
from referee.commands.recorded.records import OpenedMatch, check_seat
from referee.errors import CommandError
from referee.match_states.replay import Replay
from referee.rules.record import NoRecord
from referee.terminal.screen import terminal


def step_through(opened: OpenedMatch, seat: int | None, at: str | None) -> None:
    """Step through the match, from this moment on, at first as the public or as this seat saw it."""
    record = opened.record()
    check_seat(record, seat)
    replay = Replay(record)
    number = 0 if at is None else _step(replay, at)
    if why := terminal.problem():
        raise CommandError(why)
    terminal.prepare()
    # textual takes long to import, and may be missing
    from referee.terminal.screen.pages import Terminal  # noqa: PLC0415
    from referee.terminal.watch.step import StepPage  # noqa: PLC0415

    Terminal(StepPage(replay, _named(opened), terminal.glyphs(), seat, number)).run(mouse=False)


def _step(replay: Replay, moment: str) -> int:
    """The number of the step at this moment. Raises NoRecord."""
    names = [step.at for step in replay.steps]
    if moment in names:
        return names.index(moment)
    some = f"r1t2 (round 1, turn 2) or {names[-1]}, the last one"
    raise NoRecord(f"--at: this match has no moment {printable(moment, 40)}; expected one such as {some}")


def _named(opened: OpenedMatch) -> str:
    """Which match it is, in a few words."""
    place = opened.place
    if opened.row is not None:
        bots = ", ".join(opened.row.identity.bots)
        return printable(f"{'match #' if place.is_id else 'match '}{place.number}: {bots}", 60)
    return printable(f"game {place.number or 0} of {place.path.name}", 60)
