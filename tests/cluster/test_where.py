"""What `--cluster` may say."""

from pathlib import Path

import pytest

from referee.cluster.where import BadCluster, Where, where


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("local:3", Where(local=3)),
        ("tls://10.0.0.5:8786", Where(address="tls://10.0.0.5:8786")),
        ("tls://[::1]:8786", Where(address="tls://[::1]:8786")),
    ],
)
def test_clusters(text: str, found: Where) -> None:
    assert where(text, insecure=False, has_network=True) == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("local:0", "expected local:N with 1 to 16 hosts"),
        ("local:two", "expected local:N with 1 to 16 hosts"),
        ("local", "expected tcp://HOST:PORT, tls://HOST:PORT, file:SCHEDULER.json or local:N"),
        ("tcp://somewhere", "expected tcp://HOST:PORT"),
        ("tcp://somewhere:99999", "Port out of range 0-65535; expected tcp://HOST:PORT"),
        ("ucx://10.0.0.5:8786", "expected tcp://HOST:PORT"),
        ("tcp://10.0.0.5:8786", "plain tcp is refused, because whoever reaches the scheduler, on this machine too"),
        ("TCP://127.0.0.1:8786", "plain tcp is refused"),
        ("localhost:8786", "plain tcp is refused"),
        ("file:nowhere.json", "nowhere.json: No such file or directory"),
    ],
)
def test_what_is_no_cluster(text: str, problem: str) -> None:
    with pytest.raises(BadCluster) as raised:
        where(text, insecure=False, has_network=False)

    assert problem in str(raised.value)


def test_plain_tcp_is_for_those_who_trust_the_network_and_give_it_to_no_build_and_no_bot() -> None:
    assert where("10.0.0.5:8786", insecure=True, has_network=False) == Where(address="tcp://10.0.0.5:8786")
    with pytest.raises(BadCluster, match=r"plain tcp is refused where \[builds\] or a bot has network = true"):
        where("10.0.0.5:8786", insecure=True, has_network=True)


@pytest.mark.parametrize("content", ["", "[]", '{"address": 5}', "{"])
def test_what_is_no_scheduler_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "file.json").write_text(content)

    with pytest.raises(BadCluster, match="is no scheduler file, as `dask scheduler` writes it"):
        where(f"file:{tmp_path}/file.json", insecure=False, has_network=False)


def test_a_scheduler_file_is_held_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text('{"address": "tcp://10.0.0.5:8786"}')

    with pytest.raises(BadCluster, match="plain tcp is refused"):
        where(f"file:{tmp_path}/file.json", insecure=False, has_network=False)
