"""The steps in which a bot decides: every game, positions that it does not reach by itself, slap windows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from protocol.actions import Action
from protocol.events import Event
from protocol.messages import Decision
from referee.kit.check.bench import Bench
from referee.kit.check.report import counted
from referee.kit.check.sitting import Manner, Sitting
from referee.kit.check.tape import messages
from referee.rules.questions import Ask

DECISIONS = frozenset(get_args(Decision))
KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Action))
EVENTS = frozenset(str(getattr(event, "__origin__", event).__struct_config__.tag) for event in get_args(Event)) | {
    "fault"
}

NULLS = frozenset({
    "arranged.slots", "blocked.shield", "drew.card", "drew_two.cards", "kept.card", "lines_swapped.axis",
    "lines_swapped.layout", "lines_swapped.lines", "looked.cards", "peeked.card", "power.against", "rearranged.slots",
    "scored.ender", "showdown.layouts", "slapped.new_slot", "swapped.card", "swapped_own.cards", "table.knocker",
    "table.layouts",
})  # fmt: skip
"""The fields of events and tables that may be null, or hold a null."""

SLAPS = frozenset({"slap", "give"})
"""The decisions that a bot does not get which renounces slaps."""

ENOUGH = 30
"""A game is played again where the bot has given fewer answers in it."""

MOST_MATCHES = 3
"""How often a game is played at most."""

ENOUGH_SLAPS = 10
"""So many slaps tell whether most of a bot's slaps are wrong."""

LOST = 7
"""The number of the answer that counts as late in one of the games, so that the bot hears of a fault."""


async def every_game(bench: Bench) -> None:
    """Play every preset, and games with other options."""
    before = len(bench.given)
    for number, game in enumerate(bench.all_games):
        lost = LOST if number == 0 else None
        so_far = len(bench.given)
        for turn in range(MOST_MATCHES):
            seat = (number + turn) % game.seats
            sitting = await bench.sit(game, Manner(loses=lost), seat=seat, salt=f"game {turn}")
            if bench.stopped:
                return
            if sitting.slips or sitting.broken_off or len(bench.given) >= so_far + ENOUGH:
                break
    answers = len(bench.given) - before
    bench.outcome.summary = (
        f"{counted(len(bench.games), 'game')}, {len(bench.options)} with other options, "
        f"{counted(answers, 'legal answer')}"
    )


async def positions(bench: Bench) -> None:
    """Put questions to the bot that it has not had, after the dice have played its seat up to there."""

    def is_new(ask: Ask) -> bool:
        kinds, decisions = bench.shown.kinds, bench.shown.decisions
        return not decisions[ask.decision] or any(not kinds[offer.kind] for offer in ask.offers)

    presets = {game.preset for game in bench.all_games}
    games = [game for game in bench.check_rules.positions if game.preset in presets]
    for number, game in enumerate(games * bench.check_rules.tries):
        if not lacking(bench) or bench.stopped:
            break
        await bench.sit(game, Manner(puts=is_new), seat=number % game.seats, salt=f"positions {number}")
    shown = bench.shown
    bench.outcome.summary = (
        f"so far it was asked {_of(bench, DECISIONS, shown.decisions)} decisions, "
        f"offered {_of(bench, KINDS, shown.kinds)} actions and "
        f"told {_of(bench, EVENTS, shown.events)} kinds of events"
    )


def _of(bench: Bench, names: frozenset[str], shown: Mapping[str, int]) -> str:
    """How many of these names there were, and of how many where all games are played."""
    there = len(names & shown.keys())
    return str(there) if bench.check_rules.only_these else f"{there} of {len(names)}"


def lacking(bench: Bench) -> frozenset[str]:
    """What the bot has not been shown: decisions, kinds of action, kinds of events, fields that are null."""
    shown = bench.shown
    missing = (DECISIONS - shown.decisions.keys()) | (KINDS - shown.kinds.keys()) | (EVENTS - shown.events.keys())
    missing |= NULLS - shown.nulls.keys()
    if bench.ready is None:
        return missing
    unasked = frozenset() if bench.ready.slaps else SLAPS | {"pass"}
    untold = frozenset() if bench.ready.table else frozenset(name for name in NULLS if name.startswith("table."))
    return missing - unasked - untold


async def slap_windows(bench: Bench) -> None:
    """Play games with slaps, at tables at which the others slap a lot."""
    games = [game for game in bench.all_games if game.variant.options.slaps]
    if not games:
        bench.outcome.verdict, bench.outcome.summary = "skip", "no game with slaps is played"
        return
    first = len(bench.sittings)
    for number, game in enumerate(games):
        await bench.sit(game, seat=(number + 1) % game.seats, salt="slaps")
        if bench.stopped:
            return
    sittings = bench.sittings[first:]
    windows = sum(given.ask.decision == "slap" for one in sittings for given in one.given)
    late = sum(len(one.late) for one in sittings)
    if bench.ready is not None and not bench.ready.slaps:
        bench.outcome.summary = "renounced: it was not asked, and followed the slaps of the others"
    else:
        bench.outcome.summary = f"{counted(windows + late, 'window')}, {late} without an answer in time"
        _judge_slaps(bench, sittings)


def _judge_slaps(bench: Bench, sittings: Sequence[Sitting]) -> None:
    """Tell how many of its slaps were right, with a note if most of them were wrong.

    A wrong slap is legal, and a bot may slap by chance, so this is no warning. A late slap is no mistake of the bot.
    """
    slaps = [(sitting, slap) for sitting in sittings for slap in _slaps(sitting)]
    verdicts = Counter(slap["verdict"] for _, slap in slaps)
    bench.outcome.summary += f", {counted(len(slaps), 'slap')}"
    if slaps:
        right, wrong, late = (verdicts[verdict] for verdict in ("right", "wrong", "late"))
        bench.outcome.summary += f": {right} right, {wrong} wrong, {late} after another's"
    if len(slaps) < ENOUGH_SLAPS or 2 * verdicts["wrong"] <= len(slaps):
        return
    match, first = next((sitting, slap) for sitting, slap in slaps if slap["verdict"] == "wrong")
    where = f"in {match.game_to_try.label}, from seat {match.seat}"
    bench.outcome.notes += [
        f"{verdicts['wrong']} of its {len(slaps)} slaps were wrong; a wrong slap is legal, and brings it another card",
        f"the first wrong one, {where}: {first['card']} at {first['target']}",
        "a card is right if it has the rank of the card just discarded, by slap_match = points its points",
    ]


def _slaps(sitting: Sitting) -> Iterator[dict[str, Any]]:
    """The slaps of the bot that were resolved in a match, as it was told of them."""
    for message in messages(sitting.tape.entries):
        for event in message.get("events", ()):
            if event["event"] == "slapped" and event["seat"] == sitting.seat:
                yield event
