"""What the players of all families share: they keep the book, and a method for each decision answers requests."""

from typing import Any

from book import Book

LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
"""What to answer where nothing better is known: the first of these that is legal."""

PLENTY_S = 0.2
"""With so much time for an answer everything is tried that is worth it. What is tried is counted, never timed."""

Offers = list[dict[str, Any]]
Action = dict[str, Any]
Choice = tuple[float, Action]
"""A value, lower is better, and the action that leads to it."""


class Player:
    """One match: enters events into the book and answers requests.

    A family's player has a method `choose_` for each decision that it knows, which returns the action, or None where it
    has no opinion. `choose_slap` is called before anything else is looked at, since the fastest slap wins.
    """

    def __init__(self, match: dict[str, Any]) -> None:
        self.match = match
        self.options: dict[str, Any] = match["options"]
        self.seat: int = match["seat"]
        self.others = [seat for seat in range(match["seats"]) if seat != self.seat]
        self.book = Book(match)
        self.effort = 1.0

    def decide(self, request: dict[str, Any]) -> Action:
        """The action for a request."""
        for event in request["events"]:
            self.book.read(event)
        offers: Offers = request["legal"]
        self.effort = min(1.0, request["time_s"] / PLENTY_S)
        if request["decision"] != "slap":
            if "table" in request:
                self.book.correct(request["table"])
            self.prepare(request)
        choose = getattr(self, "choose_" + request["decision"], None)
        action: Action | None = choose(offers) if choose is not None else None
        return action or least_committal(offers)

    def count(self, most: int, least: int = 1) -> int:
        """How many of something to try: so many at most, fewer where there is little time for this answer."""
        return max(least, int(most * self.effort))

    def prepare(self, request: dict[str, Any]) -> None:
        """What all decisions but slaps need first; nothing here."""


def choices(offers: Offers, kind: str, field: str) -> list[Any]:
    """The values that the offer of this kind has for a field; none where it is not offered."""
    for offer in offers:
        if offer["kind"] == kind:
            choice = offer[field]
            values: list[Any] = choice.get("one_of") or choice.get("of") or choice.get("any_of") or []
            return values
    return []


def offers_kind(offers: Offers, kind: str) -> bool:
    return any(offer["kind"] == kind for offer in offers)


def best_of(found: list[Choice]) -> Action | None:
    """The action of least value, the first of equals; None when there is nothing to choose from."""
    return min(found, key=lambda choice: choice[0])[1] if found else None


def least_committal(offers: Offers) -> Action:
    """A legal answer to whatever is asked: decline where that is offered, else the first values of the first offer."""
    by_kind = {offer["kind"]: offer for offer in reversed(offers)}
    kind = next((kind for kind in LEAST_COMMITTAL if kind in by_kind), offers[0]["kind"])
    action: Action = {"kind": kind}
    for field, choice in by_kind[kind].items():
        if field != "kind":
            action[field] = choice["one_of"][0] if "one_of" in choice else choice.get("of", [])[: choice.get("pick", 0)]
    return action
