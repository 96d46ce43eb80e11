"""The columns of each exported table: a struct for a table, a field for a column or for some of them, in this order.

tournaments/EXPORT.md tells the same to whoever reads the files. None is an empty field in CSV and Markdown, and null
elsewhere. Bots are told by seat, and seats and numbers of matches count from 0, all else from 1.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from protocol.messages import Decision, FaultKind

Verdict = Literal["right", "wrong", "late"]
"""What becomes of a slap: it takes the card, the card is wrong, or it is right but another bot was first."""


class OfMatch(Struct, frozen=True, kw_only=True):
    """The columns with which the rows of every match begin."""

    match_id: int
    """Which match: the id of its row in the store, which never changes. `golfref replay RUN:#ID` shows it."""
    number: int | None
    """The match's number in the plan, from 0. Empty where it is out of the standings."""
    game: str
    """The game's name in the run."""


class FaultColumns(Struct, frozen=True, kw_only=True):
    """The columns that count a bot's faults. They stand in a row at the place of the field that has them."""

    faults: int
    """How many faults it had. The next nine columns count them by their kind."""
    start_failed: int
    """Its program could not be started."""
    start_timeout: int
    """It was not ready in time."""
    timeout: int
    """Its answer did not come in time."""
    crashed: int
    """Its program ended."""
    closed_output: int
    """It closed its standard output."""
    bad_message: int
    """It wrote a line that is no answer."""
    illegal_action: int
    """It answered what was not offered."""
    line_too_long: int
    """It wrote a line that was too long."""
    flood: int
    """It wrote too many lines that answered nothing."""

    @classmethod
    def of(cls, faults: Mapping[str, int]) -> "FaultColumns":
        """The columns for these faults, told by their kind."""
        return cls(faults=sum(faults.values()), **{kind: faults.get(kind, 0) for kind in get_args(FaultKind)})


class MatchRow(OfMatch, frozen=True, kw_only=True):
    """A match that was played."""

    preset: str
    """The game of the rule book, whose options the run may have changed."""
    seats: int
    """How many bots sat at the table."""
    block: int | None
    """The block's number, from 0. All matches of the same bots on the same deal of a game are a block. Empty where
    the match is out of the standings."""
    deal: int
    """The deal's number, from 0."""
    rotation: int
    """The rotation's number, from 0. With each, every bot of the block sits one seat lower."""
    redeals: int
    """How often other cards were dealt, because a voided attempt had shown the ones before."""
    voids: int
    """How many attempts at this match were voided, because the referee or its host spoiled them."""
    rounds: int
    """How many rounds were played, without playoffs."""
    playoffs: int
    """How many rounds were played to break a tie."""
    capped: bool
    """Whether the match was stopped because it had the most rounds that there can be."""
    faults: int
    """How many faults there were, of all bots together."""
    forfeits: int
    """How many bots forfeited."""
    lag_us: int
    """The longest time in which the referee did not look at its pipes, in microseconds."""
    golfref: str
    """The version of golfref that played it."""
    protocol: str
    """The version of the protocol that the bots spoke."""
    isolation: str
    """How bots were kept from the machine."""
    host: str
    """The machine, in a line."""
    host_name: str
    """What the cluster or the shard called the machine. Empty where one machine played all."""
    record_sha256: str
    """The hash of its record, in hexadecimal."""


