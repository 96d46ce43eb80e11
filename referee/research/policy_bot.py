"""Plays a game by a trained policy, the file model.npz beside this program, and others by their first legal move.

`golfref new --policy` copies this file into a project as bot.py, with the code that reads the referee's lines. It needs
Python 3.11 with numpy and msgspec. Answers go to standard output, so print only to standard error.
"""

import sys
from pathlib import Path

import msgspec

from protocol.actions import Action
from protocol.messages import Answer, Ready
from referee.research.codec import Codec
from referee.research.network import Network


def main() -> None:
    """Play matches until the input ends."""
    network = Network.load(Path(__file__).with_name("model.npz"))
    codec, fits = network.codec, False
    for line in sys.stdin.buffer:
        message = msgspec.json.decode(line)
        if message["type"] == "hello":
            _say(Ready(name="my-bot", table=False, slaps=codec.variant.options.slaps))
        elif message["type"] == "match":
            codec = Codec.of_match(line)
            fits = network.fits(codec)
        elif codec.feed(line):
            _say(Answer(id=message["id"], action=decide(codec, network if fits else None)))


def decide(codec: Codec, network: Network | None) -> Action:
    """Return the answer to the open request, step by step where it takes several choices."""
    action = None
    while action is None:
        number = codec.numbers()[0]
        if network is not None:
            number = int(network.best(network.codec.one_hot(codec.codes()), codec.mask()))
        action = codec.action(number)
    return action


def _say(message: Ready | Answer) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
