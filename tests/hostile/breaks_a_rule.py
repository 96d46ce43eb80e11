"""A bot that breaks the rule which its first argument names; each breakage is a class with one difference to `Bot`."""

import json
import os
import random
import select
import signal
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
        self.seen = None

    def lines(self):
        return sys.stdin

    def run(self):
        for line in self.lines():
            message = json.loads(line)
            getattr(self, message["type"])(message)

    def hello(self, _message):
        self.put(json.dumps(self.who()))

    def who(self):
        return {"type": "ready", "name": "broken"}

    def match(self, message):
        self.matches += 1
        self.dice = random.Random(message["seed"])

    def request(self, message):
        self.requests += 1
        self.put(self.text(self.answer(message)))

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

    def text(self, answer):
        return json.dumps(answer)

    def put(self, text):
        os.write(1, text.encode("utf-8", "surrogateescape") + b"\n")


class PrintsDebugging(Bot):
    def request(self, message):
        self.put(f"thinking about {message['decision']}")
        super().request(message)


class PrintsBeforeReady(Bot):
    def hello(self, message):
        self.put("loading weights ...")
        super().hello(message)


class PrintsAfterwards(Bot):
    def request(self, message):
        super().request(message)
        self.put("done")


class PrintsBlankLines(Bot):
    def request(self, message):
        super().request(message)
        self.put("")


class NeverFlushes(Bot):
    def put(self, text):
        sys.stdout.write(text + "\n") if "answer" in text else super().put(text)


class AnswersMatch(Bot):
    def match(self, message):
        super().match(message)
        self.put('{"type":"ok"}')


class AnswersEnd(Bot):
    def end(self, _message):
        self.put('{"type":"ok"}')


class AnswersTwice(Bot):
    def put(self, text):
        super().put(text)
        super().put(text) if '"answer"' in text else None


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


class ReadyUnderAnotherType(Bot):
    def who(self):
        return {"type": "hello", "name": "broken"}


class NameTooLong(Bot):
    def who(self):
        return {"type": "ready", "name": "golf " * 20}


class SlapsAsText(Bot):
    def who(self):
        return {"type": "ready", "name": "broken", "slaps": "no"}


class CrashesAtOnce(Bot):
    def run(self):
        raise RuntimeError("no weights")


class NeedsItsFolder(Bot):
    def run(self):
        Path("weights-of-mine.json").read_text()


class InventsIds(Bot):
    def answer(self, message):
        return super().answer(message) | {"id": "1"}


class NumberAsId(Bot):
    def answer(self, message):
        return super().answer(message) | {"id": 7}


class LastId(Bot):
    last = "none"

    def answer(self, message):
        self.last, old = message["id"], self.last
        return super().answer(message) | {"id": old}


class NoId(Bot):
    def answer(self, message):
        return {"type": "answer", "action": self.action(message)}


class NoAction(Bot):
    def answer(self, message):
        return {"type": "answer", "id": message["id"]} | self.action(message)


class NoType(Bot):
    def answer(self, message):
        return {"id": message["id"], "action": self.action(message)}


class OtherType(Bot):
    def answer(self, message):
        return super().answer(message) | {"type": "response"}


class ActionAsText(Bot):
    def answer(self, message):
        return super().answer(message) | {"action": message["legal"][0]["kind"]}


class ActionIsNull(Bot):
    def answer(self, message):
        return super().answer(message) | {"action": None}


class NoKind(Bot):
    def action(self, message):
        action = super().action(message)
        del action["kind"]
        return action


class UnknownKind(Bot):
    def action(self, message):
        return {"kind": "draw_stock"} if message["decision"] == "turn" else super().action(message)


class OtherKind(Bot):
    def action(self, message):
        return {"kind": "discard"} if message["decision"] == "turn" else super().action(message)


class CopiesTheOffer(Bot):
    def action(self, message):
        return self.dice.choice(message["legal"])


class Slots(Bot):
    """Does something to the slot of `swap`, and swaps wherever it can."""

    def changed(self, slot, _choice):
        return slot

    def action(self, message):
        for offer in message["legal"]:
            if offer["kind"] == "swap":
                return {"kind": "swap", "slot": self.changed(self.fill(offer["slot"]), offer["slot"])}
        return super().action(message)


class SlotAsText(Slots):
    def changed(self, slot, _choice):
        return str(slot)


class SlotAsFloat(Slots):
    def changed(self, slot, _choice):
        return float(slot)


class SlotAsBoolean(Slots):
    def changed(self, slot, _choice):
        return slot > 2


class SlotIsNull(Slots):
    def changed(self, _slot, _choice):
        return None


class SlotIsNegative(Slots):
    def changed(self, _slot, _choice):
        return -1


class SlotIsNotANumber(Slots):
    def changed(self, _slot, _choice):
        return float("nan")


