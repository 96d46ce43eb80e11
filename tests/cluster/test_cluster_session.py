"""Tournaments on a Dask cluster, through the command line: the same results as alone, whoever is killed meanwhile."""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import Cluster
from commands import GOLFREF, golfref, until_more_are_committed
from measured import unmeasured_document
from needs import need_modules
from processes import PATIENCE_S, Marked
from quick import QUICK

from referee.cluster.where import ClusterFailed, Where

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

CONFIG = """
[tournament]
name = "run"
seed = "abc"
deals = {deals}
[time]
start_s = 60.0
move_s = 600.0
bank_s = 600.0
slap_s = 60.0
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
"""
BOT = '[[bots]]\nname = "{name}"\n{how}\nenv = {{ {env} }}\n'


class Folder:
    """A folder with a tournament in it, of bots that carry the mark."""

    def __init__(self, path: Path, mark: dict[str, str], deals: int) -> None:
        path.mkdir()
        env = ", ".join(f'{name} = "{value}"' for name, value in mark.items())
        bots = "".join(BOT.format(name=name, how=QUICK, env=env) for name in ("ann", "bea", "cid"))
        (path / "run.toml").write_text(CONFIG.format(deals=deals) + bots)
        self.path, self.store, self._mark = path, path / "run.golfref", mark

    def start(self, address: str) -> "subprocess.Popen[str]":
        """Play on a cluster."""
        command = [
            *GOLFREF,
            "tournament",
            "run.toml",
            "--cluster",
            address,
            *["--insecure-cluster"] * ("tcp:" in address),
        ]
        return subprocess.Popen(
            command,
            cwd=self.path,
            env=os.environ | self._mark | {"TMPDIR": str(self.path)},  # what a killed run has packed stays there
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def results(self, *words: str) -> Any:
        """Play to the end, verify, and return the document without what is measured, or tells of hosts."""
        document = json.loads(golfref("tournament", "run.toml", "--json", *words, cwd=self.path)[0])
        assert "all holds" in golfref("verify", "run.golfref", cwd=self.path)[0]
        return unmeasured_document(document, "digest", "history", "hosts", "lateness", "voided", "void_reasons")


def said_at_end(run: "subprocess.Popen[str]", *, code: int) -> str:
    _, said = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == code, said
    assert "Traceback" not in said
    assert "distributed" not in said
    return said


@pytest.fixture
def make_folder(tmp_path: Path, mark: dict[str, str]) -> Callable[[str, int], Folder]:
    return lambda name, deals: Folder(tmp_path / name, mark, deals)


@pytest.fixture
def cluster(tmp_path: Path, mark: dict[str, str]) -> Iterator[Cluster]:
    need_modules("distributed", extra="cluster")
    cluster = Cluster(tmp_path, mark)
    yield cluster
    cluster.close()


def test_a_cluster_that_is_started_here_is_gone_with_a_run_that_is_killed_and_the_next_one_goes_on(
    make_folder: Callable[[str, int], Folder], until_gone: Callable[[], None], marked: Marked
) -> None:
    need_modules("distributed", "cryptography", extra="cluster")
    folder = make_folder("cluster", 4)
    scratch = folder.path / "dask-scratch-space"  # Dask's own, from which its processes import
    scratch.mkdir(mode=0o777)
    run = folder.start("local:2")
    until_more_are_committed(folder.store, 2)
    run.kill()
    run.communicate()
    until_gone()
    assert not marked()

    assert folder.results("--cluster", "local:1") == make_folder("alone", 4).results()
    assert not list(scratch.iterdir()), "another user may have made this folder"


def test_a_cluster_that_is_started_here_serves_nobody_who_lacks_its_key(
    make_folder: Callable[[str, int], Folder], until_gone: Callable[[], None], marked: Marked
) -> None:
    need_modules("distributed", "cryptography", extra="cluster")
    psutil = pytest.importorskip("psutil")  # which comes with Dask
    folder = make_folder("cluster", 1000)
    run = folder.start("local:1")
    until_more_are_committed(folder.store, 1)
    dask = [pid for pid, command in marked().items() if "cluster.local" in command or "multiprocessing" in command]
    sockets = [one for pid in dask for one in psutil.Process(pid).net_connections() if one.status == "LISTEN"]
    stranger = ssl.create_default_context()
    stranger.check_hostname, stranger.verify_mode = False, ssl.CERT_NONE
    stranger.maximum_version = ssl.TLSVersion.TLSv1_2  # there the handshake itself fails without a certificate
    assert len(sockets) == 3, "a scheduler, a nanny and a worker"
    for one in sockets:
        assert one.laddr.ip == "127.0.0.1"
        ssl.get_server_certificate(one.laddr)
        with socket.create_connection(one.laddr) as line, pytest.raises(OSError, match=r"ALERT|reset|EOF"):
            stranger.wrap_socket(line)
    for address in (f"tcp://127.0.0.1:{one.laddr.port}", f"tls://127.0.0.1:{one.laddr.port}"):
        said = said_at_end(make_folder(address[:3], 1).start(address), code=3)
        assert f"the desk and the Dask scheduler at {address} do not agree on TLS" in said
    run.kill()
    run.communicate()
    until_gone()


def test_hosts_and_what_runs_on_them_are_killed_and_the_results_are_those_of_one_machine(
    cluster: Cluster, make_folder: Callable[[str, int], Folder]
) -> None:
    folder = make_folder("cluster", 6)
    cluster.start_scheduler()
    for name in ("one", "two", "three"):
        cluster.start_host(name)
    run = folder.start(cluster.address)
    until_more_are_committed(folder.store, 2)
    cluster.kill_host("one")
    until_more_are_committed(folder.store, 8)
    for pid in cluster.processes("two", "multiprocessing"):  # Dask's own process; its nanny starts another one
        os.kill(pid, signal.SIGKILL)
    cluster.hosts["three"].kill()  # the nanny, with which the worker ends
    said = said_at_end(run, code=0)
    lost = "\nhost `one` has left the cluster, or was lost\n"
    assert lost in said
    assert lost in golfref("standings", "run.golfref", "--hosts", cwd=folder.path)[0]

    assert folder.results() == make_folder("alone", 6).results()


@pytest.mark.full  # Dask takes long to see that its scheduler is gone
def test_without_its_scheduler_a_run_ends_and_the_same_command_goes_on(
    cluster: Cluster, make_folder: Callable[[str, int], Folder]
) -> None:
    folder = make_folder("cluster", 4)
    cluster.start_scheduler()
    cluster.start_host("one")
    run = folder.start(cluster.address)
    until_more_are_committed(folder.store, 2)
    cluster.scheduler.kill()
    said = said_at_end(run, code=3)
    assert f"the scheduler at {cluster.address} is gone, or cannot be reached any more; " in said
    assert "of 24 matches are stored; go on with: golfref tournament run.toml --cluster tcp://" in said

    said = said_at_end(folder.start(cluster.address), code=3)
    assert f"golfref: no Dask scheduler answers at {cluster.address}" in said

    assert folder.results() == make_folder("alone", 4).results()


def test_a_run_ends_where_all_hosts_that_there_can_be_are_left_out(
    make_folder: Callable[[str, int], Folder], until_gone: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    need_modules("distributed", "cryptography", extra="cluster")
    folder = make_folder("run", 1)
    monkeypatch.setenv("GOLFREF_HOST_FOLDER", str(folder.path / "run.toml"))
    said = said_at_end(folder.start("local:1"), code=3)

    assert "host local-1 is left out: bots cannot be kept there: " in said
    assert "all hosts that are there are left out; nothing was played" in said
    until_gone()  # what Dask's processes share ends a moment after them


def test_why_a_cluster_cannot_be_started_here_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    need_modules("distributed", "cryptography", extra="cluster")
    from referee.cluster import session

    monkeypatch.setattr(session, "START", "raise OSError(24, 'Too many open files')")
    hosts = session.ClusterSession(Where(local=1), jobs=None, workers=None, tell=lambda _: None)
    with (
        pytest.raises(ClusterFailed, match=r"cannot start a cluster: OSError: \[Errno 24\] Too many open files"),
        hosts,
    ):
        pass


def test_without_the_library_a_cluster_is_refused(make_folder: Callable[[str, int], Folder]) -> None:
    folder = make_folder("run", 1)
    before = "import sys; sys.modules['distributed'] = None; from referee.commands import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", before, "tournament", "run.toml", "--cluster", "local:1"],
        cwd=folder.path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2, done.stderr
    wanted = (
        "golfref: --cluster needs the library `distributed`, which is not installed: pip install 'golfref[cluster]'"
    )
    assert wanted in done.stderr
