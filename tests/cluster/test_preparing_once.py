"""The hosts are prepared once for the same bots: not when the command begins and again when the run does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hosts_in_memory import FOLDER_BOT, competition
from msgspec.structs import replace
from needs import need_modules

from referee.cluster.where import Where
from referee.play.spec import Cell
from referee.tournament.store.origins import Host

pytestmark = pytest.mark.cluster


class Connected:
    """Stands in for a connection to Dask: one host is ready at once."""

    def __init__(self) -> None:
        from referee.cluster.messages import Ready

        host = Host(name="lab", golfref="0", protocol="1", host="here", jobs=1)
        self.joined: Mapping[str, Ready] = {"lab": Ready(address="lab", host=host)}
        self.runs: list[str] = []

    def prepare(self, run: str, archives: Any) -> None:
        self.runs.append(run)
        assert all(b"".join(archives.pieces(one.archive)) for one in archives.demands.bots if one.archive)

    def await_hosts(self, *_: Any) -> None:
        """One is there."""


def test_bots_are_packed_once_until_one_of_them_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster import archives, session

    config = competition(tmp_path / "desk", FOLDER_BOT)
    cell = Cell(command=("sh",), folder=str(tmp_path), reads=(), env={})
    with_cells = replace(config, bots=tuple(replace(bot, cell=cell) for bot in config.bots))
    packed: list[Path] = []
    digest_of = archives.digest_of

    def counted(folder: Path) -> tuple[str, int]:
        packed.append(folder)
        return digest_of(folder)

    monkeypatch.setattr(archives, "digest_of", counted)
    hosts = session.ClusterSession(Where(address="tls://lab:1"), jobs=None, workers=None, tell=lambda _: None)
    connected: Any = Connected()
    hosts._link = connected
    with hosts._archives:
        hosts.prepare(config)
        hosts.prepare(with_cells)
        assert (len(connected.runs), len(packed)) == (1, 1)

        (tmp_path / "desk/mine/bot.py").write_text("import sys\n")
        hosts.prepare(config)
        assert (len(connected.runs), len(packed)) == (2, 2)
    hosts._archives.close()
