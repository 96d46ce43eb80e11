"""What a bot of a test says: enough of the protocol to play any game without breaking a rule.

Tests put a program of their own after this text; a bot that is `start(); play()` is as honest as it is dull. It imports
nothing that it does not need, since many hundreds of them are started.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]


def say(message: Message | str, end: str = "\n") -> None:
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + end)
    sys.stdout.flush()


def note(pipe: str) -> None:
    """A byte into a named pipe, by which a test hears how far this bot is."""
    fd = os.open(pipe, os.O_WRONLY)
    os.write(fd, b".")
    os.close(fd)


def fill(offer: Message, dice: Any = None) -> Message:
    """An action that the offer describes: of each choice the first values, or what the dice say (a `random.Random`)."""

    def chosen(choice: Message) -> Any:
        if "pick" in choice:
            return dice.sample(choice["of"], choice["pick"]) if dice else choice["of"][: choice["pick"]]
        if "one_of" in choice:
            return dice.choice(choice["one_of"]) if dice else choice["one_of"][0]
        return [value for value in choice["any_of"] if dice and dice.random() < 0.5]

    return {name: choice if name == "kind" else chosen(choice) for name, choice in offer.items()}


def answer(request: Message, action: Message) -> Message:
    return {"type": "answer", "id": request["id"], "action": action}


def right(request: Message, *kinds: str, dice: Any = None) -> Message:
    """An answer that breaks no rule: of one of these kinds if that is offered, else the first offer, or any by dice."""
    offers = [offer for offer in request["legal"] if offer["kind"] in kinds] or request["legal"]
    return answer(request, fill(dice.choice(offers) if dice else offers[0], dice))


def start(**fields: Any) -> None:
    """Wait for `hello`, say `ready` with these fields."""
    sys.stdin.readline()
    say({"type": "ready", **fields})


def messages() -> Iterator[Message]:
    for line in sys.stdin:
        yield json.loads(line)


def requests() -> Iterator[Message]:
    return (message for message in messages() if message["type"] == "request")


def play() -> None:
    for request in requests():
        say(right(request))
