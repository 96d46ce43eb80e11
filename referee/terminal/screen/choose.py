"""From the offers of a request to an action, key by key: what a person can press now, and what that leads to.

Cards are chosen by their own keys: own ones by the number of their slot, those of the others by letters, or all of them
by a cursor. Everything else stands in a menu.
"""

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from msgspec import Struct

from protocol.actions import Action, Target
from protocol.cards import Card
from protocol.offers import ACTIONS, AnyOf, Choice, Offer, OneOf, Pick, Value
from referee.match_states.view import View
from referee.terminal.screen.answers import KEYS, POWERS, QUESTIONS, WORDS
from referee.terminal.screen.cursor import ARROWS, moved
from referee.terminal.screen.draw import Marks

RESERVED = "deknpqrs"
"""Letters that are no card's key: they stand for the most frequent menu entries, the rules and the way out."""

CARD_LETTERS = "".join(letter for letter in ascii_lowercase if letter not in RESERVED) + ascii_uppercase
"""The keys of the others' cards, in their order."""

_ORDER = (
    "seat", "axis", "source", "power", "par", "card", "slot", "slots", "target", "targets", "lines", "row", "rows",
)  # fmt: skip
"""In which order the fields of an action are asked for: what decides about others comes first."""


class Entry(Struct, frozen=True, kw_only=True):
    """What a key does that stands in the menu."""

    key: str
    words: str
    offer: Offer | None = None
    """The offer that is filled in from then on; None where the entry is a value of the field that is asked for."""
    filled: Mapping[str, Any] = {}
    """The fields of it that are decided by this."""
    value: Value | None = None


class WrongKey(ValueError):
    """The key means nothing now; the text says what can be pressed."""


