"""The steps that look back at all that was played: standard output, times, sizes, and how varied the answers were."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from protocol.messages import Limits
from protocol.offers import size
from referee.kit.check import rules
from referee.kit.check.bench import Bench
from referee.kit.check.findings import first_words, last_words
from referee.kit.check.noted import Given
from referee.kit.check.report import Times, counted
from referee.kit.check.sitting import Sitting

MB = 1 << 20

WORTH_A_WARNING = 0.5
"""A part of a limit that is worth a warning when it is used up."""

ENOUGH = 20
"""So many answers to a decision tell whether they are always the first offer."""

LEAST_MS = 0.1
"""Shorter times are not told apart."""

STRAY = frozenset({rules.OUTPUT.says, rules.ONE_LINE.says, rules.SPEAKS_FIRST.says, rules.BLANK.says})


async def standard_output(bench: Bench) -> None:
    """Look for lines that are no answers."""
    for alike, finding in list(bench.found.items()):
        if finding.rule.says in STRAY or finding.kind == "spare line":
            bench.note(alike)
    lines = sum(len(sitting.tape.heard) for sitting in bench.sittings)
    bench.outcome.summary = f"{counted(lines, 'line')} in {counted(len(bench.sittings), 'match')}"


async def times(bench: Bench) -> None:
    """Hold the times of all answers against the limits."""
    clocks = bench.check_rules.clocks
    by_decision: dict[str, list[float]] = defaultdict(list)
    for given in bench.given:
        by_decision[given.ask.decision].append(given.elapsed_us / 1000)
    for decision, took in by_decision.items():
        limit_s = clocks.slap_s if decision == "slap" else clocks.move_s
        bench.times[decision] = Times(
            answers=len(took),
            p50_ms=_quantile(took, 0.5),
            p99_ms=_quantile(took, 0.99),
            worst_ms=round(max(took), 3),
            limit_ms=limit_s * 1000,
        )
        if max(took) > WORTH_A_WARNING * limit_s * 1000:
            rule = rules.SILENCE if decision == "slap" else rules.MOVE_CLOCK
            what = f"its slowest answer to `{decision}` took {max(took):.0f} ms, of {limit_s * 1000:.0f} ms"
            bench.warn("slow answer", what, rule, right="answer from what is known when the time is short (`time_s`)")
    for alike, finding in list(bench.found.items()):
        if finding.kind in ("timeout", "late slap"):
            bench.note(alike)
    spent = max((_thought_s(one.given) for one in bench.sittings), default=0.0)
    if spent > WORTH_A_WARNING * clocks.bank_s:
        what = f"it thought {spent:.0f} s in one match, of {clocks.bank_s:g} s"
        bench.warn("large part of the bank", what, rules.BANK, right="watch `bank_s`")
    moves = [ms for decision, took in by_decision.items() if decision != "slap" for ms in took]
    slaps = by_decision.get("slap", [])
    words = [f"answers {_words(moves)} of {clocks.move_s * 1000:.0f} ms"] if moves else []
    words += [f"slaps {_words(slaps)} of {clocks.slap_s * 1000:.0f} ms"] if slaps else []
    bench.outcome.summary = "; ".join(words) or "no answers"


async def sizes(bench: Bench) -> None:
    """Hold the lengths of lines, standard error and memory against the limits."""
    limits, bot = Limits(), bench.confinement.limits
    longest = max((given.line_bytes for given in bench.given), default=0)
    noisiest = max(bench.sittings, key=_noise, default=None)
    noise = 0 if noisiest is None else _noise(noisiest)
    memory = max((sitting.peak_bytes for sitting in bench.sittings), default=0)
    if noisiest is not None and noise > limits.stderr_bytes:
        _warn_of_noise(bench, noisiest, limits.stderr_bytes)
    if memory > WORTH_A_WARNING * bot.memory_mb * MB:
        what = f"it held {memory // MB} MB of memory, of {bot.memory_mb} MB"
        bench.warn("much memory", what, rules.MEMORY)
    if noise <= limits.stderr_bytes:
        bench.outcome.notes += _told_on_stderr(bench)
    bench.outcome.summary = (
        f"longest line {longest} of {limits.line_bytes} bytes, standard error {noise} of {limits.stderr_bytes} bytes a "
        f"match, memory {memory // MB} of {bot.memory_mb} MB"
    )


def _noise(sitting: Sitting) -> int:
    """How many bytes the bot wrote to standard error in a match."""
    return sitting.channel.stderr.total


def _warn_of_noise(bench: Bench, sitting: Sitting, kept: int) -> None:
    """Warn of a bot that wrote more than is kept, in this match the most, with what it wrote first."""
    wrote = sum(_noise(one) > 0 for one in bench.sittings)
    game = sitting.game_to_try
    bench.warn(
        "much standard error",
        f"it wrote to standard error in {wrote} of {counted(len(bench.sittings), 'match')}; here the most, "
        f"{_noise(sitting)} bytes, of which {kept} are kept",
        rules.STDERR,
        right="read it first, it may tell what goes wrong; then log less, or into a file of your own. To see it: "
        f"golfref match --variant {game.preset} --bot ... --bot builtin:random --show-stderr",
        where=game.label,
        stderr=first_words(sitting),
        stderr_is_beginning=True,
    )


def _told_on_stderr(bench: Bench) -> Iterator[str]:
    """A note, if the bot wrote to standard error in a match without a fault, where it may have hidden one."""
    wrote = [sitting for sitting in bench.sittings if sitting.channel.stderr.total and not sitting.slips]
    if wrote:
        game, words = wrote[0].game_to_try.label, last_words(wrote[0])
        yield f"it wrote to standard error in {counted(len(wrote), 'match')} without a fault, first in {game}"
        yield f"the last line there: {words[-1] if words else ''}"
        yield "`golfref match --show-stderr` shows all that is kept"


async def variety(bench: Bench) -> None:
    """See whether it chooses, or always takes the first offer."""
    first: dict[str, list[bool]] = defaultdict(list)
    for given in bench.given:
        if sum(map(size, given.ask.offers)) > 1 and len(given.ask.offers) > 1 and given.action is not None:
            first[given.ask.decision].append(given.action.__struct_config__.tag == given.ask.offers[0].kind)
    always = [decision for decision, taken in first.items() if len(taken) >= ENOUGH and all(taken)]
    if always:
        bench.outcome.notes.append(
            f"it always takes the first offer when it decides on {', '.join(f'`{one}`' for one in always)}"
        )
    bench.outcome.summary = (
        f"{counted(len(first), 'decision')} with a choice, {len(always)} of them always answered alike"
    )


def _quantile(values: Sequence[float], share: float) -> float:
    return round(sorted(values)[int(share * (len(values) - 1))], 3)


def _words(values: Sequence[float]) -> str:
    named = {"p50": _quantile(values, 0.5), "p99": _quantile(values, 0.99), "worst": max(values)}
    return ", ".join(f"{name} {_ms(value)}" for name, value in named.items())


def _ms(value: float) -> str:
    """Milliseconds in words; the referee's clock gives bots the benefit of what it cannot see."""
    return f"{value:.1f} ms" if value >= LEAST_MS else f"under {LEAST_MS:g} ms"


def _thought_s(given: Sequence[Given]) -> float:
    return sum(one.elapsed_us for one in given if one.ask.decision != "slap") / 1e6
