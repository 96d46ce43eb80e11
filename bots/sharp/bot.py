"""A bot that plays to win: it remembers all that it saw, and reckons with all that the cards it cannot see may be.

- The kit (the folder `kit` beside this one) keeps track of the table, and knows the pack and the powers.
- player.py: what all players share.
- open_cards.py: the player of games whose cards are turned up; kinds.py has the chances of unseen cards, columns.py and
  triples.py what columns of cards will cost, ending.py who ends a round when.
- hidden.py: the player of games whose cards stay hidden; beliefs.py has what these are worth, hidden_powers.py how the
  powers are used.
- par.py: the player of par golf, with pairs.py for its rows.
- This file reads the lines and hands each match to the player of its family.

Where nothing else is said, costs are points, and lower is better. The same lines get the same answers.
"""

import gc
import json
import sys
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(
    1, str(Path(__file__).resolve().parents[1])
)  # where the kit lies, unless it was copied into this folder

from hidden import Hidden
from kit import Action, Offers
from open_cards import OpenCards
from par import Par
from player import Player


def player_of(match: dict[str, Any]) -> Player:
    """The player of the family to which the game of this match belongs."""
    options = match["options"]
    if options.get("par") or options.get("course") or options.get("no_par"):
        return Par(match)
    if match["variant"] == "four-turns":
        return Player(match)
    if match["variant"] in ("cambio", "powers", "cactus") or options.get("initial_look"):
        return Hidden(match)
    return OpenCards(match)


def decide(player: Player, request: dict[str, Any]) -> Action:
    """The player's action; a legal one also where it fails, because a match is long, and the author reads stderr."""
    try:
        action: Action = player.answer(request)["action"]
        return action
    except Exception:
        traceback.print_exc()
        return Offers(request["legal"]).least_committal()


def main() -> None:
    player: Player
    gc.disable()  # it would lose slaps; what a match leaves behind is collected when the next one begins
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "sharp"}', flush=True)
        elif message["type"] == "match":
            player = player_of(message)
            gc.collect()
        elif message["type"] == "request":
            action = decide(player, message)
            print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)


if __name__ == "__main__":
    main()
