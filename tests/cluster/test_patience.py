"""How long a run waits while no host plays, and what it says of that."""

import time

import pytest

from referee.cluster.patience import Absence, Patience


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is, in seconds."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_hosts_that_get_ready_are_waited_for_without_a_word(at: list[float]) -> None:
    said: list[str] = []
    waiting = Patience(said.append)
    assert waiting.left_s(Absence.NOT_READY) == 300
    at[0] += 301
    assert waiting.left_s(Absence.NOT_READY) == 0
    assert waiting.why == "no host was ready to play within 300 s"
    assert said == []


def test_others_are_waited_for_anew_whenever_one_has_come(at: list[float]) -> None:
    said: list[str] = []
    waiting = Patience(said.append)
    for _ in range(2):
        assert waiting.left_s(Absence.LEFT_OUT) == 30
        at[0] += 20
        assert waiting.left_s(Absence.LEFT_OUT) == 10
        assert waiting.left_s(Absence.NOT_READY) > 200
    assert said == ["no host that is there can play; waiting for others for 30 s"] * 2
    assert waiting.left_s(Absence.LEFT_OUT) == 30
    at[0] += 30
    assert waiting.left_s(Absence.LEFT_OUT) == 0
    assert waiting.why == "all hosts that are there are left out, and no other came within 30 s"


def test_a_host_that_was_lost_may_come_again(at: list[float]) -> None:
    said: list[str] = []
    waiting = Patience(said.append, wait_s=500.0)
    at[0] += 100
    assert waiting.left_s(Absence.NOBODY) == 400
    assert said == ["no host is there; waiting for hosts for 400 s"]


def test_who_does_not_want_to_wait_waits_for_hosts_that_get_ready(at: list[float]) -> None:
    said: list[str] = []
    waiting = Patience(said.append, wait_s=5.0)
    at[0] += 1
    assert waiting.left_s(Absence.LEFT_OUT) == 4
    assert waiting.left_s(Absence.NOT_READY) == 299
    at[0] += 4
    assert waiting.left_s(Absence.NOBODY) == 0
    assert waiting.why == "no host came within 5 s"


def test_where_no_others_can_come_none_are_waited_for() -> None:
    said: list[str] = []
    waiting = Patience(said.append, can_others_come=False)
    assert waiting.left_s(Absence.LEFT_OUT) == 0
    assert waiting.why == "all hosts that are there are left out"
    assert said == []
