"""Configs of tournaments in the current folder, and what is wrong with them."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from referee.tournament.config.config import Config, ConfigError, load

HEAD = '[tournament]\nname = "demo"\n'
GAME = '[[variants]]\npreset = "six-card"\n'


def bots(names: Iterable[str], **more: str) -> str:
    """A table for each bot, which plays like greedy; `more` are further keys of all of them."""
    keys = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    return "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "greedy"\n{keys}' for name in names)


EIGHT = bots("abcdefgh")


def contest(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """The folder of a config with the entries `ann`, `bea` and `cid`; it becomes the current one."""
    here = folder / "contest"
    for name in ("ann", "bea", "cid"):
        (here / "entries" / name).mkdir(parents=True)
        (here / "entries" / name / "bot.py").write_text(f"print({name!r})\n")
    patch.chdir(here)
    return here


def loaded(*parts: str) -> Config:
    """The config of these texts, written to `c.toml`."""
    Path("c.toml").write_text("".join(parts), encoding="utf-8")
    return load("c.toml")


def problems(*parts: str) -> list[str]:
    """All that is wrong with the config of these texts."""
    with pytest.raises(ConfigError) as caught:
        loaded(*parts)
    return list(caught.value.lines)
