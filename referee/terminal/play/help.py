"""What the keys and the signs of the screen mean, for the person who plays."""

HELP = """\
You see what your seat is told, and nothing else. All that a bot would have to remember is \
remembered for you: a card that you have seen stays known where it lies.

Signs
  [10H]   a card that lies open
  (10H)   a card that lies face down, and that you know
  [###]   a card that lies face down, and that you do not know (shaded where there is Unicode)
  .       an empty slot
  >       before a name: it is that seat's turn (an arrow where there is Unicode)
  =       below a card: its row is taken as a stroke
  Below the name stands the total, with the points of the round once it is over; "ended" for \
the seat that knocked or finished; its shields; the dealer.
  Below a card stands the number of its slot, or the key that chooses it. What has happened is told by seats and \
slots: s2 is slot 2.

Keys
  Your own cards have the keys 0 to 9, the others' cards letters. All of them can be reached with the arrows, too: \
Enter chooses the card between > and <.
  Where several cards are chosen, a chosen card has a star and its place in the order. The same key takes it back, \
and Escape or Backspace takes back the last one.
  When you arrange cards, press one card and then the one with which it changes places; Enter ends it.
  Escape goes back to the first question. A key that means nothing only says so.
  `<` and `>` move a table that is larger than its place on the screen.
  While the others play, any key shows at once what is left to be shown.

Slaps
  After a discard a window opens for some seconds. Press the key of the card that you want to slap, or the space bar \
to pass. A wrong key does nothing, and you can press another one. A key that comes too late is no answer to the \
window: it passes.
  Bots answer in less than a thousandth of a second, so you are first only where they pass: where no bot knows an \
equal card. With `-o slap_order=lottery` the lot decides among all who slap, however fast they are.
"""
