"""A bot that breaks the rule which its first argument names; each breakage is a class with one difference to `Bot`.

Most of them are checked in memory: tests/support/checked_in_memory.py calls `take` and `finish`, and has `write` and
`log` of its own. What only a process can do is started as one.
"""

import json
import os
import random
import select
import subprocess
import sys
import threading
import time
from pathlib import Path


class Bot:
    """Plays every game by the dice and breaks no rule."""

    def __init__(self):
        self.dice = random.Random(0)
        self.matches = self.requests = 0
        self.kept = b""

    def run(self):
        while data := os.read(0, 65536):
            self.take(data)
        self.finish()

    def take(self, data):
        *lines, self.kept = (self.kept + data).split(b"\n")
        for line in lines:
            self.line(line)

    def line(self, line):
        message = json.loads(line)
        getattr(self, message["type"])(message)

    def finish(self):
        pass

    def hello(self, _message):
        self.put(json.dumps(self.who()))

    def who(self):
        return {"type": "ready", "name": "broken"}

    def match(self, message):
        self.matches += 1
        self.dice = random.Random(message["seed"])

    def request(self, message):
        self.requests += 1
        self.reply(self.answer(message))

    def end(self, _message):
        pass

    def answer(self, message):
        return {"type": "answer", "id": message["id"], "action": self.action(message)}

    def action(self, message):
        offer = self.dice.choice(message["legal"])
        return {name: self.fill(choice) if isinstance(choice, dict) else choice for name, choice in offer.items()}

    def fill(self, choice):
        if "one_of" in choice:
            return self.dice.choice(choice["one_of"])
        return self.dice.sample(choice["of"], choice["pick"]) if "pick" in choice else []

    def reply(self, answer):
        self.put(json.dumps(answer))

    def put(self, text):
        self.write(text.encode() + b"\n")

    def write(self, data):
        os.write(1, data)

    def log(self, data):
        os.write(2, data)


class PrintsBeforeReady(Bot):
    def hello(self, message):
        self.put("loading weights ...")
        super().hello(message)


class NeverFlushes(Bot):
    full = ""

    def reply(self, answer):
        self.full += json.dumps(answer) + "\n"

    def finish(self):
        self.write(self.full.encode())


class AnswersMatch(Bot):
    def match(self, message):
        super().match(message)
        self.put('{"type":"ok"}')


class AnswersEnd(Bot):
    def end(self, _message):
        self.put('{"type":"ok"}')


class ReadyTwice(Bot):
    def hello(self, message):
        super().hello(message)
        super().hello(message)


class SpeaksFirst(Bot):
    def run(self):
        self.hello({})
        super().run()

    def hello(self, message):
        super().hello(message) if not message else None


class NeverReady(Bot):
    def hello(self, _message):
        pass


class CrashesAtOnce(Bot):
    def take(self, _data):
        raise RuntimeError("no weights")


class ExitsAtOnce(Bot):
    def take(self, _data):
        sys.exit()


class WritesUtf16(Bot):
    def put(self, text):
        self.write((text + "\n").encode("utf-16-le"))


class NeedsItsFolder(Bot):
    def run(self):
        Path("weights-of-mine.json").read_text()


class LastId(Bot):
    last = "none"

    def answer(self, message):
        self.last, old = message["id"], self.last
        return super().answer(message) | {"id": old}


class CopiesTheOffer(Bot):
    def action(self, message):
        return self.dice.choice(message["legal"])


class Garbage(Bot):
    def reply(self, _answer):
        self.put("%!?")


class SlotFromOne(Bot):
    def action(self, message):
        slots = [offer["slot"] for offer in message["legal"] if offer["kind"] == "swap"]
        return {"kind": "swap", "slot": max(slots[0]["one_of"]) + 1} if slots else super().action(message)


class Silent(Bot):
    def request(self, _message):
        pass


class SilentOnce(Bot):
    def reply(self, answer):
        self.requests == 4 or super().reply(answer)


