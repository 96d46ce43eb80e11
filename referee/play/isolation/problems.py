"""What keeps a bot from being started under a level of isolation, looked for before play."""

from referee.play.isolation.shown import Unfit
from referee.play.spec import BotSpec, Isolation, find_command


def find_problem(spec: BotSpec, isolation: Isolation) -> str | None:
    """What keeps a bot from being started under this level, in words; None where nothing does."""
    if problem := find_command(spec):
        return problem
    if isolation == "bwrap":
        from referee.play.isolation.cell import cell_of  # noqa: PLC0415 - the other levels need nothing of cells

        try:
            cell_of(spec)
        except Unfit as error:
            return str(error)
    return None
