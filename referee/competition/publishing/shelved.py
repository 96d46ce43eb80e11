"""What lies beside the store of a run about versions of bots: what builds said, and the letters of checks."""

from pathlib import Path

from referee.competition.letters import kept_letter
from referee.versions.store import VersionStore


def kept_texts(run: Path, bot: str, version: str) -> dict[str, bytes]:
    """By the end of a file's name what is kept about this version of a bot of the run in this store."""
    versions = VersionStore(run.absolute().parent)
    texts = {"build.log": versions.build_log(version), "check.txt": kept_letter(versions, bot, version)}
    return {name: text for name, text in texts.items() if text is not None}
