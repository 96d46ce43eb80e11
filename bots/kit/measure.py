"""The measure: what a layout costs, its score less what the turns to come will save.

A card that has not been seen is worth what the unseen ones are worth on average. One turn can save the *prospect*: the
average of what each unseen card saves where it saves most. That alone pairs up columns and keeps a dear card whose
partner may yet come. The measure knows nothing of turns, other seats or what may be answered. It reckons with ranks,
which is quick: a rank whose cards differ (the red kings of Powers) counts its average over the suits.
"""

from collections.abc import Collection
from typing import Any

from kit.cards import CHOSEN, SUITS, UNKNOWN, Layout, points_of, rank
from kit.groups import Face, Part, parts_of
from kit.unseen import Unseen

CHOSEN_SHARE = 0.6
"""What a chosen card is worth, as a share of an unknown one."""

Study = tuple[float, list[float]]
"""The score of some cards, and what each new card would save there, by its rank."""

BARRED = -1000.0
"""What a card saves where no slot can take it."""


class Measure:
    """What layouts cost, with the card values and the cancelling lines of this match."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.match = match
        self.values: dict[str, int] = match["values"]
        self.slaps: bool = match["options"].get("slaps", False)
        self.jokers_pair = match["options"].get("joker_pair", "zero") == "zero"
        self.suits_matter = match["options"].get("par_table", {}).get("name", "ours-1") != "ours-1"
        self.pairs_need_a_turn = match["variant"] == "two-deck" and not match["options"].get("pairs_zero_at_end")
        unseen = Unseen(match)
        self.new_faces = [Face(rank, self.mean_points(rank)) for rank in unseen.ranks]
        self.parts_by_rows: dict[int, list[Part]] = {}
        self.reckon(unseen, match["rows"])

    def mean_points(self, rank: str) -> float:
        return sum(self.values.get(rank + suit, self.values[rank]) for suit in SUITS) / len(SUITS)

    def reckon(self, unseen: Unseen, rows: int) -> None:
        """Take over what is unseen now, and of how many rows layouts are; called before each decision."""
        if rows not in self.parts_by_rows:
            self.parts_by_rows[rows] = parts_of(self.match, rows)
        self.parts, self.size = self.parts_by_rows[rows], rows * self.match["columns"]
        total = max(1, unseen.total)
        self.chances = [number / total for number in unseen.ranks.values()]
        average = sum(chance * face.points for chance, face in zip(self.chances, self.new_faces, strict=True))
        self.faces: dict[Any, Face] = {
            UNKNOWN: Face(None, average),
            CHOSEN: Face(None, CHOSEN_SHARE * average),
            None: Face(None, 0),
        }
        self.studied: dict[tuple[Any, ...], Study] = {}
        self.costs: dict[tuple[Any, ...], float] = {}

    def face(self, card: str | None) -> Face:
        face = self.faces.get(card)
        if face is None and card is not None:
            points = points_of(card, self.values)
            suit = card[-1] if self.suits_matter else ""
            pairs = card[0] != "X" or self.jokers_pair
            face = self.faces[card] = Face(rank(card) if pairs else None, points, suit)
        return face or Face(None, 0)

    def points(self, card: str | None) -> float:
        return self.face(card).points

    def is_equal(self, card: str, discard: str) -> bool:
        """Whether it is right to slap this card onto that one."""
        if self.match["options"].get("slap_match") == "points":
            return self.points(card) == self.points(discard)
        return rank(card) == rank(discard)

    def score_of_row(self, cards: Collection[str | None]) -> float:
        """Par golf: what two cards score as a row, the order being the same."""
        return self.parts[0].score([self.face(card) for card in cards])

    def cost(self, layout: Layout, turns: int = 0, fixed: Collection[int] = ()) -> float:
        """The expected score of a layout after so many more turns of its owner, who cannot change the `fixed` slots.

        The first turn is worth half of the prospect, each further one half as much as the one before: the round may
        end sooner, and what is saved once cannot be saved again.
        """
        key = (tuple(layout), turns, tuple(fixed))
        if key not in self.costs:
            self.costs[key] = self.reckon_cost(layout, turns, fixed)
        return self.costs[key]

    def reckon_cost(self, layout: Layout, turns: int, fixed: Collection[int]) -> float:
        if self.pairs_need_a_turn and turns <= 0:
            return sum([self.points(card) for card in layout])
        score = sum([score for score, _ in self.studies(layout, fixed)])
        return score - (1 - 0.5**turns) * self.prospect(layout, fixed) if turns > 0 else score

    def prospect(self, layout: Layout, fixed: Collection[int] = (), least: float = 0.0) -> float:
        """What one unseen card is expected to save when it is put where it saves most, or nowhere.

        Where it must be put somewhere, `least` is far below 0.
        """
        best = [least] * len(self.chances)
        for _, saved in self.studies(layout, fixed):
            best = list(map(max, best, saved))
        return sum([chance * saved for chance, saved in zip(self.chances, best, strict=True)])

    def studies(self, layout: Layout, fixed: Collection[int]) -> list[Study]:
        """The layout part by part; cards beyond the dealt ones stand alone."""
        faces = [self.face(card) for card in layout]
        free = [card is not None and slot not in fixed for slot, card in enumerate(layout)]
        dealt = [
            self.study(part, tuple([faces[slot] for slot in part.slots]), tuple([free[slot] for slot in part.slots]))
            for part in self.parts
        ]
        alone = [self.study(LONE, (faces[slot],), (free[slot],)) for slot in range(self.size, len(layout))]
        return dealt + alone

    def study(self, part: Part, faces: tuple[Face, ...], free: tuple[bool, ...]) -> Study:
        """The study of a part; mostly only a card whose rank is there already can count together with others."""
        key = (part.score, faces, free)
        if key not in self.studied:
            score, plain = part.score(faces), sum([face.points for face in faces])
            dearest = max([face.points for face, may in zip(faces, free, strict=True) if may], default=BARRED)
            ranks = {face.rank for face in faces}
            saved = [
                dearest - new.points
                if part.by_rank and score == plain and new.rank not in ranks
                else self.best_use(part, faces, free, new)
                for new in self.new_faces
            ]
            self.studied[key] = score, saved
        return self.studied[key]

    def best_use(self, part: Part, faces: tuple[Face, ...], free: tuple[bool, ...], new: Face) -> float:
        """What a new card saves in its best slot, or thrown away to slap an equal card of these."""
        score = part.score(faces)
        saved = [score - part.score((*faces[:slot], new, *faces[slot + 1 :])) for slot, may in enumerate(free) if may]
        slapped = [face.points for face in faces if self.slaps and face.rank == new.rank]
        return max(saved + slapped, default=BARRED)


LONE = Part((0,), lambda faces: faces[0].points, by_rank=True)
"""A card that was added to a layout."""