class SlotFromOne(Slots):
    def changed(self, _slot, choice):
        return max(choice["one_of"]) + 1


class SlotNowhere(Slots):
    def changed(self, _slot, _choice):
        return 17


class Picks(Bot):
    def picked(self, choice):
        return choice["of"][: choice["pick"]]

    def fill(self, choice):
        return self.picked(choice) if "pick" in choice else super().fill(choice)


class PicksOneForAList(Picks):
    def picked(self, choice):
        return choice["of"][0]


class PicksTheSameTwice(Picks):
    def picked(self, choice):
        return choice["of"][:1] * choice["pick"]


class PicksTooMany(Picks):
    def picked(self, choice):
        return choice["of"][: choice["pick"] + 1]


class PicksTooFew(Picks):
    def picked(self, choice):
        return choice["of"][: choice["pick"] - 1]


class SaysMoreAfterwards(Bot):
    def text(self, answer):
        return json.dumps(answer) + " // ok"


class PrettyPrints(Bot):
    def text(self, answer):
        return json.dumps(answer, indent=1)


class SingleQuotes(Bot):
    def text(self, answer):
        return str(answer)


class MissesABrace(Bot):
    def text(self, answer):
        return json.dumps(answer)[:-1]


class ByteOrderMark(Bot):
    def text(self, answer):
        return "\ufeff" + json.dumps(answer)


class NoUtf8(Bot):
    def text(self, answer):
        return json.dumps(answer | {"why": "caf"})[:-2] + '\udce9"}'


class HalfASurrogate(Bot):
    def text(self, answer):
        return json.dumps(answer)[:-1] + ', "why": "\\ud83d"}'


class TooDeep(Bot):
    def text(self, answer):
        return json.dumps(answer)[:-1] + ', "why": ' + "[" * 5000 + "]" * 5000 + "}"


class CarriageReturns(Bot):
    def put(self, text):
        os.write(1, text.encode() + (b"\r" if '"answer"' in text else b"\n"))


class NoNewline(Bot):
    def put(self, text):
        os.write(1, text.encode() + (b"" if '"answer"' in text else b"\n"))


class TooLongLine(Bot):
    def text(self, answer):
        return json.dumps(answer | {"why": "x" * 70000})


class IllegalThen(Bot):
    def answer(self, message):
        answer = super().answer(message)
        kinds = [offer["kind"] for offer in message["legal"]]
        if message["decision"] == "place" and "discard" in kinds:
            answer |= {"action": {"kind": "discard"}, "then": {"kind": "flip", "slot": 17}}
        return answer


class Garbage(Bot):
    def text(self, _answer):
        return "%!?"


class Silent(Bot):
    def request(self, _message):
        pass


class SilentOnce(Bot):
    def put(self, text):
        self.requests == 4 or super().put(text)


class SlowOnce(Bot):
    def request(self, message):
        if self.requests == 3:
            time.sleep(30)
        super().request(message)


class KeepsItsMatches(Bot):
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


class SlowToSlap(Bot):
    def request(self, message):
        if message["decision"] == "slap":
            time.sleep(0.3)
        super().request(message)


class SilentInWindows(Bot):
    def request(self, message):
        if message["decision"] != "slap":
            super().request(message)


class SlapsNoCard(Bot):
    def action(self, message):
        if message["decision"] == "slap":
            return {"kind": "slap", "target": [9, 9]}
        return super().action(message)


class ExitsAfterAMatch(Bot):
    def end(self, _message):
        sys.exit(0)


class CrashesAfterAMatch(Bot):
    def end(self, _message):
        raise KeyError("winner")


class EndsWithTheNextMatchInItsPipe(Bot):
    def end(self, _message):
        select.select([0], [], []) and sys.exit(3)


class CrashesInTheMiddle(Bot):
    def request(self, message):
        if self.requests == 5:
            raise IndexError("list index out of range")
        super().request(message)


class WritesUtf16(Bot):
    def put(self, text):
        os.write(1, (text + "\n").encode("utf-16-le"))


class EndsReadyInACarriageReturn(Bot):
    def put(self, text):
        os.write(1, text.encode() + b"\r")


class ReadsToTheEnd(Bot):
    def lines(self):
        return sys.stdin.read().splitlines()


class ReadsWholeBlocks(Bot):
    def lines(self):
        kept = b""
        while block := sys.stdin.buffer.read(4096):
            *lines, kept = (kept + block).split(b"\n")
            yield from lines


class OpensItsInputAnew(Bot):
    def lines(self):
        line = "?"
        while line:
            with open(0, closefd=False) as anew:
                line = anew.readline()
            yield from [line] if line else []


class PutsValuesIntoArrays(Bot):
    def answer(self, message):
        return {name: [value] if name != "action" else value for name, value in super().answer(message).items()}


class StartsItselfInTheBackground(Bot):
    def hello(self, _message):
        sys.exit()


