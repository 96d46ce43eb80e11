"""Tournament managers beside a whole tournament of golfref, for tournament.py: C programs that answer at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from crews import tournament
from measuring import Figure, Way, compiled, interleaved, median
from msgspec import Struct
from rivals import manager
from tabulate import tabulate

AT_ONCE = 4
"""Games at a time, of golfref and of the others."""

GOLFREF = "golfref"

AIMS = {"fastchess": 2.0, "c-chess-cli": 0.5}
"""By manager, how many times its decisions a second golfref is to make."""


class Scale(Struct, frozen=True, kw_only=True):
    """How much is played."""

    rounds: int = 30
    """The rounds of a match, of which there are three for each deal."""
    deals: int = 8
    games: int = 1200
    """Enough for a manager whose start and end take seconds."""


TINY = Scale(rounds=2, deals=2, games=8)


def beside(
    folder: Path, managers: Mapping[str, str], *, cores: int, repetitions: int, scale: Scale
) -> tuple[str, dict[str, str]]:
    """The table of ratios, with what starts up and without; and why some were not measured.

    `managers` are paths by name. What is left without the start-up is what a run takes longer than a short one.
    """
    bot, engine = compiled("instant", folder), compiled("uci", folder)
    golfref = partial(tournament, bot, workers=min(cores, AT_ONCE), deals=scale.deals, jobs=AT_ONCE)
    ways: dict[str, Way] = {
        GOLFREF: partial(golfref, rounds=scale.rounds),
        f"{GOLFREF}, short": partial(golfref, rounds=1),
    }
    for name, path in managers.items():
        ways[name] = partial(manager, name, path, engine, games=scale.games, at_once=AT_ONCE)
        ways[f"{name}, short"] = partial(manager, name, path, engine, games=AT_ONCE, at_once=AT_ONCE)
    figures, skipped = interleaved(ways, repetitions, uncounted=0)
    whole = {name: [one.rate for one in some] for name, some in figures.items() if not name.endswith("short")}
    going = {
        name: list(map(_without_start, figures[name], figures[f"{name}, short"]))
        for name in whole
        if f"{name}, short" in figures
    }
    lines = [line for words, rates in (("whole", whole), ("without start-up", going)) for line in _lines(words, rates)]
    align = ("left", "right", "right", "left", "left")
    headers = ["games of C programs", "decisions/s", "golfref to it", "aim", ""]
    return tabulate(lines, headers=headers, colalign=align, disable_numparse=True), skipped


def _without_start(whole: Figure, short: Figure) -> float:
    """Decisions a second of what a whole run has more than a short one."""
    return (whole.decisions - short.decisions) / (whole.seconds - short.seconds)


def _lines(words: str, rates: Mapping[str, Sequence[float]]) -> list[list[str]]:
    lines = []
    for name, some in rates.items():
        ratio = None
        if name != GOLFREF and GOLFREF in rates:
            ratio = median([ours / theirs for ours, theirs in zip(rates[GOLFREF], some, strict=True)])
        aim = AIMS.get(name)
        has_aim = ratio is not None and aim is not None
        lines.append(
            [
                f"{name}, {words}",
                f"{median(some):.0f}",
                "" if ratio is None else f"{ratio:.2f}",
                f"at least {aim:g}" if has_aim else "",
                ("yes" if ratio >= aim else "no") if ratio is not None and aim is not None else "",
            ]
        )
    return lines
