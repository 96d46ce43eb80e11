"""The steps about what lasts: a long match, several matches in one process, and the same answers to the same seed."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from referee.kit.check import rules
from referee.kit.check.games import GameToTry, some_games
from referee.kit.check.report import Finding, counted
from referee.kit.check.run import CheckRun
from referee.kit.check.test_match import Answered, Setup
from referee.play.spec import MB

LONG = 40
"""The rounds of a long match."""

LONG_PATIENCE_S = 6.0
"""How long a long match may take."""

SEVERAL = 8
"""So many matches of one process tell whether its memory grows with each."""

ANSWERS = 20
"""How many answers the bot gives in a match that is played again, before the dice play its seat to the end."""

WORTH_A_WARNING_MB = 8
"""By how much the memory must grow in half of a long match, or of several, to be worth a warning."""


async def long_match(run: CheckRun) -> None:
    """Play a match of many rounds."""
    if run.check_rules.only_these:
        run.step.verdict = "skip"
        run.step.summary = f"a match of {LONG} rounds is none of this competition, whose own are in step 3"
        return
    game = run.all_games[0]
    changes = dict(game.changes)
    if "course" in changes:
        changes["course"] = list(changes["course"]) * (LONG // len(changes["course"]))
    else:
        changes |= {"rounds": LONG, "limit": None} if game.variant.options.limit else {"rounds": LONG}
    long = GameToTry(label=f"{game.preset} ({LONG} rounds)", preset=game.preset, changes=changes, seats=game.seats)
    match = await run.play(Setup(game=long, patience_s=LONG_PATIENCE_S, salt="long"))
    held = [one / MB for one in match.memory if one]
    run.step.summary = (
        f"{counted(len(match.answered), 'answer')} in {counted(match.game.table.round, 'round')}"
        f"{f', broken off: {match.broken_off}' if match.broken_off else ''}"
    )
    if not held:
        return
    quarters = [max(held[len(held) * part // 4 : len(held) * (part + 1) // 4], default=0.0) for part in range(4)]
    first, last = round(held[0]), round(held[-1])
    run.step.summary += f", memory {first} MB" + ("" if first == last else f" when it began, {last} MB at its end")
    if _grows(quarters, quarters[3] - quarters[1]):
        what = f"all the time, by {quarters[3] - quarters[1]:.0f} MB in the second half of a match of "
        _warn_of_growth(run, f"{what}{counted(len(match.answered), 'answer')}", "and to a round when it is over")


async def several_matches(run: CheckRun) -> None:
    """Look at the matches that were played in one process, as `reuse = "tournament"` does."""
    if not run.check_rules.reuses:
        run.step.verdict, run.step.summary = "skip", "each match of this competition has a process of its own"
        return
    most = 1 + max((match.matches_before for match in run.matches), default=0)
    run.step.summary = f"up to {counted(most, 'match')} in one process"
    if most == 1:
        run.step.summary = "it ends after its first match, as it may; each match then begins in a new process"
    held = max(run.held_mb, key=len, default=[])[-SEVERAL:]
    if len(held) == SEVERAL and _grows(held, held[-1] - held[0]):
        _warn_of_growth(run, f"with each of {SEVERAL} matches in a process, by {held[-1] - held[0]:.0f} MB")
    for alike, finding in list(run.found.items()):
        if finding.rule == rules.MORE_MATCHES:
            run.note(alike)


async def same_seed(run: CheckRun) -> None:
    """Play the same match in a process that has played others, and in a new one."""
    games = some_games(run.all_games, 3)
    alike = faulty = 0
    for game in games:
        setup = Setup(game=game, first=ANSWERS, even=True, salt="same")
        before = await run.play(replace(setup, salt="before"))
        after = await run.play(setup)
        new = await run.play(setup, is_new=True)
        if run.stopped or before.faults or after.faults or new.faults:
            faulty += 1  # the fallback answers in place of the bot's own, so that the matches differ
        elif (difference := _difference(after.answered, new.answered)) is None:
            alike += 1
        else:
            again = await run.play(setup, is_new=True)
            is_random = _difference(new.answered, again.answered) is not None
            words = "in two new processes" if is_random else "in one that has played other matches, and in a new one,"
            _warn_of_difference(run, difference, game, words)
            break
    run.step.summary = f"{alike} of {counted(len(games), 'match')} alike"
    if faulty:
        run.step.summary += f", {faulty} not compared because of faults"


def _grows(held: Sequence[float], grown: float) -> bool:
    """Whether memory in MB has grown from each look at it to the next, and by so much that it is worth a warning."""
    return grown > WORTH_A_WARNING_MB and all(later > sooner + 1 for sooner, later in pairwise(held))


def _warn_of_growth(run: CheckRun, how: str, also: str = "") -> None:
    run.warn(
        Finding(
            kind="growing memory",
            what=f"its memory grew {how}: it keeps what it needs no more, or its language tidies up late",
            rule=rules.MEMORY,
            right=f"forget what belongs to a match when the next one begins{also and f', {also}'}",
        )
    )


def _difference(one: Sequence[Answered], two: Sequence[Answered]) -> tuple[int, Answered, Answered] | None:
    """The number of the first answer that differs, and both; None where none does."""
    pairs = enumerate(zip(one, two, strict=False), start=1)
    return next(((number, first, second) for number, (first, second) in pairs if first.action != second.action), None)


def _warn_of_difference(run: CheckRun, difference: tuple[int, Answered, Answered], game: GameToTry, words: str) -> None:
    number, first, second = difference
    run.warn(
        Finding(
            kind="not the same again",
            what=f"the same match {words} was answered differently: answer {number}, to `{first.ask.decision}`, was "
            f"{_words(first)} and then {_words(second)}",
            where=game.label,
            rule=rules.SEED,
            right="take all randomness from the `seed` of `match`, and forget the last match when a new one begins, so "
            "that a lost match can be played again; a bot that draws its own randomness, learns or watches the clock "
            "differs",
        )
    )


def _words(answered: Answered) -> str:
    return "illegal" if answered.action is None else msgspec.json.encode(answered.action).decode()
