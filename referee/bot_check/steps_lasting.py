"""The steps about what lasts: a long match, several matches in one process, and the same answers to the same seed."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from referee.bot_check import rules
from referee.bot_check.games import GameToTry, some_games
from referee.bot_check.report import Finding, counted
from referee.bot_check.run import CheckRun
from referee.bot_check.test_match import Answered, Setup

LONG = 40
"""The rounds of a long match."""

LONG_PATIENCE_S = 6.0
"""How long a long match may take."""

ANSWERS = 20
"""How many answers the bot gives in a match that is played again, before the dice play its seat to the end."""


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
    run.step.summary = (
        f"{counted(len(match.answered), 'answer')} in {counted(match.game.table.round, 'round')}"
        f"{f', broken off: {match.broken_off}' if match.broken_off else ''}"
    )


async def several_matches(run: CheckRun) -> None:
    """Look at the matches that were played in one process, as `reuse = "tournament"` does."""
    if not run.check_rules.reuses:
        run.step.verdict, run.step.summary = "skip", "each match of this competition has a process of its own"
        return
    most = 1 + max((match.matches_before for match in run.matches), default=0)
    run.step.summary = f"up to {counted(most, 'match')} in one process"
    if most == 1:
        run.step.summary = "it ends after its first match, as it may; each match then begins in a new process"
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