class Chooser:
    """A request that waits for an answer. `press` takes keys until it returns the action."""

    def __init__(self, decision: str, offers: Sequence[Offer], seat: int, view: View, names: Sequence[str]) -> None:
        """`seat` is the person's own, and `view` is the table as it knows it."""
        self.decision = decision
        self._offers, self._seat, self._view, self._names = offers, seat, view, names
        self._offer: Offer | None = None
        self._filled: dict[str, Any] = {}
        self._chosen: list[Value] = []
        self._order: list[Value] = []
        """The order of cards that is being made, where a field takes all of them."""
        self._lifted: Value | None = None
        """The card that changes its place with the next one."""
        self._cursor: Target | None = None
        self._has_begun = False
        """Whether something has been chosen that can be taken back."""
        self._start()

    # What is shown

    @property
    def question(self) -> str:
        """What is to be decided, in words."""
        asked = QUESTIONS.get(self.decision, self.decision.replace("_", " "))
        if self.decision == "power" and (card := self._power_card()):
            asked = f"Use the power of {card}"
        if self.decision == "slap" and self._view.pile:
            return f"SLAP? The discard is {self._view.pile[-1]}."
        if self.decision == "turn" and self._view.knocker not in (None, self._seat):
            asked = (
                f"Your last turn, as {self._view.knocker} {self._names[self._view.knocker or 0]} has ended the round"
            )
        if self._offer is None:
            return asked
        steps = {
            "seat": "of which seat?", "slot": "which of your cards?", "target": "which card?",
            "axis": "rows or columns?", "card": "which card do you keep?", "power": "which power?",
        }  # fmt: skip
        how = steps.get(self._field, "")
        if self._field == "slot" and "card" in self._filled:
            how = f"{self._held_card(self._filled['card'])}, in place of which card?"
        elif self._field == "target" and "slot" in self._filled:
            how = "for which card?"
        choice = self._choice
        if self._order:
            how = "press two cards that change places"
        elif isinstance(choice, Pick):
            how = f"choose {choice.pick}, {len(self._chosen)} chosen"
        elif isinstance(choice, AnyOf):
            how = "choose any, Enter when it is right"
        words = WORDS.get(self._offer.kind, self._offer.kind)
        return f"{asked}: {how}" if len(self._offers) == 1 else f"{asked}: {words}: {how}"

    @property
    def can_discard(self) -> bool:
        """Whether the card in hand may be discarded."""
        return any(offer.kind == "discard" for offer in self._offers)

    def menu(self) -> list[Entry]:
        """The keys besides those of cards, and what they do."""
        return list(self._entries)

    def hints(self) -> list[tuple[str, str]]:
        """What else can be pressed, as key and words."""
        hints = []
        places = self._places()
        if places:
            keys = [label for place, label in self.labels().items() if place in places]
            what = " or ".join(dict.fromkeys(self._card_words()))
            by_cursor = f"arrows, {'Space' if self._waits_for_enter() else 'Enter'}"
            shown = _keys_in_words(keys)
            hints.append((f"{shown} or {by_cursor}" if shown else by_cursor, what))
        if self._waits_for_enter():
            hints.append(("Enter", "done" if self._order or self._chosen else "none of them"))
        if self._offer is not None and (len(self._offers) > 1 or self._has_begun):
            hints.append(("Esc", "back"))
        return hints

    def marks(self) -> Marks:
        """What to draw at the cards."""
        places = self._places()
        labels = {place: label for place, label in self.labels().items() if place in places}
        chosen = tuple(place for value in self._chosen if (place := self._place(value)) is not None)
        if self._offer is not None and self._field == "target" and "slot" in self._filled:
            chosen = ((self._seat, self._filled["slot"]),)
        if self._lifted is not None and (lifted := self._place(self._lifted)) is not None:
            chosen = (lifted,)
        return Marks(labels=labels, chosen=chosen, cursor=self._cursor)

    def arranged(self) -> tuple[int, list[int]] | None:
        """The seat whose cards are being arranged, and the slots from which its slots get their cards; None if none."""
        if not self._order:
            return None
        return self._owner(), [slot for slot in self._order if isinstance(slot, int)]

    def labels(self) -> dict[Target, str]:
        """The key of every card on the table: the same in all requests, as long as no seat gets a new slot."""
        found = {}
        letters = iter(CARD_LETTERS)
        others = [(self._seat + step) % self._view.seats for step in range(1, self._view.seats)]
        owner = self._owner()
        for slot in range(len(self._view.layouts[owner])):
            if slot < len(digits):
                found[(owner, slot)] = digits[slot]
        for seat in (self._seat, *others):
            for slot in range(len(self._view.layouts[seat])):
                if seat != self._seat or slot >= len(digits):
                    label = next(letters, "")
                    if seat != owner:
                        found[(seat, slot)] = label
        return {place: label for place, label in found.items() if label}

    # What keys do

    def press(self, key: str) -> Action | None:
        """Take a key: a character, or `enter`, `escape`, `backspace`, `left`, `right`, `up`, `down`, `space`.

        Returns the action once it is complete. Raises WrongKey where the key means nothing.
        """
        if self.decision == "slap" and key == "space":
            key = KEYS["pass"]
        if key in ARROWS and self._places():
            self._cursor = moved(self._view, self._seat, self._places(), self._cursor, key)
            return None
        if key in {"escape", "backspace"}:
            self._back()
            return None
        if key == "enter" and self._waits_for_enter():
            return self._complete(tuple(self._order or self._chosen))
        if key in {"enter", "space"} and self._cursor is not None:
            return self._take(self._cursor)
        return self._press_shown(key)

    def _press_shown(self, key: str) -> Action | None:
        """Take a key that stands in the menu or at a card."""
        for entry in self._entries:
            if entry.key == key:
                return self._enter(entry)
        labels = self.labels()
        for place in self._places():
            if labels.get(place) == key:
                return self._take(place)
        raise WrongKey(f"{_key_name(key)} means nothing here")

    def _enter(self, entry: Entry) -> Action | None:
        self._has_begun = True
        if entry.offer is not None:
            self._offer, self._filled = entry.offer, dict(entry.filled)
            return self._go_on()
        if isinstance(self._choice, OneOf):
            return self._complete(entry.value)
        return self._toggle(entry.value)

    def _take(self, place: Target) -> Action | None:
        """A card has been chosen."""
        self._has_begun = True
        if self._offer is None:
            offer, field = self._direct()[place]
            self._offer = offer
            self._field = field
            return self._complete(self._value(field, place))
        value = self._value(self._field, place)
        if self._order:
            self._lift(value)
            return None
        if isinstance(self._choice, OneOf):
            return self._complete(value)
        return self._toggle(value)

    def _toggle(self, value: Value | None) -> Action | None:
        if value is None:
            return None
        if value in self._chosen:
            self._chosen.remove(value)
            self._entries = self._field_entries()
            return None
        self._chosen.append(value)
        self._entries = self._field_entries()
        if isinstance(self._choice, Pick) and len(self._chosen) == self._choice.pick:
            return self._complete(tuple(self._chosen))
        return None

    def _lift(self, value: Value) -> None:
        """Choose the first of two cards that change places, or the second."""
        if self._lifted is None:
            self._lifted = value
        else:
            order = self._order
            one, other = self._slots().index(self._lifted), self._slots().index(value)
            order[one], order[other] = order[other], order[one]
            self._lifted = None

    def _back(self) -> None:
        """Take back the last choice, or return to the menu."""
        if self._lifted is not None:
            self._lifted = None
        elif self._chosen:
            self._chosen.pop()
            self._entries = self._field_entries()
        else:
            self._start()

    # Filling in

    def _start(self) -> None:
        """At the beginning: everything is offered."""
        self._offer, self._filled, self._chosen, self._order, self._lifted = None, {}, [], [], None
        self._field, self._has_begun = "", False
        self._choice: Choice | None = None
        self._cursor = None
        direct = {id(offer) for offer, _ in self._direct().values()}
        rest = [offer for offer in self._offers if id(offer) not in direct]
        taken = {label for place, label in self.labels().items() if place in self._direct()}
        self._entries = _with_keys(self._first_entries(rest), taken)
        if len(self._offers) == 1 and not direct and self._offers[0].choices():
            single = [field for field, choice in self._offers[0].choices().items() if _is_listed(field, choice)]
            if len(single) != len(self._offers[0].choices()):
                self._offer = self._offers[0]
                if self._go_on() is not None:  # there is one answer, which is given by its key in the menu
                    self._offer, self._filled = None, {}

    def _direct(self) -> dict[Target, tuple[Offer, str]]:
        """The cards that can be chosen at once, each with the offer and the field that this fills in.

        These are offers that ask for a card first, so long as no card stands in two of them.
        """
        found: dict[Target, tuple[Offer, str]] = {}
        if self._offer is not None:
            return found
        for offer in self._offers:
            field = _first_field(offer)
            choice = offer.choices().get(field)
            if field in {"slot", "target"} and isinstance(choice, OneOf):
                places = [self._place_of(field, value) for value in choice.one_of]
                if not any(place in found for place in places):
                    found.update(dict.fromkeys(places, (offer, field)))
        return found

    def _first_entries(self, offers: Sequence[Offer]) -> Iterator[tuple[str, str, Entry]]:
        """The menu of the beginning, each entry with the keys that it would like."""
        for offer in offers:
            words = WORDS.get(offer.kind, offer.kind.replace("_", " "))
            choices = offer.choices()
            if not choices:
                yield KEYS.get(offer.kind, offer.kind[0]), words, Entry(key="", words=words, offer=offer)
                continue
            listed = next((field for field in _ORDER if field in choices and _is_listed(field, choices[field])), None)
            if listed is None:
                yield KEYS.get(offer.kind, offer.kind[0]), words, Entry(key="", words=words, offer=offer)
                continue
            for value in _values(choices[listed]):
                said = self._value_in_words(listed, value)
                axis = choices.get("axis")
                lines = f" ({axis.one_of[0]}s)" if isinstance(axis, OneOf) else ""
                wish = str(value) if listed in {"row", "par", "power", "card"} else KEYS.get(offer.kind, "")
                wish = KEYS.get(str(value), wish)
                text = (words.format(said) if "{}" in words else f"{words} {said}") + lines
                yield wish, text, Entry(key="", words=text, offer=offer, filled={listed: value})

    def _go_on(self) -> Action | None:
        """Ask for the next field that is open, or return the action. What leaves no choice is filled in."""
        offer = self._offer
        if offer is None:
            return None
        self._chosen, self._order, self._lifted, self._cursor = [], [], None, None
        choices = offer.choices()
        for field in sorted(choices, key=_ORDER.index):
            if field in self._filled:
                continue
            choice = choices[field]
            values = _values(choice)
            if isinstance(choice, OneOf) and len(values) == 1:
                self._filled[field] = values[0]
                continue
            if field == "lines" and isinstance(choice, Pick) and choice.pick == len(values):
                self._filled[field] = tuple(values)
                continue
            self._field, self._choice = field, choice
            if field == "slots" and isinstance(choice, Pick) and choice.pick == len(values) > 1:
                self._order = list(values) if offer.kind in {"arrange", "rearrange"} else []
            self._entries = self._field_entries()
            return None
        return ACTIONS[offer.kind](**self._filled)

    def _complete(self, value: Any) -> Action | None:
        self._filled[self._field] = value
        return self._go_on()

    def _field_entries(self) -> list[Entry]:
        """The menu of the field that is asked for, where its values are no cards."""
        if self._choice is None or self._places():
            return []
        found = []
        for value in _values(self._choice):
            said = self._value_in_words(self._field, value)
            text = f"{said} (chosen)" if value in self._chosen else said
            wish = KEYS.get(str(value), str(value))
            found.append((wish, text, Entry(key="", words=text, value=value)))
        return _with_keys(found, set())

    def _waits_for_enter(self) -> bool:
        return self._offer is not None and (bool(self._order) or isinstance(self._choice, AnyOf))

    def _places(self) -> list[Target]:
        """The cards that may be chosen now."""
        if self._offer is None:
            return list(self._direct())
        if self._choice is None or self._field not in {"slot", "slots", "target", "targets"}:
            return []
        return [self._place_of(self._field, value) for value in _values(self._choice)]

    def _slots(self) -> list[Value]:
        return _values(self._choice) if self._choice is not None else []

    def _owner(self) -> int:
        """Whose slots are meant: those of the seat that the action names, else the person's own."""
        seat = self._filled.get("seat", self._seat) if self._offer is not None else self._seat
        return int(seat)

    def _place_of(self, field: str, value: Value) -> Target:
        if field in {"target", "targets"} and isinstance(value, tuple):
            return value
        return (self._owner(), int(value)) if isinstance(value, int) else (self._seat, 0)

    def _place(self, value: Value) -> Target | None:
        return self._place_of(self._field, value) if self._field in {"slot", "slots", "target", "targets"} else None

    def _value(self, field: str, place: Target) -> Value:
        return place if field in {"target", "targets"} else place[1]

    # Words

    def _card_words(self) -> Iterator[str]:
        """What choosing a card does."""
        if self._offer is None:
            for offer, _ in self._direct().values():
                yield WORDS.get(offer.kind, offer.kind)
        elif self._order:
            yield "change places"
        else:
            yield "choose"

    def _value_in_words(self, field: str, value: Value) -> str:
        words = {
            "row": f"row {value}",
            "rows": f"row {value}",
            "lines": f"{self._filled.get('axis', 'line')} {value}",
            "axis": f"{value}s",
            "power": POWERS.get(str(value), str(value)),
        }
        if isinstance(value, int) and field == "seat":
            return "yourself" if value == self._seat else f"{value} {self._names[value]}"
        if isinstance(value, int) and field == "card":
            return self._held_card(value)
        return words.get(field, str(value))

    def _power_card(self) -> Card | None:
        """The card whose power may be used: the one in hand, else the discard."""
        hand, pile = self._view.hand, self._view.pile
        return self._view.known.get(hand.cards[0]) if hand is not None else pile[-1] if pile else None

    def _held_card(self, number: int) -> str:
        hand = self._view.hand
        card = self._view.known.get(hand.cards[number]) if hand is not None and number < len(hand.cards) else None
        return card or f"card {number}"


