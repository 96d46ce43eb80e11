"""Whose the parts are that are published for authors."""

from typing import cast

import pytest
from msgspec import Struct

from referee.competition.publishing import authors
from referee.tournament.store.store import Store


class _Bot(Struct, frozen=True):
    name: str
    owner: str


class _Facts(Struct, frozen=True):
    bots: tuple[_Bot, ...]


class _Run:
    def configs(self) -> list[_Facts]:
        return [
            _Facts(
                bots=(
                    _Bot("greedy", ""),
                    _Bot("greedy (bot)", ""),
                    _Bot("one", "greedy"),
                    _Bot("two", "greedy (bot)"),
                    _Bot("three", "greedy"),
                )
            )
        ]


def test_nobody_gets_the_part_of_another_whatever_owners_and_bots_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authors, "bots_of_run", lambda _: [])
    found = authors.authors_of(cast(Store, _Run()))
    assert {tuple(one.bots): one.owner for one in found} == {
        ("greedy",): "",
        ("greedy (bot)",): "",
        ("one", "three"): "greedy",
        ("two",): "greedy (bot)",
    }
    assert len({one.folder.casefold() for one in found}) == len(found)
