"""What lies beside the store of a run about versions of bots: what builds said, and the letters of checks."""

from pathlib import Path

from referee.competition.letters import kept_letter
from referee.entries.built import read_log
from referee.entries.shelf import Shelf


def kept_texts(run: Path, bot: str, version: str) -> dict[str, bytes]:
    """By the end of a file's name what is kept about this version of a bot of the run in this store."""
    shelf = Shelf(run.absolute().parent)
    texts = {"build.log": read_log(shelf, version), "check.txt": kept_letter(shelf, bot, version)}
    return {name: text for name, text in texts.items() if text is not None}