def _first_field(offer: Offer) -> str:
    """The field of an offer that is asked for first; the empty name where there is none."""
    choices = offer.choices()
    fields = sorted(choices, key=_ORDER.index)
    several = [field for field in fields if len(_values(choices[field])) > 1]
    return next(iter(several or fields), "")


def _is_listed(field: str, choice: Choice) -> bool:
    """Whether the values of a field stand in the menu at once, each as an entry of its own."""
    return isinstance(choice, OneOf) and field in {"seat", "source", "power", "par", "row", "card"}


def _values(choice: Choice) -> list[Value]:
    return list(
        choice.one_of if isinstance(choice, OneOf) else choice.of if isinstance(choice, Pick) else choice.any_of
    )


def _with_keys(wishes: Any, taken: set[str]) -> list[Entry]:
    """The entries, each with a key of its own: the one that it would like if that is free."""
    found = []
    used = {*taken, "q", "r", "?"}
    for wish, words, entry in wishes:
        letters = [letter for letter in words.lower() if letter.isalpha()]
        key = next(one for one in (wish.lower(), *letters, *ascii_lowercase, *ascii_uppercase) if _free(one, used))
        used.add(key)
        found.append(Entry(key=key, words=words, offer=entry.offer, filled=entry.filled, value=entry.value))
    return found


def _free(key: str, used: set[str]) -> bool:
    return len(key) == 1 and key not in used


def _keys_in_words(keys: Sequence[str]) -> str:
    """The keys of cards: `0-5`, `0 2`, `0-3 or a letter`; the letters stand below their cards."""
    numbers = sorted(key for key in keys if key.isdigit())
    in_a_row = len(numbers) > 2 and int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1
    shown = f"{numbers[0]}-{numbers[-1]}" if in_a_row else " ".join(numbers)
    letter = "a letter" if len(numbers) < len(keys) else ""
    return " or ".join(one for one in (shown, letter) if one)


def _key_name(key: str) -> str:
    return f"`{key}`" if len(key) == 1 else key