class CrashesWhateverIsNew(CrashesInTheMiddle):
    pass


class ClosesItsOutput(Bot):
    def request(self, message):
        if self.requests == 3:
            os.close(1)
            time.sleep(30)
            sys.exit(0)
        super().request(message)


class KnowsItsEvents(Bot):
    def request(self, message):
        for event in message["events"]:
            if "later" in event["event"]:
                raise ValueError(f"unknown event {event['event']}")
        super().request(message)


class KnowsItsDecisions(Bot):
    def request(self, message):
        if "later" in message["decision"]:
            raise ValueError(f"unknown decision {message['decision']}")
        super().request(message)


class KnowsItsFields(Bot):
    def request(self, message):
        fields = {"type", "events", "id", "decision", "legal", "table", "time_s", "bank_s"}
        if unknown := message.keys() - fields:
            raise TypeError(f"unexpected fields {sorted(unknown)}")
        super().request(message)


class KnowsItsActions(Bot):
    def request(self, message):
        if any("later" in offer["kind"] for offer in message["legal"]):
            raise ValueError("unknown action")
        super().request(message)


class AnswersInOldWords(Bot):
    def action(self, message):
        action = super().action(message)
        return action | {"kind": action["kind"].removeprefix("later_")}


class CrashesOnItsFaults(Bot):
    def request(self, message):
        for event in message["events"]:
            if event["event"] == "fault":
                raise RuntimeError(event["detail"])
        super().request(message)


class CrashesOnPick8(Bot):
    def request(self, message):
        if message["decision"] == "pick8":
            raise NotImplementedError("pick8")
        super().request(message)


class CutsCarriageReturns(Bot):
    def lines(self):
        for line in sys.stdin.buffer:
            if b"\r" in line:
                raise ValueError("carriage return in a line")
            yield line


class ReadsChunks(Bot):
    def lines(self):
        while chunk := os.read(0, 1 << 20):
            yield from chunk.splitlines()


class ShortBuffer(Bot):
    def lines(self):
        for line in sys.stdin.buffer:
            if len(line) > 60000:
                raise OverflowError("line longer than the buffer")
            yield line


class IgnoresTheEnd(Bot):
    def run(self):
        super().run()
        while True:
            time.sleep(60)


class FailsAtTheEnd(Bot):
    def run(self):
        super().run()
        raise EOFError("no more lines")


class IgnoresSigterm(Bot):
    def run(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()


class KeepsTheLastMatch(Bot):
    def match(self, message):
        first, self.seen = self.seen is None, self.seen or message
        super().match(message)
        if not first:
            self.dice = random.Random(self.matches)


class PlaysOneMatch(Bot):
    def match(self, message):
        if self.matches:
            raise RuntimeError("the table is taken")
        super().match(message)


class PlaysOneGame(Bot):
    def action(self, message):
        if message["decision"] not in ("turn_up", "turn", "place", "flip"):
            raise KeyError(message["decision"])
        return super().action(message)


class LeavesAProcess(Bot):
    def hello(self, message):
        nothing = subprocess.DEVNULL
        subprocess.Popen(["sleep", "600"], stdin=nothing, stdout=nothing, stderr=nothing)
        super().hello(message)


class AnswersOneLate(Bot):
    held = None

    def text(self, answer):
        before, self.held = self.held, super().text(answer)
        return before

    def put(self, text):
        super().put(text) if text else None


class SkipsLongRequests(Bot):
    def lines(self):
        return (line for line in sys.stdin if len(line) < 30_000 or '"request"' not in line)


class AnswersMatchTooSoon(AnswersMatch):
    def lines(self):
        for line in sys.stdin:
            yield line
            time.sleep(0.001)


class OtherLetters(Bot):
    def answer(self, message):
        return {name.title(): value for name, value in super().answer(message).items()}


class FillsNoFields(Bot):
    def action(self, message):
        return {"kind": super().action(message)["kind"]}


class PrintsInItsFirstMatch(Bot):
    def request(self, message):
        super().request(message)
        self.put("a third request") if self.matches == 1 and self.requests == 3 else None


class WritesMuchToStderr(Bot):
    def request(self, message):
        os.write(2, b"request %d " % self.requests + b"x" * 5000 + b"\n")
        super().request(message)


class Leaks(Bot):
    def request(self, message):
        self.seen = (self.seen or []) + [bytes([self.requests % 255 + 1]) * 800_000]
        super().request(message)


class DrawsItsOwnDice(Bot):
    def match(self, _message):
        self.dice = random.Random()


class AlwaysTheFirst(Bot):
    def action(self, message):
        offer = message["legal"][0]
        return {name: self.fill(choice) if isinstance(choice, dict) else choice for name, choice in offer.items()}


if __name__ == "__main__":
    globals()[sys.argv[1]]().run()
