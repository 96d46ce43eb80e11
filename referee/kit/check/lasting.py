"""The steps about what lasts: long matches, several matches in one process, and the same answers to the same seed."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import trio

from protocol.messages import Limits
from referee.kit.check import rules
from referee.kit.check.bench import Bench, Trial
from referee.kit.check.findings import last_words
from referee.kit.check.games import GameToTry, some_games
from referee.kit.check.noted import Given
from referee.kit.check.report import counted
from referee.kit.check.sitting import Manner, Sitting
from referee.play.process.channel import Channel
from referee.play.process.pool import Pool, PooledBot

LONG = 40
"""The rounds of a long match."""

LONG_PATIENCE_S = 6.0
"""How long a long match may take."""

SEVERAL = 8
"""How many matches are played in one process."""

ANSWERS = 20
"""How many answers the bot gives in each of them before the dice play its seat to the end."""

MB = 1 << 20

WORTH_A_WARNING_MB = 8
"""By how much the memory must grow in the second half of a long match to be worth a warning."""


async def long_match(bench: Bench) -> None:
    """Play a match of many rounds."""
    if bench.check_rules.only_these:
        bench.outcome.verdict = "skip"
        bench.outcome.summary = f"a match of {LONG} rounds is none of this competition, whose own are in step 3"
        return
    game = bench.all_games[0]
    changes = dict(game.changes)
    if "course" in changes:
        changes["course"] = list(changes["course"]) * (LONG // len(changes["course"]))
    else:
        changes |= {"rounds": LONG, "limit": None} if game.variant.options.limit else {"rounds": LONG}
    long = GameToTry(label=f"{game.preset} ({LONG} rounds)", preset=game.preset, changes=changes, seats=game.seats)
    sitting = await bench.sit(long, Manner(patience_s=LONG_PATIENCE_S), salt="long", is_new=True)
    held = [one / MB for one in sitting.memory if one]
    bench.outcome.summary = (
        f"{counted(len(sitting.given), 'answer')} in {counted(sitting.game.table.round, 'round')}"
        f"{f', broken off: {sitting.broken_off}' if sitting.broken_off else ''}"
    )
    if not held:
        return
    quarters = [max(held[len(held) * part // 4 : len(held) * (part + 1) // 4], default=0.0) for part in range(4)]
    grown = quarters[3] - quarters[1]
    first, last = round(held[0]), round(held[-1])
    bench.outcome.summary += f", memory {first} MB" + ("" if first == last else f" when it began, {last} MB at its end")
    if grown > WORTH_A_WARNING_MB and all(later > sooner + 1 for sooner, later in pairwise(quarters)):
        what = (
            f"its memory grew all the time, by {grown:.0f} MB in the second half of a match of {len(sitting.given)} "
            "answers: it keeps what it needs no more, or its language tidies up late"
        )
        right = "forget what belongs to a match when the next one begins, and to a round when it is over"
        bench.warn("growing memory", what, rules.MEMORY, right=right)


async def several_matches(bench: Bench) -> None:
    """Play different games one after the other in one process, as `reuse = "tournament"` does."""
    if not bench.check_rules.reuses:
        bench.outcome.verdict, bench.outcome.summary = "skip", "each match of this competition has a process of its own"
        return
    games = (list(some_games(bench.all_games, SEVERAL - 1)) * SEVERAL)[:SEVERAL]
    sittings = await _in_one_process(bench, games, salt="several", answers=ANSWERS)
    bench.outcome.summary = f"{counted(len(sittings), 'match')} in one process"
    if len(sittings) == 1 and not sittings[0].slips and not sittings[0].broken_off:
        bench.outcome.summary = "it ends after its first match, as it may; each match then begins in a new process"


async def _in_one_process(bench: Bench, games: Sequence[GameToTry], *, salt: str, answers: int) -> list[Sitting]:
    """Play these games with one process as far as it goes; returns the matches that were played."""
    pool = Pool(bench.play_on)
    played: list[Sitting] = []
    held: list[float] = []
    channel, known = await bench.start(), None
    try:
        for number, game in enumerate(games):
            manner = Manner(first=answers, even=True)
            try:
                sitting = await bench.play(channel, game, manner, seat=0, salt=salt, known=known, matches_before=number)
            except BaseException:
                with trio.CancelScope(shield=True):
                    await bench.part(channel)
                raise
            if sitting.is_declined:
                farewell = await bench.part(channel)
                _how_it_ended(bench, sitting, farewell.status)
                break
            played.append(sitting)
            holds = None if channel.process is None else channel.process.resource_usage()
            held.append(0.0 if holds is None else holds.memory_bytes / MB)
            known = sitting.ready or known
            if known is None or sitting.broken_off or sitting.talk.seats[sitting.seat].forfeited:
                await bench.part(channel)
                if number and bench.has_new_slips(sitting):
                    last, this = (Trial(game=one, manner=manner, salt=salt) for one in games[number - 1 : number + 1])
                    await bench.look_for_the_cause(sitting, this, last)
                bench.gather(sitting)
                break
            next_channel = await _again(
                bench,
                pool,
                channel,
                PooledBot(bot=bench.spec.name, channel=channel, ready=known, matches=number + 1, blocks={number}),
            )
            bench.gather(sitting)
            if next_channel is None:
                process = sitting.channel.process
                _how_it_ended(bench, sitting, None if process is None else process.exit_status())
                break
            channel = next_channel
        else:
            await bench.part(channel)
    finally:
        with trio.CancelScope(shield=True):
            await pool.close()
    _warn_of_growth(bench, held)
    return played


def _warn_of_growth(bench: Bench, held: Sequence[float]) -> None:
    """Warn where what the process held, in MB, grew with each of several matches."""
    later = held[len(held) // 2 :]
    if len(held) < SEVERAL or not all(sooner + 1 < late for sooner, late in pairwise(later)):
        return
    if (grown := later[-1] - held[-len(later) - 1]) > WORTH_A_WARNING_MB:
        what = (
            f"its memory grew with each of {len(held)} matches in a process, by {grown:.0f} MB in the last {len(later)}"
        )
        right = "forget what belongs to a match when the next one begins"
        bench.warn("growing memory", what, rules.MEMORY, right=right)


async def _again(bench: Bench, pool: Pool, channel: Channel, bot: PooledBot) -> Channel | None:
    """The same process for a further match; None where it has ended."""
    with trio.CancelScope(shield=True):
        await pool.keep(bot)
        bench.pump.let_go(channel)
    kept = await pool.take(bot.bot, -1)
    if kept is None:
        return None
    return bench.pump.admit(Channel(bench.spec, bench.confinement, Limits(), kept.channel.process))


def _how_it_ended(bench: Bench, sitting: Sitting, status: str | None) -> None:
    """Warn of a bot that ended after `end` with this status, but not as one does that wants no further match."""
    if status and status != "exited with code 0":
        bench.warn(
            "ends oddly",
            f"after `end` it {status}",
            rules.MORE_MATCHES,
            right="read on after `end`, or end the program with exit code 0",
            stderr=last_words(sitting),
        )


async def same_seed(bench: Bench) -> None:
    """Play the same match twice in new processes, and once more in a process that has played another one before."""
    games = some_games(bench.all_games, 3)
    differing = faulty = 0
    for game in games:
        manner = Manner(first=ANSWERS, even=True)
        one = await bench.sit(game, manner, salt="same", is_new=True)
        two = await bench.sit(game, manner, salt="same", is_new=True)
        if bench.stopped or one.slips or two.slips:
            faulty += 1  # the fallback answers in place of the bot's own, so that the matches differ
            continue
        if _differs(bench, one.given, two.given, game, "in two new processes"):
            differing += 1
            continue
        if not bench.check_rules.reuses:
            continue
        other = next((other for other in bench.all_games if other.preset != game.preset), game)
        played = await _in_one_process(bench, [other, game], salt="same", answers=ANSWERS)
        if len(played) > 1 and not played[-1].slips:
            words = f"in a new process, and in one that has played {other.label} before"
            differing += _differs(bench, one.given, played[-1].given, game, words)
    bench.outcome.summary = f"{len(games) - differing - faulty} of {counted(len(games), 'match')} alike"
    if faulty:
        bench.outcome.summary += f", {faulty} not compared because of faults"


def _differs(bench: Bench, one: Sequence[Given], two: Sequence[Given], game: GameToTry, words: str) -> bool:
    """Warn where the answers differ; returns whether they do."""
    for number, (first, second) in enumerate(zip(one, two, strict=False), start=1):
        if first.action == second.action:
            continue
        what = (
            f"the same match {words} was answered differently: answer {number}, to `{first.ask.decision}`, was "
            f"{_words(first)} and then {_words(second)}"
        )
        right = (
            "take all randomness from the `seed` of `match`, and forget the last match when a new one begins, so that "
            "a lost match can be played again; a bot that draws its own randomness, learns or watches the clock differs"
        )
        bench.warn("not the same again", what, rules.SEED, right=right, where=game.label)
        return True
    return False


def _words(given: Given) -> str:
    return "illegal" if given.action is None else msgspec.json.encode(given.action).decode()
