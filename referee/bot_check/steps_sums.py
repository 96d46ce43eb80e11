"""The steps that look back at all that was played: how the bot ended, standard output, times, and sizes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from protocol.messages import Limits
from referee.bot_check import rules
from referee.bot_check.findings import first_words, last_words, of_ending
from referee.bot_check.report import Finding, Times, counted
from referee.bot_check.run import CheckRun
from referee.bot_check.test_match import Answered, TestMatch
from referee.play.process.process import FAREWELL_S
from referee.play.spec import MB

WORTH_A_WARNING = 0.5
"""A part of a limit that is worth a warning when it is used up."""

WORTH_A_WARNING_MB = 8
"""By how much the memory must grow in the second half of what a process plays to be worth a warning."""

LEAST_MS = 0.1
"""Shorter times are not told apart."""

STRAY = frozenset({rules.OUTPUT.says, rules.ONE_LINE.says, rules.SPEAKS_FIRST.says, rules.BLANK.says})


async def end_of_input(run: CheckRun) -> None:
    """Look how processes ended when their input ended: before a match, in the middle of one, and after one."""
    await run.close()
    ends_after_end = any(one.rule == rules.MORE_MATCHES for one in run.found.values())  # whatever its input does
    oddly: dict[str, list[str]] = defaultdict(list)
    for one in run.farewells:
        if not one.status:
            threads = f", with {one.tasks} threads in all" if one.tasks > 1 else ""
            lives = f"{FAREWELL_S:g} s later the process still lived{threads}; it was killed"
            finding = Finding(
                verdict="fail",
                kind="does not end",
                what=f"its input ended {one.when}, and {lives}",
                where=run.step.title,
                rule=rules.END_OF_INPUT,
                right="leave the loop that reads standard input when that ends, and end the program with all its "
                "threads and processes",
            )
            run.find("does not end", finding)
        elif not one.is_right and not (ends_after_end and one.when == "after a match"):
            oddly[one.status].append(one.when)
    for status, times in oddly.items():
        stderr = next(one.stderr for one in run.farewells if one.status == status)
        what = f"when its input ended {', '.join(dict.fromkeys(times))}, it {status}; that costs nothing"
        run.find(*of_ending(what, rules.END_OF_INPUT, stderr, run.step.title))
    ends = [one.seconds for one in run.farewells if one.status]
    slowest = f", the slowest {max(ends) * 1000:.0f} ms later (limit {FAREWELL_S:g} s)" if ends else ""
    run.step.summary = f"it ended {len(ends)} of {counted(len(run.farewells), 'time')}{slowest}"


async def standard_output(run: CheckRun) -> None:
    """Look for lines that are no answers."""
    for alike, finding in list(run.found.items()):
        if finding.rule.says in STRAY or finding.kind == "spare line":
            run.note(alike)
    lines = sum(len(match.tape.heard) for match in run.matches)
    run.step.summary = f"{counted(lines, 'line')} in {counted(len(run.matches), 'match')}"


async def times(run: CheckRun) -> None:
    """Hold the times of all answers against the limits."""
    clocks = run.check_rules.clocks
    by_decision: dict[str, list[float]] = defaultdict(list)
    for given in run.answered:
        by_decision[given.ask.decision].append(given.elapsed_us / 1000)
    for decision, took in by_decision.items():
        limit_s = clocks.slap_s if decision == "slap" else clocks.move_s
        run.times[decision] = Times(
            answers=len(took),
            p50_ms=_quantile(took, 0.5),
            p99_ms=_quantile(took, 0.99),
            worst_ms=round(max(took), 3),
            limit_ms=limit_s * 1000,
        )
        if max(took) > WORTH_A_WARNING * limit_s * 1000:
            rule = rules.SILENCE if decision == "slap" else rules.MOVE_CLOCK
            what = f"its slowest answer to `{decision}` took {max(took):.0f} ms, of {limit_s * 1000:.0f} ms"
            right = "answer from what is known when the time is short (`time_s`)"
            run.warn(Finding(kind="slow answer", what=what, rule=rule, right=right))
    for alike, finding in list(run.found.items()):
        if finding.kind in ("timeout", "late slap"):
            run.note(alike)
    spent = max((_thought_s(one.answered) for one in run.matches), default=0.0)
    if spent > WORTH_A_WARNING * clocks.bank_s:
        what = f"it thought {spent:.0f} s in one match, of {clocks.bank_s:g} s"
        run.warn(Finding(kind="large part of the bank", what=what, rule=rules.BANK, right="watch `bank_s`"))
    moves = [ms for decision, took in by_decision.items() if decision != "slap" for ms in took]
    slaps = by_decision.get("slap", [])
    words = [f"answers {_words(moves)} of {clocks.move_s * 1000:.0f} ms"] if moves else []
    words += [f"slaps {_words(slaps)} of {clocks.slap_s * 1000:.0f} ms"] if slaps else []
    run.step.summary = "; ".join(words) or "no answers"


async def sizes(run: CheckRun) -> None:
    """Hold the lengths of lines, standard error and memory against the limits."""
    limits, bot = Limits(), run.confinement.limits
    longest = max((given.line_bytes for given in run.answered), default=0)
    noisiest = max(run.matches, key=_noise, default=None)
    noise = 0 if noisiest is None else _noise(noisiest)
    memory = max((match.peak_bytes for match in run.matches), default=0)
    if noisiest is not None and noise > limits.stderr_bytes:
        _warn_of_noise(run, noisiest, limits.stderr_bytes)
    if memory > WORTH_A_WARNING * bot.memory_mb * MB:
        what = f"it held {memory // MB} MB of memory, of {bot.memory_mb} MB"
        run.warn(Finding(kind="much memory", what=what, rule=rules.MEMORY))
    _look_for_growth(run)
    if noise <= limits.stderr_bytes:
        run.step.notes += _told_on_stderr(run)
    run.step.summary = (
        f"longest line {longest} of {limits.line_bytes} bytes, standard error {noise} of {limits.stderr_bytes} bytes a "
        f"match, memory {memory // MB} of {bot.memory_mb} MB"
    )


def _look_for_growth(run: CheckRun) -> None:
    """Warn if the memory of the process that played most has grown all the time."""
    held = [one / MB for one in max(run.memory.values(), key=len, default=[])]
    quarters = [max(held[len(held) * part // 4 : len(held) * (part + 1) // 4], default=0.0) for part in range(4)]
    grown = quarters[3] - quarters[1]
    if grown > WORTH_A_WARNING_MB and all(later > sooner + 1 for sooner, later in pairwise(quarters)):
        what = (
            f"its memory grew all the time, by {grown:.0f} MB in the second half of what a process played: it keeps "
            "what it needs no more, or its language tidies up late"
        )
        right = "forget what belongs to a match when the next one begins, and to a round when it is over"
        run.warn(Finding(kind="growing memory", what=what, rule=rules.MEMORY, right=right))


def _noise(match: TestMatch) -> int:
    """How many bytes the bot wrote to standard error in a match."""
    return match.channel.stderr.total


def _warn_of_noise(run: CheckRun, match: TestMatch, kept: int) -> None:
    """Warn of a bot that wrote more than is kept, in this match the most, with what it wrote first."""
    wrote = sum(_noise(one) > 0 for one in run.matches)
    game = match.setup.game
    finding = Finding(
        kind="much standard error",
        what=f"it wrote to standard error in {wrote} of {counted(len(run.matches), 'match')}; here the most, "
        f"{_noise(match)} bytes, of which {kept} are kept",
        where=game.label,
        rule=rules.STDERR,
        right="read it first, it may tell what goes wrong; then log less, or into a file of your own. To see it: "
        f"golfref match --variant {game.preset} --bot ... --bot builtin:random --show-stderr",
        stderr=first_words(match.channel),
        stderr_is_beginning=True,
    )
    run.warn(finding)


def _told_on_stderr(run: CheckRun) -> Iterator[str]:
    """A note, if the bot wrote to standard error in a match without a fault, where it may have hidden one."""
    wrote = [match for match in run.matches if match.channel.stderr.total and not match.faults]
    if wrote:
        game, words = wrote[0].setup.game.label, last_words(wrote[0].channel)
        yield f"it wrote to standard error in {counted(len(wrote), 'match')} without a fault, first in {game}"
        yield f"the last line there: {words[-1] if words else ''}"
        yield "`golfref match --show-stderr` shows all that is kept"


def _quantile(values: Sequence[float], share: float) -> float:
    return round(sorted(values)[int(share * (len(values) - 1))], 3)


def _words(values: Sequence[float]) -> str:
    named = {"p50": _quantile(values, 0.5), "p99": _quantile(values, 0.99), "worst": max(values)}
    return ", ".join(f"{name} {_ms(value)}" for name, value in named.items())


def _ms(value: float) -> str:
    """Milliseconds in words; the referee's clock gives bots the benefit of what it cannot see."""
    return f"{value:.1f} ms" if value >= LEAST_MS else f"under {LEAST_MS:g} ms"


def _thought_s(answered: Sequence[Answered]) -> float:
    return sum(one.elapsed_us for one in answered if one.ask.decision != "slap") / 1e6
