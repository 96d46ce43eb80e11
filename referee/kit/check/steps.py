"""The steps of a check, in their order: what each is called, what the specification says about it, and who does it."""

from collections.abc import Awaitable, Callable, Collection

from msgspec import Struct

from referee.kit.check import deciding, lasting, measuring, reading, rules, starting
from referee.kit.check.bench import Bench
from referee.kit.check.rules import Rule


class Step(Struct, frozen=True, kw_only=True):
    """A step of a check."""

    title: str
    rules: tuple[Rule, ...]
    """What it is about."""
    run: Callable[[Bench], Awaitable[None]]
    looks_back: bool = False
    """Whether it only sums up what has been played, and so is done also where the check ends early."""


STEPS: tuple[Step, ...] = (
    Step(title="start-up", rules=(rules.START_CLOCK, rules.SPEAKS_FIRST), run=starting.start_up),
    Step(title="handshake and a match", rules=(rules.READY_ONCE, rules.READY), run=starting.handshake),
    Step(title="every game", rules=(rules.OFFERS, rules.SAME_ID), run=deciding.every_game),
    Step(title="every decision", rules=(rules.OFFERS,), run=deciding.positions),
    Step(title="slap windows", rules=(rules.SILENCE,), run=deciding.slap_windows),
    Step(title="many events in a line", rules=(rules.LENGTH,), run=reading.many_events),
    Step(title="long lines", rules=(rules.LENGTH,), run=reading.long_lines),
    Step(title="CRLF line ends", rules=(rules.LINE,), run=reading.line_ends),
    Step(title="lines in pieces", rules=(rules.PIECES,), run=reading.pieces),
    Step(title="unknown fields", rules=(rules.UNKNOWN_FIELDS,), run=reading.new_fields),
    Step(title="unknown events", rules=(rules.LATER,), run=reading.new_events),
    Step(title="unknown decisions and actions", rules=(rules.LATER,), run=reading.new_decisions),
    Step(title="a long match", rules=(rules.BANK, rules.MEMORY), run=lasting.long_match),
    Step(title="several matches in a process", rules=(rules.MORE_MATCHES,), run=lasting.several_matches),
    Step(title="the same seed again", rules=(rules.SEED,), run=lasting.same_seed),
    Step(title="end of input", rules=(rules.END_OF_INPUT,), run=starting.end_of_input),
    Step(title="SIGTERM", rules=(rules.END_OF_INPUT,), run=starting.sigterm),
    Step(title="standard output", rules=(rules.OUTPUT, rules.ONE_LINE), run=measuring.standard_output, looks_back=True),
    Step(title="times", rules=(rules.MOVE_CLOCK, rules.BANK), run=measuring.times, looks_back=True),
    Step(title="sizes", rules=(rules.LENGTH, rules.STDERR), run=measuring.sizes, looks_back=True),
    Step(title="choices", rules=(rules.OFFERS,), run=measuring.variety, looks_back=True),
)


async def check(bench: Bench, tell: Callable[[], None], only: Collection[int] = ()) -> None:
    """Do all steps, or those of these numbers and the first one, which shows whether the bot starts.

    Steps that sum up others sum up those of `only`. If it names no other step, all that they sum up are played.
    `tell` is called after each, when `bench.outcome` is what it came to.
    """
    wanted = _wanted(only)
    try:
        await _do(bench, tell, wanted)
    finally:
        await bench.close()


async def _do(bench: Bench, tell: Callable[[], None], wanted: Collection[int]) -> None:
    for number, step in enumerate(STEPS, start=1):
        if number not in wanted:
            continue
        bench.begin(number, step.title)
        if bench.stopped and not (step.looks_back and bench.given):
            bench.outcome.verdict, bench.outcome.summary = "skip", bench.stopped
        else:
            await step.run(bench)
        bench.end()
        tell()


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
