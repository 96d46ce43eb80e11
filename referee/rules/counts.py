"""What each seat did in a match and how often, and what its wrong slaps cost it, from the events of its game."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from protocol.cards import Card
from protocol.events import Drew, Knocked, Round, Scored, Showdown, Slapped, WindowClosed
from referee.rules.game import Game
from referee.rules.match import RoundResult
from referee.rules.scoring.knocker import score_round
from referee.rules.scoring.scoring import layout_score


class SlapCounts(Struct, frozen=True, kw_only=True):
    """How many slaps of a bot came out how (CAC-26). A slap of a card that an earlier slap took is none of them."""

    right: int = 0
    wrong: int = 0
    late: int = 0
    """Right, but another bot was first."""

    def __add__(self, other: "SlapCounts") -> "SlapCounts":
        return SlapCounts(right=self.right + other.right, wrong=self.wrong + other.wrong, late=self.late + other.late)


class WrongSlap(Struct, frozen=True, kw_only=True):
    """A wrong slap that brought the slapper a card (CAC-28, CAC-30), and what that came to at the showdown."""

    owner: int
    """The seat whose card was slapped."""
    round: int
    window: int
    """The number of the slap window in its round."""
    scored: int
    """What the slapper scored in the round."""
    without: int
    """What the rules would have had it score if the slot of that card had been empty at the showdown."""

    @property
    def cost(self) -> int:
        """What the slap cost in this round."""
        return self.scored - self.without


class Actions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a bot did and how often, in all rounds of its matches, playoffs included."""

    pile_takes: int = 0
    """How often it drew from the pile."""
    knocks: int = 0
    ends: int = 0
    """How many rounds it ended: it knocked, or was the first to finish."""
    ends_won: int = 0
    """In how many of these no bot scored less."""
    ends_penalised: int = 0
    """In how many of these the rules added points to those of its cards."""
    slaps: SlapCounts | None = None
    """None where the game has no slaps."""

    def __add__(self, other: "Actions") -> "Actions":
        slaps = [one.slaps for one in (self, other) if one.slaps is not None]
        return Actions(
            pile_takes=self.pile_takes + other.pile_takes,
            knocks=self.knocks + other.knocks,
            ends=self.ends + other.ends,
            ends_won=self.ends_won + other.ends_won,
            ends_penalised=self.ends_penalised + other.ends_penalised,
            slaps=sum(slaps, SlapCounts()) if slaps else None,
        )


class SeatCounts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat did in all rounds of a match, playoffs included."""

    knocks: int = 0
    pile_takes: int = 0
    """How often it drew from the pile."""
    slaps: SlapCounts | None = None
    """None where the game has no slaps."""
    dearest: WrongSlap | None = None
    """The wrong slap that cost it the most, the first of equal ones. None where none cost anything."""


def actions_of(seat: int, counts: SeatCounts, rounds: Iterable[RoundResult]) -> Actions:
    """What the bot on this seat did in a match with these counts and rounds."""
    ended = [one for one in rounds if one.ender == seat]
    penalised = [one for one in ended if one.scores[seat] > one.raw[seat]]
    return Actions(
        pile_takes=counts.pile_takes,
        knocks=counts.knocks,
        ends=len(ended),
        ends_won=sum(one.scores[seat] == min(one.scores) for one in ended if one not in penalised),
        ends_penalised=len(penalised),
        slaps=counts.slaps,
    )


def seat_counts(game: Game) -> tuple[SeatCounts, ...]:
    """By seat what was done in a game so far."""
    seats = game.table.seats
    knocks, takes, slaps = [0] * seats, [0] * seats, [SlapCounts()] * seats
    for event in game.events:
        match event:
            case Knocked(seat=seat):
                knocks[seat] += 1
            case Drew(seat=seat, source="pile"):
                takes[seat] += 1
            case Slapped(seat=seat, verdict=verdict):
                slaps[seat] += SlapCounts(**{verdict: 1})
    has_slaps = game.table.options.slaps
    dearest: dict[int, WrongSlap] = {}
    for seat, slap in _wrong_slaps(game) if has_slaps else ():
        if slap.cost > (dearest[seat].cost if seat in dearest else 0):
            dearest[seat] = slap
    return tuple(
        SeatCounts(
            knocks=knocks[seat],
            pile_takes=takes[seat],
            slaps=slaps[seat] if has_slaps else None,
            dearest=dearest.get(seat),
        )
        for seat in range(seats)
    )


def _wrong_slaps(game: Game) -> Iterator[tuple[int, WrongSlap]]:
    """The wrong slaps that brought a card, in rounds that have been scored, each with the seat of its slapper."""
    number, window = 0, 1
    penalties: list[tuple[int, int, int, int]] = []
    layouts: list[list[Card | None]] = []
    for event in game.events:
        match event:
            case Round():
                number, window = event.round, 1
                penalties.clear()
            case WindowClosed():
                window += 1
            case Slapped(verdict="wrong", new_slot=int(slot)):
                penalties.append((event.seat, slot, event.target[0], window))
            case Showdown():
                layouts = [[seen.value for seen in cards] for cards in event.layouts]
            case Scored():
                for seat, slot, owner, at in penalties:
                    without = _score_without(game, event, seat, layouts[seat], slot)
                    yield (
                        seat,
                        WrongSlap(owner=owner, round=number, window=at, scored=event.scores[seat], without=without),
                    )


def _score_without(game: Game, scored: Scored, seat: int, cards: list[Card | None], slot: int) -> int:
    """What a seat would have scored in a round if this slot had been empty at the showdown."""
    variant, raw = game.table.variant, list(scored.raw)
    raw[seat] = layout_score(variant, [*cards[:slot], None, *cards[slot + 1 :]])
    return score_round(variant, raw, scored.ender if len(raw) > 1 else None)[seat]
