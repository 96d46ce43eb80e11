"""The best use of a power."""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from protocol import events as wire
from referee.highlights.course import PowerUse
from referee.highlights.highlight import Found, Match, points

DID: Mapping[type[Struct], str] = {
    wire.CardAdded: "gives {other} a card from the stock",
    wire.CardRemoved: "throws one of its cards away",
    wire.Kept: "draws two more cards and keeps one",
    wire.Planted: "puts its card in the place of one of {other}",
    wire.Rearranged: "rearranges the cards of {other}",
    wire.Switched: "swaps two cards",
}
"""What a power did, by the kind of its event."""


def best_power(match: Match) -> Found | None:
    """The most points that the user of a power gained on the others, all cards open just before and just after it."""
    used = [one for one in (match.course.powers if match.course else ()) if one.gain > 0]
    if not used:
        return None
    best = max(used, key=lambda one: one.gain)
    moved = [seat for seat in range(len(match.bots)) if best.before[seat] != best.after[seat]]
    seats = (best.seat, *(seat for seat in moved if seat != best.seat))
    return Found(
        order=Fraction(best.gain),
        score=best.gain,
        seats=seats,
        round=best.round,
        event=best.event,
        words=_in_words(best, moved),
    )


def _in_words(use: PowerUse, moved: list[int]) -> str:
    others = [seat for seat in moved if seat != use.seat]
    did = DID[use.did].format(other=f"{{{others[0]}}}" if others else "another seat")
    changes = [_change(use, "its own cards", use.seat)] if use.seat in moved else []
    changes += [_change(use, f"those of {{{seat}}}", seat) for seat in others]
    return f"{{{use.seat}}} uses a power in round {use.round} and {did}: {', '.join(changes)}."


def _change(use: PowerUse, whose: str, seat: int) -> str:
    before, after = use.before[seat], use.after[seat]
    knocked = ", which has knocked," if seat == use.ender else ""
    return f"{whose}{knocked} {'fall' if after < before else 'rise'} from {before} to {points(after)}"