class SeatRow(OfMatch, frozen=True, kw_only=True):
    """What a match came to for one of its bots."""

    block: int | None
    """As in `matches`."""
    deal: int
    """As in `matches`."""
    rotation: int
    """As in `matches`."""
    seats: int
    """How many bots sat at the table."""
    seat: int
    """The bot's seat, from 0."""
    bot: str
    """The bot's name."""
    owner: str
    """The bot's owner, as the config told it when the match was played. Empty where it told none."""
    version: str
    """A hash of the bot's command, environment and files, in hexadecimal."""
    total: int
    """Its points of the whole match. Fewer are better."""
    rank: int
    """1 is best. Bots with the same rank share it, and those that forfeited come last."""
    match_points: float
    """The share of its opponents that it beat, from 0 to 1. A tie counts half."""
    strokes: float
    """Its points a round, less the mean of the table."""
    forfeited: bool
    """Whether it forfeited."""
    faults: FaultColumns
    late_slaps: int
    """In how many slap windows its answer came too late, which is a pass and no fault."""
    knocks: int
    """How often it knocked, in all rounds."""
    pile_takes: int
    """How often it drew from the pile, in all rounds."""
    slaps_right: int | None
    """How many of its slaps took a card. Empty where the game has no slaps."""
    slaps_wrong: int | None
    """How many of its slaps were of a wrong card. Empty as above."""
    slaps_after_another: int | None
    """How many of its slaps were right, but another bot was first. Empty as above."""
    decisions: int
    """How many decisions it was asked for, slaps apart."""
    thinking_us: int
    """The time that it took for them, as it was charged, in microseconds."""
    longest_us: int
    """The longest time that it took for one of them, in microseconds."""
    idle_cpu_ms: int
    """What it computed outside its turns, as far as the referee saw it, in milliseconds."""


class RoundRow(OfMatch, frozen=True, kw_only=True):
    """What a round came to for one of the bots."""

    round: int
    """The number of the round, from 1. Playoffs come last."""
    playoff: bool
    """Whether the round was played to break a tie. It joins no total."""
    seat: int
    """The bot's seat, from 0."""
    bot: str
    """The bot's name."""
    raw: int
    """What its cards were worth."""
    score: int
    """What it scored, after all that the rules add or take away."""
    total: int
    """Its points of the match after this round."""
    ended: bool
    """Whether it ended the round: it knocked, or was the first to be finished."""
    capped: bool
    """Whether the round was stopped because it had the most turns that there can be."""


class DecisionRow(OfMatch, frozen=True, kw_only=True):
    """A decision of a bot, slaps apart."""

    place: int
    """The number of the decision in its match, from 1, in the order in which they were played."""
    round: int
    """The number of the round, from 1."""
    turn: int
    """The number of the turn in its round, from 1; 0 before the first one."""
    seat: int
    """The bot's seat, from 0."""
    bot: str
    """The bot's name."""
    decision: Decision
    """What was to be decided, as the protocol calls it."""
    action: str
    """What kind of action was played, as the protocol calls it. Which card or slot it was is not told."""
    asked: bool
    """Whether the bot was asked. Without it, the answer had come together with the one before, or it had forfeited."""
    time_us: int | None
    """The time for the answer that was charged, in microseconds; it may be 0. Empty where the bot was not asked."""
    waived_us: int | None
    """Time that was not charged and is not in `time_us`, since the referee or the host delayed it. Empty as above."""
    joined: bool
    """Whether the answer had come together with the one before."""
    fault: FaultKind | None
    """The kind of fault, where the answer was one. What was played then is the rule book's choice."""
    forfeited: bool
    """Whether the bot had forfeited before, so that the rule book chose."""


class SlapRow(OfMatch, frozen=True, kw_only=True):
    """What a bot did in a slap window."""

    round: int
    """The number of the round, from 1."""
    turn: int
    """The number of the turn in its round, from 1."""
    window: int
    """The number of the window in its round, from 1."""
    seat: int
    """The bot's seat, from 0."""
    bot: str
    """The bot's name."""
    discarder: bool
    """Whether it was the bot whose card opened the window."""
    asked: int | None
    """As which of the bots it was asked, from 1. Empty where it was not: it wants no slaps, or had forfeited."""
    raw_us: float | None
    """The time of its answer as it was measured, in microseconds. Empty where it did not answer."""
    wait_us: float | None
    """For how much of that it waited for a core, in microseconds. Empty as above."""
    corrected_us: float | None
    """The time that counts, in microseconds. Empty as above."""
    late: bool
    """Whether its answer came too late, which is a pass and no fault."""
    slapped: bool
    """Whether it slapped a card. Else it passed."""
    lot: int
    """Its place in the lot of the window, from 1. Lots decide where times are too close."""
    place: int | None
    """As which of the slaps its own counted, from 1. Empty where it did not slap."""
    photo_finish: bool
    """Whether its time was so close to another's that the lot decided; the bot that discarded is always last then."""
    verdict: Verdict | None
    """What became of its slap: it took the card (`right`), the card was `wrong`, or another bot was first (`late`).
    Empty where it did not slap, and where the card was gone or the round over before its slap came up."""
    fault: FaultKind | None
    """The kind of fault, where the answer was one."""
    disturbed: str | None
    """Why the measurement is in doubt, where it is."""


