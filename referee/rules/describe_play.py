"""Set-up and turns of each course of play in words, from the options in force.

describe.py puts the chapters together.
"""

from collections.abc import Callable, Iterator, Mapping

from referee.rules.book.options import Options
from referee.rules.book.variant import Variant, has_up_card, size

Sentences = Callable[[Variant], Iterator[str]]

_STARTER = "The seat left of the dealer starts, play goes clockwise, the deal moves left after each round."
_DRAW = "Draw the top card of the stock (only you see it) or of the pile."
_PILE = "A card from the pile must be swapped with one of your cards"


def _face_up_set_up(variant: Variant) -> Iterator[str]:
    yield f"Each seat has {variant.rows} rows of {variant.columns} face-down cards that nobody has seen."
    yield "The top card of the stock starts the discard pile."
    if count := variant.options.initial_up:
        yield f"Each seat turns any {count} of its cards face up, all seats at the same time."
    yield _STARTER


def _hidden_set_up(variant: Variant) -> Iterator[str]:
    yield f"Each seat has {variant.rows} rows of {variant.columns} face-down cards."
    yield _look(variant)
    yield "The top card of the stock starts the pile." if has_up_card(variant) else "The pile starts empty."
    yield _STARTER


def _look(variant: Variant) -> str:
    look = variant.options.initial_look or ""
    if look == "near_row":
        slots = ", ".join(f"s{slot}" for slot in variant.near_row)
        return f"Before play each seat looks once, in secret, at its near row ({slots})."
    if look == "all":
        return "Before play each seat looks once, in secret, at all its cards."
    return f"Before play each seat looks once, in secret, at any {look.removeprefix('any:')} of its cards."


def _kernel_turn(variant: Variant) -> Iterator[str]:
    options = variant.options
    yield _DRAW
    yield f"{_PILE}, face up or down."
    yield "A card from the stock may be swapped or discarded. The new card lies face up, the old one goes to the pile."
    yield from _flip(options)
    if options.flip_instead:
        yield "Instead of drawing you may turn one of your face-down cards up."
    if options.jack_skip:
        yield "A jack that goes to the pile costs the next seat its turn."
    if options.cutthroat_trade:
        safe = ", but not of the ender," if options.protect_ender else ","
        yield f"A king from the stock may be traded for a face-up card of another seat{safe} which you must swap in."


def _flip(options: Options) -> Iterator[str]:
    match options.flip_on_discard:
        case "may":
            yield "After discarding a stock card you may turn one of your face-down cards up."
        case "must":
            yield "After discarding a stock card you must turn one of your face-down cards up."
        case "must_unless_last":
            yield "After discarding a stock card you must turn a face-down card up, unless it is your last."


def _cactus_set_up(variant: Variant) -> Iterator[str]:
    ranks = "A 2 ... 10 J Q K" if variant.options.cactus_ranks == "KA" else "0 1 2 ... 10 J Q"
    yield f"One pack of four suits of {ranks}, and one more suit for each seat beyond five."
    yield f"Each seat has {size(variant)} cards face down, s0 s1 / s2 s3, and looks once at its near row, s2 and s3."
    yield "All cards stay face down until the showdown. The pile starts empty."
    if variant.options.fixed_starter:
        yield "The seat left of the dealer starts; the deal moves left after each round."
    else:
        yield "The seat with the highest total starts, ties to the first clockwise from the dealer."


def _hidden_turn() -> Iterator[str]:
    yield _DRAW
    yield f"{_PILE}; a card from the stock may also be discarded."
    yield "The new card lies face down; the old one goes face up on the pile, seen by all."


def _cactus_turn(variant: Variant) -> Iterator[str]:
    yield from _hidden_turn()
    if variant.options.protect_ender:
        yield "The knocker's cards are safe from the others' powers and slaps."
    powers = "J, Q or K" if variant.options.cactus_ranks == "KA" else "J or Q"
    when = "before" if variant.options.power_before_slaps else "after"
    yield f"If the card that went to the pile is a {powers}, {when} the slaps you may use its power:"
    yield "peek at any one card on the table, or switch any two cards on the table unseen."


_CAMBIO = {
    "peek_own": "look at one of your cards",
    "peek_other": "look at one card of another seat",
    "exchange": "swap one of your cards with another seat's, both unseen",
    "rearrange": "rearrange another seat's cards",
}


