"""replay --step: a recorded match on the terminal, event by event, forwards and backwards."""

from contextlib import closing

from protocol.text import printable
from referee.commands.console import CHECK_FAILED, DONE, USAGE, say
from referee.commands.records import load_record, place_of
from referee.film.film import Film
from referee.kit.screen import terminal
from referee.rules.record import BrokenRecord, NoRecord
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


def step_through(where: str, seat: int | None, at: str | None = None) -> int:
    """Step through the match that `where` names, from this moment on, at first as the public or as this seat saw it."""
    try:
        record = load_record(where)
        if seat is not None and not 0 <= seat < len(record.seats):
            raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {seat}")
        film = Film(record)
        number = 0 if at is None else _frame(film, at)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    except (BrokenRecord, ValueError) as error:  # options or keys that there cannot be, too
        say(f"golfref: {where}: {error}")
        return CHECK_FAILED
    if why := terminal.problem():
        say(f"golfref replay: {why}")
        return USAGE
    terminal.prepare()
    # textual takes long to import, and may be missing
    from referee.kit.screen.pages import Terminal  # noqa: PLC0415
    from referee.kit.watch.step import StepPage  # noqa: PLC0415

    Terminal(StepPage(film, _named(where), terminal.glyphs(), seat, number)).run(mouse=False)
    return DONE


def _frame(film: Film, moment: str) -> int:
    """The number of the frame that is called so. Raises NoRecord."""
    names = [frame.name for frame in film.frames]
    if moment in names:
        return names.index(moment)
    some = f"r1t2 (round 1, turn 2) or {names[-1]}, the last one"
    raise NoRecord(f"--at: this match has no moment {printable(moment, 40)}; expected one such as {some}")


def _named(where: str) -> str:
    """Which match it is, in a few words."""
    place = place_of(where)
    if place.is_store and place.number is not None:
        with closing(Store.open(place.path)) as store:
            row = store.match(place.number) if place.is_id else store.planned(place.number)
            bots = ", ".join(row.identity.bots)
        return printable(f"{'match #' if place.is_id else 'match '}{place.number}: {bots}", 60)
    return printable(f"game {place.number or 0} of {place.path.name}", 60)
