"""A bot in Python that answers at once: the last offer of each request, with the first values of its choices."""

import json
import sys
from typing import Any


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "instant", "table": false, "slaps": true}', flush=True)
        elif message["type"] == "request":
            offer = message["legal"][-1]
            action = {name: choice if name == "kind" else first(choice) for name, choice in offer.items()}
            print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)


def first(choice: dict[str, Any]) -> Any:
    """The value that fills in a choice."""
    return choice["one_of"][0] if "one_of" in choice else choice.get("of", [])[: choice.get("pick", 0)]


if __name__ == "__main__":
    main()
