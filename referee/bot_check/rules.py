"""The rules of the specification that a bot can break, in its own words, and which of them a bad line breaks.

A test holds every sentence here against protocol/README.md.
"""

from msgspec import Struct

from protocol.bad_lines import BadLine, Code
from protocol.messages import Decision

SPECIFICATION = "protocol/README.md"


class Rule(Struct, frozen=True, kw_only=True):
    """A sentence of the specification and where it stands."""

    section: str
    """Number and title, as the heading has them; a subsection's title follows after a comma."""
    says: str
    """The sentence, word for word."""
    number: str = ""
    """The number in RULES.md of the decision that it is about; empty where it is about none."""

    def __str__(self) -> str:
        """Returns the rule as a line."""
        number = f", {self.number}" if self.number else ""
        return f'{SPECIFICATION}, section {self.section}{number}: "{self.says}"'


def _line(says: str) -> Rule:
    return Rule(section="1. The line", says=says)


def _talk(says: str) -> Rule:
    return Rule(section="2. The conversation", says=says)


def _fault(says: str) -> Rule:
    return Rule(section="2. The conversation, Faults", says=says)


LINE = _line(
    "A message is one JSON object on one line: UTF-8, no byte order mark, ended by `\\n` (`\\r\\n` is accepted)."
)
FLUSH = _line("**Flush** after you have written it.")
BLOCKS = _line(
    "Make sure that your language does not wait for a full buffer when it reads (mawk needs `-W interactive`)."
)
PIECES = _line("A line may arrive in pieces, so read up to its `\\n`.")
LENGTH = _line("A line is at most 65,536 bytes long, newline included (`limits.line_bytes`), in both directions.")
OUTPUT = _line(
    "A bot reads messages from standard input and writes messages to standard output, **and nothing else**: a "
    "debugging `print` there is a fault."
)
STDERR = _line("The record keeps its first 65,536 bytes a match")
UNKNOWN_FIELDS = _line("The referee ignores unknown fields, and so must a bot.")
TYPES = _line('Types are strict: `1.0`, `"1"`, `true` and `[1]` are not the integer `1`.')
NUMBERS = _line("Seats, slots, rows and lines are integers from 0 to 9999, arrays of them have at most 64 elements.")
NO_NUMBERS = _line("`NaN` and `Infinity` are not JSON.")
NULL = _line('A field that is not described as "or null" is never null.')
TYPE = _line("**Every message has its `type`.** A line without it is no message.")
STRINGS = _line(
    'The referee rejects half a surrogate pair (the escape `"\\ud83d"` without its other half) wherever it stands, '
    "as it rejects invalid UTF-8."
)
DEEP = _line("Arrays and objects may stand in one another 100 deep.")
BLANK = _line("A blank line is no message; it counts as a line that answers nothing (section 2).")

SPEAKS_FIRST = _talk("**The referee always writes first.**")
TOGETHER = _talk("The referee writes it together with the bot's first `request`")
ONE_LINE = _talk("A bot writes exactly one line for `hello` and for each `request`, and nothing for `match` and `end`.")
SAME_ID = _talk("Its `id` is a random text, which the `answer` must repeat.")
MORE_MATCHES = _talk("Another `match` may follow in the same process, without a new `hello`")
END_OF_INPUT = _talk(
    "A bot must then exit within 0.5 s, or it is killed (SIGKILL) together with everything that it started."
)
START_CLOCK = Rule(section="2. The conversation, Clocks", says="from the start of the process to `ready`")
MOVE_CLOCK = Rule(section="2. The conversation, Clocks", says="each answer but slaps; less where the bank holds less")
BANK = Rule(section="2. The conversation, Clocks", says="A bot whose bank is empty forfeits the match.")
CRASHED = _fault("when an answer is due, the process has ended: by itself, with whatever exit code, by a signal")
NOT_STARTED = _fault("it ends, is killed or closes its output before `ready`")
CLOSED = _fault("standard output was closed when an answer was due, and the process still lives 1 s later")
FLOOD = _fault(
    "more than `limits.spare_lines` lines a match that answer nothing, or more than 1 MiB of output that waits"
)

READY = Rule(section="3. Messages, `ready` (bot)", says="Every field but `type` may be left out.")
NAME = Rule(section="3. Messages, `ready` (bot)", says="string, at most 64 characters")
ANSWER = Rule(section="3. Messages, `answer` (bot)", says="one of the legal actions, told apart by `kind` (section 5)")
THEN = Rule(
    section="3. Messages, `answer` (bot)",
    says="An illegal `then` is an `illegal_action` of its own: the first action stands, and the fallback answers the "
    "second question.",
    number="DEC-15",
)
OFFERS = Rule(section="4. Offers", says="Every combination of choices is legal, and nothing else is.")
CHOICES = Rule(
    section="4. Offers",
    says="An offer is the `kind` of an action and, for each field of that action, a *choice*",
)
PICK = Rule(section="4. Offers", says="an array of exactly `k` different ones of these, in any order")
SILENCE = Rule(section="8. Slap windows", says="silence costs everybody `slap_s`.", number="DEC-08")
LATER = Rule(
    section="11. Compatibility",
    says="So a bot should ignore unknown fields and events, and answer an unknown decision with any offer.",
)
SEED = Rule(section="3. Messages, `match` (referee)", says="for the bot's own randomness, 0 to 2^53 - 1")
MEMORY = Rule(
    section="2. The conversation, Where a bot runs",
    says="If a bot exceeds a bound, its request to the system fails (a full disk, no more processes or memory), or it "
    "is killed.",
)

NUMBER: dict[Decision, str] = {
    "turn_up": "DEC-01", "look": "DEC-02", "arrange": "DEC-03", "turn": "DEC-04", "place": "DEC-05", "flip": "DEC-06",
    "power": "DEC-07", "slap": "DEC-08", "give": "DEC-09", "block": "DEC-10", "pairs": "DEC-11", "stroke": "DEC-12",
    "pick8": "DEC-13", "pick2": "DEC-14", "par": "DEC-17",
}  # fmt: skip
"""The number of each decision in RULES.md section 4."""

BY_CODE: dict[Code, Rule] = {
    "utf_16": LINE, "not_utf_8": LINE, "byte_order_mark": LINE, "no_message": OUTPUT, "syntax": LINE, "cut": LINE,
    "constant": NO_NUMBERS, "surrogate": STRINGS, "deep": DEEP, "no_object": LINE, "no_type": TYPE,
    "other_type": ONE_LINE, "missing": ANSWER, "null": NULL, "in_array": TYPES, "wrong_type": TYPES,
    "out_of_bounds": NUMBERS, "too_long": NAME, "array_length": CHOICES, "unknown_word": ANSWER, "kind": ANSWER,
    "not_filled_in": CHOICES,
}  # fmt: skip
"""The rule that a bad line breaks."""


def rule_of(bad: BadLine, line: bytes) -> Rule:
    """The rule that this line breaks."""
    if bad.code in ("no_type", "other_type"):
        return TYPE if b'"action"' in line.lower() else ONE_LINE  # the first is meant as an answer
    if bad.path == ".id" or (bad.code == "missing" and b'"id"' not in line):
        return SAME_ID
    if bad.code == "wrong_type" and bad.path in (".action", ".then"):
        return ANSWER
    if bad.code == "wrong_type" and bad.path.endswith(("slots", "rows", "lines", "targets")):
        return CHOICES  # one value in place of several
    return BY_CODE[bad.code]
