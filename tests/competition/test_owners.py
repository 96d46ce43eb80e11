"""Whose a submission is: an entry keeps its owner unless the organiser says otherwise."""

import pytest
from msgspec.structs import replace

from referee.competition.submissions.owners import Claims, owner_of
from referee.competition.submissions.refusal import Refused

NEW = Claims(by_config="", by_organiser="", sender="", said="", is_new=True, current="")
ANNS = replace(NEW, is_new=False, current="Ann")
NOBODYS = replace(NEW, is_new=False)


@pytest.mark.parametrize(
    ("claims", "owner"),
    [
        (NEW, ""),
        (replace(NEW, said="Ann"), "Ann"),
        (replace(NEW, sender="Ann"), "Ann"),
        (replace(NEW, sender="Ann", said="Ann"), "Ann"),
        (replace(NEW, by_organiser="Bob", said="Ann"), "Bob"),
        (replace(NEW, by_config="Bob", said="Ann"), "Bob"),
        (ANNS, "Ann"),
        (replace(ANNS, said="Ann", sender="Ann"), "Ann"),
        (replace(ANNS, by_organiser="Bob"), "Bob"),
        (replace(ANNS, by_config="Ann", said="Bob"), "Ann"),
        (NOBODYS, ""),
        (replace(NOBODYS, by_organiser="Ann"), "Ann"),
    ],
)
def test_an_owner_is_settled(claims: Claims, owner: str) -> None:
    assert owner_of("bot", claims) == owner


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        (replace(NEW, sender="Bob", said="Ann"), "it came from Bob"),
        (replace(ANNS, said="Bob"), "is Ann's, and its bot.toml says Bob"),
        (replace(ANNS, sender="Bob"), "is Ann's, and this came from Bob"),
        (replace(ANNS, sender="Bob", said="Ann"), "this came from Bob"),
        (replace(NOBODYS, sender="Bob"), "the organiser's own"),
        (replace(NOBODYS, said="Bob"), "the organiser's own"),
        (replace(ANNS, by_config="Ann", sender="Bob"), "by the organiser's config"),
        (replace(ANNS, by_config="Ann", by_organiser="Bob"), "`--owner` says Bob"),
    ],
)
def test_an_entry_is_not_taken_over(claims: Claims, words: str) -> None:
    with pytest.raises(Refused, match=words):
        owner_of("bot", claims)