class KeepsItsMatches(Bot):
    seen = None

    def match(self, message):
        super().match(message)
        self.seen = [self.seen, b"x" * 5_000_000]


class KeepsAThread(Bot):
    def hello(self, message):
        threading.Thread(target=time.sleep, args=(600,)).start()
        super().hello(message)


class SlowAlways(Bot):
    def request(self, message):
        time.sleep(0.6)
        super().request(message)


class NeverSlaps(Bot):
    def action(self, message):
        return {"kind": "pass"} if message["decision"] == "slap" else super().action(message)


class CrashesAfterAMatch(Bot):
    def end(self, _message):
        raise KeyError("winner")


class EndsWithTheNextMatchInItsPipe(Bot):
    def end(self, _message):
        select.select([0], [], [])
        os.close(1)  # as the kernel does: a while before the process is gone
        time.sleep(0.05)
        os._exit(3)


class CrashesInTheMiddle(Bot):
    def request(self, message):
        if self.requests == 5:
            raise IndexError("list index out of range")
        super().request(message)


class EndsReadyInACarriageReturn(Bot):
    def put(self, text):
        self.write(text.encode() + b"\r")


class ReadsToTheEnd(Bot):
    def take(self, data):
        self.kept += data

    def finish(self):
        super().take(b"")


class ReadsWholeBlocks(Bot):
    block = b""

    def take(self, data):
        self.block += data
        whole = len(self.block) // 4096 * 4096
        blocks, self.block = self.block[:whole], self.block[whole:]
        super().take(blocks)

    def finish(self):
        super().take(self.block)


class OpensItsInputAnew(Bot):
    def take(self, data):
        super().take(data.splitlines(keepends=True)[0])


class ClosesItsOutput(Bot):
    def request(self, message):
        if self.requests == 3:
            self.close()
        super().request(message)

    def close(self):
        os.close(1)
        time.sleep(30)


class CutsCarriageReturns(Bot):
    def line(self, line):
        if b"\r" in line:
            raise ValueError("carriage return in a line")
        super().line(line)


class ReadsChunks(Bot):
    def take(self, data):
        for line in data.splitlines():
            self.line(line)


class ShortBuffer(Bot):
    def line(self, line):
        if len(line) > 60000:
            raise OverflowError("line longer than the buffer")
        super().line(line)


class FailsAtTheEnd(Bot):
    def finish(self):
        raise EOFError("no more lines")


class KeepsTheLastMatch(Bot):
    def match(self, message):
        super().match(message)
        self.dice.seed(self.matches) if self.matches > 1 else None


class PlaysOneMatch(Bot):
    def match(self, message):
        if self.matches:
            raise RuntimeError("the table is taken")
        super().match(message)


class LeavesAProcess(Bot):
    def hello(self, message):
        nothing = subprocess.DEVNULL
        subprocess.Popen(["sleep", "600"], stdin=nothing, stdout=nothing, stderr=nothing)
        super().hello(message)


class AnswersOneLate(Bot):
    held = None

    def reply(self, answer):
        before, self.held = self.held, answer
        super().reply(before) if before else None


class SkipsLongRequests(Bot):
    def line(self, line):
        (len(line) > 30_000 and b'"request"' in line) or super().line(line)


class PrintsInItsFirstMatch(Bot):
    def request(self, message):
        super().request(message)
        self.put("a third request") if self.matches == 1 and self.requests == 3 else None


class WritesMuchToStderr(Bot):
    def request(self, message):
        self.log(b"request %d " % self.requests + b"x" * 5000 + b"\n")
        super().request(message)


class Leaks(Bot):
    seen = ()

    def request(self, message):
        self.seen = [self.seen, bytes([self.requests % 255 + 1]) * 800_000]
        super().request(message)


class DrawsItsOwnDice(Bot):
    def match(self, _message):
        self.dice = random.Random()


if __name__ == "__main__":
    globals()[sys.argv[1]]().run()