class PairRow(Struct, frozen=True, kw_only=True):
    """A bot against one opponent, over all matches in which both sat at the table."""

    game: str | None
    """The game's name in the run. Empty for all games together."""
    bot: str
    """The bot's name."""
    opponent: str
    """The opponent's name."""
    matches: int
    """In how many matches they met."""
    match_points: float
    """The mean of 1 for a better rank than the opponent, 0 for a worse one, and half for the same."""
    match_points_from: float | None
    """Where the true figure begins to lie, wrong at either end in 5 of 100 runs. Empty where that is not known."""
    match_points_to: float | None
    """Where it ceases to lie."""
    strokes: float | None
    """The mean of its points a round, less the opponent's. Empty over several games."""
    strokes_from: float | None
    """As above."""
    strokes_to: float | None
    """As above."""


class StandingRow(Struct, frozen=True, kw_only=True):
    """A bot's place in the standings, over all games or in one."""

    game: str | None
    """The game's name in the run. Empty for all games together."""
    rank: int | None
    """1 is best, and equal figures share a rank. Empty where the bot is not compared with those that are ranked."""
    rank_from: int | None
    """The best rank that it can have by what is known."""
    rank_to: int | None
    """The worst one. Bots with the same two are tied."""
    bot: str
    """The bot's name."""
    owner: str
    """The bot's owner. Empty where the config tells none."""
    version: str
    """A hash of the bot's command, environment and files, in hexadecimal."""
    match_points: float | None
    """The mean share of the opponents at its table that it beat, from 0 to 1. Empty without a match."""
    match_points_stderr: float | None
    """The standard error of `match_points`. Empty where it is not known."""
    match_points_from: float | None
    """Where the true figure begins to lie, wrong at either end in 5 of 100 runs. Empty where that is not known."""
    match_points_to: float | None
    """Where it ceases to lie."""
    strokes: float | None
    """The mean of its points a round, less the mean of its table. Empty over several games."""
    strokes_stderr: float | None
    """The standard error of `strokes`."""
    strokes_from: float | None
    """Where the true figure begins to lie, as above."""
    strokes_to: float | None
    """Where it ceases to lie."""
    reason: str
    """Why there is no rank or no interval, or what the interval rests on."""
    games: int
    """Over how many games the figures are."""
    matches: int
    """How many matches it played."""
    waiting: int
    """How many of them are in blocks that lack matches, and so not in the figures yet."""
    rounds: int
    """How many rounds it played."""
    firsts: int
    """How many matches it ended with rank 1, shared or not."""
    forfeits: int
    """How many matches it forfeited."""
    faults: FaultColumns
    late_slaps: int
    """In how many slap windows its answer came too late, which is no fault."""
    idle_cpu_ms: int
    """What it computed outside its turns, as far as the referee saw it, in milliseconds."""
    opponents: float | None
    """How strong its opponents were, as a rating. Empty where all bots meet the same opponents, and in single games."""
    rating: float | None
    """Its chance to finish before the anchor at a table of the two. Empty in single games and without matches."""
    rating_from: float | None
    """Where that chance begins to lie, wrong at either end in 5 of 100 runs. Empty for the anchor, and if unknown."""
    rating_to: float | None
    """Where it ceases to lie."""
    anchor: bool
    """Whether it is the anchor of the ratings. False in single games."""


Row = MatchRow | SeatRow | RoundRow | DecisionRow | SlapRow | PairRow | StandingRow

Table = Literal["matches", "seats", "rounds", "decisions", "slaps", "pairs", "standings"]

TABLES: dict[Table, type[Row]] = {
    "matches": MatchRow,
    "seats": SeatRow,
    "rounds": RoundRow,
    "decisions": DecisionRow,
    "slaps": SlapRow,
    "pairs": PairRow,
    "standings": StandingRow,
}
"""The columns of each table."""
