"""A match: its rounds, each showdown, the totals, and how the match ends (GEN-01)."""

from msgspec import Struct

from protocol import events
from protocol.cards import Card
from referee.rules.games import PLAYS
from referee.rules.games.turns import deal, play_turns
from referee.rules.questions import Flow
from referee.rules.scoring.knocker import score_round
from referee.rules.scoring.scoring import has_four_of_a_kind, layout_score
from referee.rules.secrets import everybody
from referee.rules.table import Layout, Table

MOST_ROUNDS = 100
"""How many rounds a match without a number of rounds has at most (GEN-12)."""

MOST_PLAYOFFS = 9
"""How many playoff rounds are played at most (GEN-13)."""


class RoundResult(Struct, frozen=True, kw_only=True):
    """The outcome of a round by seat: raw scores, and scores after all adjustments."""

    raw: tuple[int, ...]
    scores: tuple[int, ...]
    ender: int | None
    capped: bool
    playoff: bool = False


class MatchResult(Struct, frozen=True, kw_only=True):
    """The outcome of a match by seat."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    """Rank 1 is the best. Equal ranks are shared, and seats that have forfeited come last."""
    rounds: tuple[RoundResult, ...]
    capped: bool
    """Whether the match was stopped after MOST_ROUNDS."""


def play_match(table: Table, results: list[RoundResult], *, amid_round: bool = False) -> Flow[MatchResult]:
    """Play the match to its end; return its result.

    `results` has the rounds that have been played, and each further one joins them. With `amid_round` the table stands
    at the beginning of a turn, and the round goes on from there.
    """
    if amid_round:
        yield from _finish_round(table, results)
    while not _is_over(table, _counting(results)):
        yield from _play_round(table, results, playoff=False)
    yield from _play_off(table, results)
    return MatchResult(
        totals=tuple(table.totals),
        ranks=_ranks(table, [result for result in results if result.playoff]),
        rounds=tuple(results),
        capped=table.options.rounds is None and _counting(results) == MOST_ROUNDS,
    )


def _counting(results: list[RoundResult]) -> int:
    """Return how many rounds have joined the totals."""
    return len([result for result in results if not result.playoff])


def _is_over(table: Table, played: int) -> bool:
    """Return whether the match is over (GEN-12, SCO-11). Only whole rounds count (CAC-42, NIN-12, PAR-19)."""
    options = table.options
    if played == (options.rounds or MOST_ROUNDS) or table.four_of_a_kind:
        return True
    if options.limit is None or not played:
        return False
    highest = max(table.totals)
    return highest >= options.limit if options.limit_mode == "reach" else highest > options.limit


def _play_round(table: Table, results: list[RoundResult], *, playoff: bool) -> Flow[None]:
    """Settle who deals and starts a round (GEN-02, GEN-03), deal, and play it; its result joins the others."""
    table.round = len(results) + 1
    table.playoff = playoff
    table.dealer = (table.options.first_dealer + len(results)) % table.seats
    play = PLAYS[table.variant.play]
    table.starter = play.starter(table)
    rows = table.variant.rows if play.settle_rows is None else (yield from play.settle_rows(table))
    deal(table, rows)
    yield from play.open_round(table)
    yield from _finish_round(table, results)


def _finish_round(table: Table, results: list[RoundResult]) -> Flow[None]:
    """Play the turns of the round that are left, and the showdown."""
    yield from play_turns(table, PLAYS[table.variant.play].take_turn)
    results.append(_showdown(table))


def _showdown(table: Table) -> RoundResult:
    """Show every layout and score it, with the cards that lay face down (GEN-10, KNO-03).

    Scores are integers, and lower is better (GEN-11). A forfeited seat gets the round's highest score."""
    layouts = [_cards(layout) for layout in table.layouts]
    table.emit(events.Showdown(layouts=tuple([tuple([everybody(card) for card in cards]) for cards in layouts])))
    raw = tuple([layout_score(table.variant, cards) for cards in layouts])
    alone = table.seats == 1  # NIN-13: nobody is there to be lower than, or to win against
    scores = list(score_round(table.variant, raw, None if alone else table.ended_by))
    for seat in table.forfeited:
        scores[seat] = max(scores)
    if not table.playoff:
        table.totals = [total + score for total, score in zip(table.totals, scores, strict=True)]
        if table.options.four_kind_wins and not alone:
            equal = [seat for seat, cards in enumerate(layouts) if has_four_of_a_kind(cards)]
            table.four_of_a_kind = tuple(seat for seat in equal if seat not in table.forfeited)
    table.emit(
        events.Scored(
            raw=raw,
            scores=tuple(scores),
            totals=tuple(table.totals),
            ender=table.ended_by,
            capped=table.capped,
        )
    )
    return RoundResult(raw=raw, scores=tuple(scores), ender=table.ended_by, capped=table.capped, playoff=table.playoff)


def _cards(layout: Layout) -> tuple[Card | None, ...]:
    return tuple([None if slot is None else slot.card for slot in layout])


def _play_off(table: Table, results: list[RoundResult]) -> Flow[None]:
    """Play sudden death among all seats until one of those tied at the top is ahead of the others (GEN-13)."""
    if table.options.tiebreak == "shared" or table.four_of_a_kind:
        return
    playoffs = [result for result in results if result.playoff]
    while len(playoffs) < MOST_PLAYOFFS and len(_leaders(table, playoffs)) > 1:
        yield from _play_round(table, results, playoff=True)
        playoffs.append(results[-1])


def _leaders(table: Table, playoffs: list[RoundResult]) -> list[int]:
    """Return the seats with the lowest total. Each playoff round leaves those of them that score lowest in it."""
    standing = [seat for seat in range(table.seats) if seat not in table.forfeited]
    best = min([table.totals[seat] for seat in standing], default=0)
    tied = [seat for seat in standing if table.totals[seat] == best]
    for result in playoffs:
        best = min([result.scores[seat] for seat in tied], default=0)
        tied = [seat for seat in tied if result.scores[seat] == best]
    return tied


def _ranks(table: Table, playoffs: list[RoundResult]) -> tuple[int, ...]:
    """Return the ranks by seat: 1 for the lowest total (GEN-13).

    Four of a kind (SCO-11) and playoffs count more than totals, and forfeited seats come last.

    This holds for every game (CAC-43, PAR-23)."""
    winners = table.four_of_a_kind or _leaders(table, playoffs)
    best = min([table.totals[seat] for seat in winners], default=0)
    keys = [
        (seat in table.forfeited, not (seat in winners and table.totals[seat] == best), table.totals[seat])
        for seat in range(table.seats)
    ]
    order = sorted(keys)
    return tuple([table.seats if seat in table.forfeited else 1 + order.index(key) for seat, key in enumerate(keys)])
