"""The steps of a check, in their order: what each is called, and the function that does it."""

from collections.abc import Awaitable, Callable, Collection

from msgspec import Struct

from referee.bot_check import steps_games, steps_lasting, steps_lines, steps_start, steps_sums
from referee.bot_check.run import CheckRun


class Step(Struct, frozen=True, kw_only=True):
    """A step of a check."""

    title: str
    run: Callable[[CheckRun], Awaitable[None]]
    looks_back: bool = False
    """Whether it only sums up what has been played, and so is done also where the check ends early."""
    needs_faultless: bool = False
    """Whether only a bot that has made no fault so far is tried further, from this step on."""


STEPS: tuple[Step, ...] = (
    Step(title="start-up", run=steps_start.start_up),
    Step(title="handshake and a match", run=steps_start.handshake),
    Step(title="every game", run=steps_games.every_game),
    Step(title="every decision", run=steps_games.positions),
    Step(title="slap windows", run=steps_games.slap_windows),
    Step(title="many events in a line", run=steps_lines.many_events, needs_faultless=True),
    Step(title="long lines", run=steps_lines.long_lines),
    Step(title="CRLF line ends", run=steps_lines.line_ends),
    Step(title="lines in pieces", run=steps_lines.pieces),
    Step(title="unknown fields", run=steps_lines.new_fields),
    Step(title="unknown events", run=steps_lines.new_events),
    Step(title="a long match", run=steps_lasting.long_match),
    Step(title="the same seed again", run=steps_lasting.same_seed),
    Step(title="several matches in a process", run=steps_lasting.several_matches, looks_back=True),
    Step(title="end of input", run=steps_sums.end_of_input, looks_back=True),
    Step(title="standard output", run=steps_sums.standard_output, looks_back=True),
    Step(title="times", run=steps_sums.times, looks_back=True),
    Step(title="sizes", run=steps_sums.sizes, looks_back=True),
)


async def check(run: CheckRun, show: Callable[[], None], only: Collection[int] = ()) -> None:
    """Do all steps, or those of these numbers and the first one, which shows whether the bot starts.

    Steps that sum up others sum up those of `only`. If it names no other step, all that they sum up are played.
    `show` is called after each, when `run.step` is its result.
    """
    wanted = _wanted(only)
    try:
        for number, step in enumerate(STEPS, start=1):
            if number in wanted:
                await _do(run, number, step)
                show()
    finally:
        await run.close()


async def _do(run: CheckRun, number: int, step: Step) -> None:
    if step.needs_faultless:
        run.stop_if_faulty("odd lines and long matches are for bots without a fault")
    run.begin(number, step.title)
    if run.stopped and not (step.looks_back and run.answered):
        run.step.verdict, run.step.summary = "skip", run.stopped
    else:
        await step.run(run)
    run.end()


def _wanted(only: Collection[int]) -> frozenset[int]:
    """The numbers of the steps to do."""
    playing = {number for number, step in enumerate(STEPS, start=1) if not step.looks_back}
    summing = set(range(1, len(STEPS) + 1)) - playing
    if not only:
        return frozenset(playing | summing)
    named = {*only} - {1}
    if named and named <= summing:
        return frozenset(playing | named)
    return frozenset({1} | named)
