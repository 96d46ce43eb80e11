"""What is asked, what the answers do, in words, and the keys that they would like. choose.py puts them together."""

QUESTIONS = {
    "turn_up": "Choose the cards that you turn up",
    "look": "Choose the cards that you look at",
    "arrange": "Arrange your cards",
    "turn": "Your turn",
    "place": "Place the card in hand",
    "flip": "You may turn up a card",
    "power": "Use the power of the card",
    "slap": "SLAP?",
    "give": "Give one of your cards for the one that you slapped",
    "block": "You are attacked",
    "pairs": "Choose the rows that you discard",
    "stroke": "You may take a row as a stroke",
    "pick8": "Keep one of the three cards",
    "pick2": "The 2 copies a power",
    "par": "Choose the par of the next hole",
}
"""What is asked, by decision."""

WORDS = {
    "turn_up": "turn up",
    "look": "look at",
    "draw": "draw from the",
    "knock": "knock",
    "end": "end the hole",
    "flip": "turn up",
    "swap_own": "exchange two own cards",
    "swap": "put it there",
    "discard": "discard it",
    "trade": "trade it for that card",
    "none": "decline",
    "peek": "peek at it",
    "switch": "switch two cards",
    "exchange": "exchange an own card for another's",
    "rearrange": "rearrange the cards of",
    "add": "add a card of the stock to",
    "remove": "put that own card on the pile",
    "plant": "plant it there",
    "shuffle": "shuffle the cards of",
    "expose": "turn it up",
    "hide": "turn it down",
    "shield": "lay it down as a shield",
    "swap_lines": "swap lines of",
    "take_two": "draw two more",
    "cancel_knock": "cancel the knock",
    "pass": "or the space bar: pass",
    "slap": "slap it",
    "give": "give",
    "block": "block with a shield",
    "allow": "let it happen",
    "discard_pairs": "discard",
    "stroke": "take {} as a stroke",
    "keep": "keep {}",
    "copy": "{}",
    "stop": "no further power",
    "choose_par": "par",
}
"""What an action does, by kind. What is chosen stands in the braces, or at the end."""

KEYS = {
    "stock": "s", "pile": "p", "knock": "k", "end": "e", "discard": "d", "none": "n", "pass": "p", "swap_own": "x",
    "switch": "x", "exchange": "x", "rearrange": "y", "add": "a", "shield": "s", "take_two": "t", "cancel_knock": "k",
    "block": "b", "allow": "a", "stop": "n", "swap_lines": "l", "shuffle": "h", "row": "r", "column": "c", "10": "t",
    "BK": "b", "trade": "t", "flip": "f", "turn_up": "u", "look": "l",
}  # fmt: skip
"""The key of a menu entry, where it is free: by value, or by kind of action."""

POWERS = {
    "3": "a 3: shuffle", "4": "a 4: turn up or down", "5": "a 5: shield", "6": "a 6: exchange", "7": "a 7: swap lines",
    "8": "an 8: draw two more", "9": "a 9: plant", "10": "a 10: peek at another's card",
    "J": "a jack: peek at an own card", "Q": "a queen: nothing", "BK": "a black king: cancel the knock",
}  # fmt: skip
"""The powers that a 2 can copy, with what they do."""
