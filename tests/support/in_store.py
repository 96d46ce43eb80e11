"""Runs that are played in a real store, but in no process: what comes of each match is made up from its cards."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random

import trio

from referee.commands.tournament.prepare import PreparedRun, open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import Played, Spoiled
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.store.disk import locked
from referee.tournament.store.plans import periods_of
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, summary_of
from referee.tournament.verify.history import RunHistory
from referee.tournament.voids import VoidSuspect

BOTS = ("ann", "bob", "cid", "dan", "eve", "fay")


def bot(name: str, mode: str = "") -> str:
    """A bot in a config; it is another version with another mode."""
    return f'[[bots]]\nbuiltin = "random"\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


class Silent:
    """Nobody watches."""

    def begun(self, planned_match: PlannedMatch) -> None: ...

    def finished(self, result: Result) -> None: ...

    def voided(self, planned_match: PlannedMatch, attempt: int, reason: str, id_: int) -> None: ...

    def suspected(self, suspect: VoidSuspect) -> None: ...

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None: ...


def result_of(planned_match: PlannedMatch, names: Sequence[str]) -> Played:
    """What comes of a match between these bots of a run: its cards say who wins, and nobody ties."""
    bots = tuple(names[bot] for bot in planned_match.lineup)
    luck = [sha256(planned_match.deal_key + bytes([planned_match.rotation]) + bot.encode()).digest() for bot in bots]
    ranks = tuple(sorted(luck).index(one) + 1 for one in luck)
    result = Result(
        number=planned_match.number,
        variant=planned_match.variant,
        block=planned_match.block,
        deal=planned_match.deal,
        rotation=planned_match.rotation,
        redeals=planned_match.redeals,
        versions_before=planned_match.versions_before,
        bots=bots,
        totals=ranks,
        ranks=ranks,
        rounds=1,
        forfeited=(False,) * len(bots),
        faults=({},) * len(bots),
        late_slaps=(0,) * len(bots),
    )
    return Played(result=result, hash=sha256(repr(ranks).encode()).hexdigest(), record=b"")


def go_on(
    folder: Path,
    *,
    matches: int | None = None,
    at_once: int = 1,
    spoiled: Collection[frozenset[str]] = (),
    may_change: bool = False,
    dice: Random | None = None,
) -> PreparedRun:
    """Play so many matches of `run.toml` in this folder and leave everything as a kill would, or play all of it.

    Matches of the bots in `spoiled` are voided. With dice, matches end in any order.
    """
    path = folder / "run.golfref"
    prepared = prepare(load(folder / "run.toml"), path, fresh=False, may_change=may_change)
    names = [bot.name for bot in prepared.config.bots]

    async def play(dispatcher: Dispatcher) -> None:
        out: list[PlannedMatch] = []
        count = 0
        while matches is None or count < matches:
            with trio.move_on_after(0):  # where it would wait for one that is out
                while len(out) < at_once and (job := await dispatcher.next()) is not None:
                    out.extend(job.matches)
            if not out:
                return
            planned_match = out.pop(dice.randrange(len(out)) if dice else 0)
            if frozenset(names[bot] for bot in planned_match.lineup) in spoiled:
                await dispatcher.report(Spoiled(number=planned_match.number, reason="a cable was pulled"))
            else:
                await dispatcher.report(result_of(planned_match, names))
            count += 1

    with locked(path) as lock, closing(open_store(prepared, lock)) as store:
        trio.run(play, prepared.run(store, Silent()).dispatcher())
    return prepared


def drawn(folder: Path) -> list[Round | End]:
    """The rounds of the run in this folder, and its end."""
    with closing(Store.open(folder / "run.golfref")) as store:
        return [one.what for period in periods_of(store) for one in period.drawn]


def summary(folder: Path) -> RunSummary:
    """What the run in this folder comes to."""
    with closing(Store.open(folder / "run.golfref")) as store:
        return summary_of(store)


def findings(folder: Path) -> list[str]:
    """What is wrong with the history of the run in this folder."""
    with closing(Store.open(folder / "run.golfref")) as store:
        return history_findings(store)


def history_findings(store: Store) -> list[str]:
    """What is wrong with the history of a run. Nobody looks at its records, which need not be real."""
    history = RunHistory(store)
    return [*(text for entry in store.entries() for text in history.take(entry)), *history.end()]