def _cambio_turn(variant: Variant) -> Iterator[str]:
    yield from _hidden_turn()
    for rank, power in (variant.options.cambio_powers or {}).items():
        card = "joker" if rank == "X" else rank
        yield f"Discarding a {card} straight from the stock, you may {_CAMBIO[power]}."
    if "rearrange" in (variant.options.cambio_powers or {}).values():
        who = "only you know" if variant.options.hidden_rearrange else "everybody sees"
        yield f"After a rearrangement {who} which card went where."
    if variant.options.protect_ender:
        others = "look at them and slap them" if variant.options.slaps else "look at them"
        yield f"No power may swap or rearrange the knocker's cards; the others may still {others}."


def _powers_turn(variant: Variant) -> Iterator[str]:
    options = variant.options
    pile = " or of the pile; a card from the pile must be swapped in" if options.powers_draw_pile else ""
    yield f"Draw the top card of the stock (only you see it){pile}."
    yield "Swap it, face down, for one of your cards unseen, which goes face up on the pile;"
    yield "or discard it, and use its power if you like."
    yield "A: give an opponent the top stock card unseen, or put one of your cards on the pile."
    yield "2: two different powers of 3 to black king; the 2 stands in once for a 5, 8 or 9."
    yield "3: shuffle an opponent's cards, all face down. 4: turn an opponent's card up, or one of yours down."
    yield "5: a shield beside your set. 6: swap one of your cards with an opponent's, unseen."
    hidden = "; only you know which" if options.hidden_rearrange else ""
    yield f"7: two rows or two columns of an opponent's set change places{hidden}."
    yield "8: draw two more, keep one of the three in your set."
    yield "9: it replaces a card of an opponent, which goes to the pile."
    yield "10: look at an opponent's card. J: look at one of yours. Q and red kings: nothing."
    yield "Black king: cancels a knock, when discarded for it in the last lap, or when it turns up from any set then."
    uses = {1: "once", "unlimited": "as often as you like"}.get(options.shield_uses, f"{options.shield_uses} times")
    yield f"A shield blocks a power that is aimed at your set, if you choose so, {uses}."
    if options.protect_ender:
        yield "The knocker's set cannot be attacked."


def _four_turns_turn(_: Variant) -> Iterator[str]:
    yield _DRAW
    yield f"{_PILE} that lies face down; a card from the stock may also be discarded."
    yield "The new card lies face up and stays; the old one goes face up on the pile."


def _two_deck_turn(variant: Variant) -> Iterator[str]:
    yield "First you may discard rows whose two cards lie face up and are equal in rank."
    yield "Then draw the top card of the stock, which everybody sees, or of the pile."
    yield f"{_PILE}; a card from the stock may also be discarded."
    yield "The new card lies face up, the old one goes to the pile."
    yield from _flip(variant.options)


def _par_set_up(variant: Variant) -> Iterator[str]:
    options = variant.options
    if options.course:
        pars = " ".join(map(str, options.course))
        yield f"A course of {len(options.course)} holes with the pars {pars}."
    yield f"Each seat has rows of two cards, {'as many as the par' if options.course else variant.rows}, face down."
    yield _look(variant)
    if options.arrange == "after_look":
        yield "Then it arranges them as it likes, all seats at the same time."
    yield "The top row is turned up; the top card of the stock starts the pile."
    yield _STARTER


def _par_turn(variant: Variant) -> Iterator[str]:
    options = variant.options
    draw = "Draw"
    if not options.no_par:
        several = "any number of rows" if options.strokes_per_turn == "unlimited" else "one row"
        yield f"From your second turn on you may first take {several} as a stroke: it is fixed and lies face down."
        draw = "Then draw"
    yield f"{draw} the top card of the stock (only you see it) or of the pile and swap it with one of your cards,"
    yield "which goes face up on the pile; the new card takes over whether it lies face up or down."
    yield "Or let two of your cards change places; each takes over the face of its new place."


PLAY: Mapping[str, tuple[Sentences, Sentences]] = {
    "six_card": (_face_up_set_up, _kernel_turn),
    "cactus": (_cactus_set_up, _cactus_turn),
    "cambio": (_hidden_set_up, _cambio_turn),
    "powers": (_hidden_set_up, _powers_turn),
    "four_turns": (_hidden_set_up, _four_turns_turn),
    "two_deck": (_face_up_set_up, _two_deck_turn),
    "par": (_par_set_up, _par_turn),
}
"""By `Variant.play`: set-up and turn."""
