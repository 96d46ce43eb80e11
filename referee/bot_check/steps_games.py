"""The steps in which a bot decides: every game, positions that it does not reach by itself, slap windows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from protocol.actions import Action
from protocol.events import Event
from protocol.messages import Decision
from referee.bot_check.report import counted
from referee.bot_check.run import CheckRun
from referee.bot_check.tape import messages
from referee.bot_check.test_match import Setup, TestMatch
from referee.rules.questions import Ask

DECISIONS = frozenset(get_args(Decision))
KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Action))
EVENTS = frozenset(str(getattr(event, "__origin__", event).__struct_config__.tag) for event in get_args(Event)) | {
    "fault"
}

SLAPS = frozenset({"slap", "give"})
"""The decisions that a bot does not get which renounces slaps."""

ENOUGH = 30
"""A game is played again where the bot has given fewer answers in it."""

MOST_MATCHES = 3
"""How often a game is played at most; once with a bot that ends after each match."""

ENOUGH_SLAPS = 10
"""So many slaps tell whether most of a bot's slaps are wrong."""

LOST = 7
"""The number of the answer that counts as late in one of the games, so that the bot hears of a fault."""


async def every_game(run: CheckRun) -> None:
    """Play every preset, and games with other options."""
    before = len(run.answered)
    for number, game in enumerate(run.all_games):
        lost = LOST if number == 0 else None
        so_far = len(run.answered)
        for turn in range(MOST_MATCHES if run.plays_on else 1):
            seat = (number + turn) % game.seats
            match = await run.play(Setup(game=game, loses=lost, seat=seat, salt=f"game {turn}"))
            if run.stopped:
                return
            if match.faults or match.broken_off or len(run.answered) >= so_far + ENOUGH:
                break
    answers = len(run.answered) - before
    run.step.summary = (
        f"{counted(len(run.games), 'game')}, {len(run.options)} with other options, {counted(answers, 'legal answer')}"
    )


async def positions(run: CheckRun) -> None:
    """Put questions to the bot that it has not had, after the dice have played its seat up to there."""

    def is_new(ask: Ask) -> bool:
        kinds, decisions = run.shown.kinds, run.shown.decisions
        return not decisions[ask.decision] or any(not kinds[offer.kind] for offer in ask.offers)

    presets = {game.preset for game in run.all_games}
    games = [game for game in run.check_rules.positions if game.preset in presets]
    for number, game in enumerate(games * run.check_rules.tries):
        if not lacking(run) or run.stopped:
            break
        await run.play(Setup(game=game, puts=is_new, seat=number % game.seats, salt=f"positions {number}"))
    shown = run.shown
    run.step.summary = (
        f"so far it was asked {_of(run, DECISIONS, shown.decisions)} decisions, "
        f"offered {_of(run, KINDS, shown.kinds)} actions and "
        f"told {_of(run, EVENTS, shown.events)} kinds of events"
    )


def _of(run: CheckRun, names: frozenset[str], shown: Mapping[str, int]) -> str:
    """How many of these names there were, and of how many where all games are played."""
    there = len(names & shown.keys())
    return str(there) if run.check_rules.only_these else f"{there} of {len(names)}"


def lacking(run: CheckRun) -> frozenset[str]:
    """What the bot has not been shown: decisions, kinds of action, kinds of events."""
    shown = run.shown
    missing = (DECISIONS - shown.decisions.keys()) | (KINDS - shown.kinds.keys()) | (EVENTS - shown.events.keys())
    renounces_slaps = run.ready is not None and not run.ready.slaps
    return missing - (SLAPS | {"pass"}) if renounces_slaps else missing


async def slap_windows(run: CheckRun) -> None:
    """Play games with slaps, at tables at which the others slap a lot."""
    games = [game for game in run.all_games if game.variant.options.slaps]
    if not games:
        run.step.verdict, run.step.summary = "skip", "no game with slaps is played"
        return
    first = len(run.matches)
    for number, game in enumerate(games):
        await run.play(Setup(game=game, seat=(number + 1) % game.seats, salt="slaps"))
        if run.stopped:
            return
    matches = run.matches[first:]
    windows = sum(given.ask.decision == "slap" for one in matches for given in one.answered)
    late = sum(len(one.late_slaps) for one in matches)
    if run.ready is not None and not run.ready.slaps:
        run.step.summary = "renounced: it was not asked, and followed the slaps of the others"
    else:
        run.step.summary = f"{counted(windows + late, 'window')}, {late} without an answer in time"
        _judge_slaps(run, matches)


def _judge_slaps(run: CheckRun, matches: Sequence[TestMatch]) -> None:
    """Tell how many of its slaps were right, with a note if most of them were wrong.

    A wrong slap is legal, and a bot may slap by chance, so this is no warning. A late slap is no mistake of the bot.
    """
    slaps = [(match, slap) for match in matches for slap in _slaps(match)]
    verdicts = Counter(slap["verdict"] for _, slap in slaps)
    run.step.summary += f", {counted(len(slaps), 'slap')}"
    if slaps:
        right, wrong, late = (verdicts[verdict] for verdict in ("right", "wrong", "late"))
        run.step.summary += f": {right} right, {wrong} wrong, {late} after another's"
    if len(slaps) < ENOUGH_SLAPS or 2 * verdicts["wrong"] <= len(slaps):
        return
    match, first = next((match, slap) for match, slap in slaps if slap["verdict"] == "wrong")
    where = f"in {match.setup.game.label}, from seat {match.setup.seat}"
    run.step.notes += [
        f"{verdicts['wrong']} of its {len(slaps)} slaps were wrong; a wrong slap is legal, and brings it another card",
        f"the first wrong one, {where}: {first['card']} at {first['target']}",
        "a card is right if it has the rank of the card just discarded, by slap_match = points its points",
    ]


def _slaps(match: TestMatch) -> Iterator[dict[str, Any]]:
    """The slaps of the bot that were resolved in a match, as it was told of them."""
    for message in messages(match.tape.entries):
        for event in message.get("events", ()):
            if event["event"] == "slapped" and event["seat"] == match.setup.seat:
                yield event
