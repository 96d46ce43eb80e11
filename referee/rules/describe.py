"""The games in words, for people. The text follows from the options in force, so that a changed option changes it."""

import re
from collections.abc import Iterator

from protocol import events
from protocol.cards import JOKER
from referee.rules.games import PLAYS, cactus, cambio, powers
from referee.rules.games.slaps import slaps_in_words
from referee.rules.options import OPTIONS, TYPES, Options, expected
from referee.rules.par_table import OURS_1, Condition, ParTable
from referee.rules.secrets import TableEvent
from referee.rules.variants import Variant, card_values, preset, size

_LINES = {"col": "a column", "row": "a row", "diag": "a diagonal"}

_PAIR_SCORES: dict[int | str, str] = {
    "sum": "the sum of their values",
    "high": "the higher value",
    "low": "the lower value",
    "diff": "the difference of their values",
}
"""The scores of a pair that follow from its values (PAR-26)."""


def rules_in_brief(variant: Variant) -> str:
    """Return the whole game as one paragraph, as bots' authors read it in the `match` message."""
    return " ".join(sentence for _, sentences in _chapters(variant) for sentence in sentences)


def rules_in_full(variant: Variant) -> str:
    """Return the game in chapters of short lines, then its options; `*` marks those that differ from the preset's."""
    fewest, most = variant.seats
    lines = [f"{variant.preset} - {variant.summary}", f"{fewest} to {most} seats.", ""]
    for title, sentences in _chapters(variant):
        lines += [title, *(f"  {_for_people(variant, sentence)}" for sentence in sentences), ""]
    lines += ["Options (RULES.md section 21)", *_option_lines(variant)]
    return "\n".join(lines)


def _for_people(variant: Variant, sentence: str) -> str:
    """The sentence without the codes of slots and with the values of cards in words. Records hold what bots read."""
    return _SLOTS.sub("", sentence.replace(_listed(variant), _values(variant)))


_SLOTS = re.compile(r",? \(?s\d+(?:(?:,| /| and)? s\d+)*\)?")
"""Such as `, s0 s1 / s2 s3` or ` (s2, s3)`."""


def power_in_words(variant: Variant, event: TableEvent) -> str:
    """Return a sentence on what the power can do that this event uses; empty where the event uses none."""
    match event:
        case events.PowerUsed(power=power):
            return f"The power of {_POWERED.get(power, f'a {power}')}: {powers.power_in_words(power)}."
        case events.Peeked() | events.Switched() if variant.play == "cactus":
            return f"The power of {cactus.power_ranks_in_words(variant)}: {cactus.POWER_IN_WORDS}."
        case events.Peeked(seat=seat, target=(of, _)) if variant.play == "cambio":
            return _cambio_power(variant, "peek_own" if of == seat else "peek_other")
        case events.Switched() if variant.play == "cambio":
            return _cambio_power(variant, "exchange")
        case events.Rearranged() if variant.play == "cambio":
            return _cambio_power(variant, "rearrange")
    return ""


_POWERED = {"A": "an ace", "8": "an 8", "BK": "a black king", "J": "a jack", "Q": "a queen"}


def _cambio_power(variant: Variant, power: str) -> str:
    ranks = [rank for rank, does in (variant.options.cambio_powers or {}).items() if does == power]
    cards = " or ".join("joker" if rank == JOKER else rank for rank in ranks)
    return f"The power of {cards}: {cambio.POWERS_IN_WORDS[power]}." if ranks else ""


def advice(variant: Variant, seats: int) -> Iterator[str]:
    """Yield what is legal but probably not meant, for those who set up a game (AMB-32, OPT-06)."""
    if seats < variant.advised_from:
        yield f"{variant.preset}: its rules advise at least {variant.advised_from} players"
    if variant.options.moon:
        highest, moon_at = _highest_score(variant), variant.options.moon_at or 10 * size(variant)
        if highest != moon_at:
            yield f"{variant.preset}: a layout can score {highest}, but the moon is at {moon_at}"


def _highest_score(variant: Variant) -> int:
    """Return the most that a layout can score; where columns cancel, each has the second dearest rank once."""
    dearest, second, *_ = sorted((points for rank, points in card_values(variant).items() if rank != "X"), reverse=True)
    column = dearest * (variant.rows - 1) + (second if "col" in variant.options.cancel else dearest)
    return column * variant.columns


def _chapters(variant: Variant) -> Iterator[tuple[str, list[str]]]:
    play = PLAYS[variant.play]
    yield "Set-up", list(play.set_up_in_words(variant))
    yield "Turn", list(play.turn_in_words(variant))
    if variant.options.slaps:
        yield "Slaps", list(slaps_in_words(variant.options))
    yield "End of a round", list(_round_end(variant))
    yield "Score", list(_score(variant))
    yield "Match", list(_match(variant))


def _round_end(variant: Variant) -> Iterator[str]:
    options = variant.options
    if variant.turns_each is not None:
        yield f"The round ends when every seat has taken {variant.turns_each} turns."
        return
    if options.no_par:
        first = options.no_par_first_end
        yield f"From your turn {first} on you may end the hole instead: the others have one more turn."
    elif variant.has("par"):
        yield "Who takes the final stroke ends the hole: that turn is over, and every other seat has one more."
    else:
        yield from _knock_or_complete(variant)
    if options.slaps:
        yield "The round ends at once when a seat has no cards left; it scores 0."
    end = "The round ends when the last stock card has been drawn and placed."
    again = "An empty stock is made anew from the shuffled pile, but for its top card."
    yield end if options.stock_out == "end" else again
    yield f"After {options.turn_cap} turn{'s' * (options.turn_cap > 1)} a seat the round is stopped."


def _knock_or_complete(variant: Variant) -> Iterator[str]:
    options = variant.options
    if variant.has("black_king_cancels"):
        yield "While no knock stands you may knock instead of a turn: every other seat has one more, then the showdown."
        yield "After a cancelled knock play goes on, and everybody may knock again."
    elif options.end_mode != "all_up":
        lap = "every other seat has one more turn, then the showdown"
        then = "the showdown follows at once" if options.knock_ends_at_once else lap
        yield f"Instead of a turn you may knock, once a round: {then}."
    if options.end_mode != "knock":
        then = "every other seat has one more turn" if options.final_turns else "the round ends at once"
        yield f"When a seat's cards are all face up at the end of its turn, {then}."


def _score(variant: Variant) -> Iterator[str]:
    options = variant.options
    yield f"Lower is better. {_listed(variant)}"
    if variant.scores_by_row:
        yield from _par_score(options)
        return
    yield from _together(variant)
    if options.one_eyed_wild:
        yield "The jacks of spades and hearts take whatever rank cancels best."
    if options.one_eyed_pairs:
        where = _alternatives(options.one_eyed_pairs)
        made = (
            "complete a line of three equal cards"
            if variant.rows == variant.columns == 3
            else "pair with an equal neighbour"
        )
        yield f"They also {made} in {where}, where other cards do not cancel."
    if options.four_kind_wins:
        yield "Four cards of one rank in a layout win the match at once."
    if options.moon:
        yield f"Who scores {options.moon_at or 10 * size(variant)} or more gets 0, and all others get that number."
    yield from _knocker(variant)


def _listed(variant: Variant) -> str:
    return ", ".join(f"{rank} {points}" for rank, points in card_values(variant).items()) + "."


def _values(variant: Variant) -> str:
    """Say what cards count: number cards their number, and then all that do not, those of one value together."""
    others: dict[int, list[str]] = {}
    for card, points in card_values(variant).items():
        if card != str(points):
            others.setdefault(points, []).append("joker" if card == JOKER else card)
    exceptions = ", ".join(f"{' and '.join(cards)} {points}" for points, cards in others.items())
    return f"Number cards count their number; {exceptions}."


def _par_score(options: Options) -> Iterator[str]:
    table = options.par_table
    ours = "; this table is ours, not the game publisher's" if table.name == OURS_1.name else ""
    yield f"Each row scores by the table `{table.name}`{ours}. The first rule that fits counts:"
    for rule in table.rules:
        yield f"{_condition(rule.condition)}: {_PAIR_SCORES.get(rule.score, rule.score)}."


def _condition(condition: Condition) -> str:
    """Say which pairs of cards the condition means."""
    alike = {"rank": condition.same_rank, "suit": condition.same_suit, "colour": condition.same_colour}
    words = [f"{'equal' if same else 'different'} in {what}" for what, same in alike.items() if same is not None]
    if condition.ranks is not None:
        words.insert(0, "of the ranks " + " and ".join(condition.ranks))
    if condition.gap is not None:
        words.append(f"{condition.gap} apart in rank")
    return f"Two cards {', '.join(words)}" if words else "Any two cards"


def _together(variant: Variant) -> Iterator[str]:
    """Yield which cards count together (RULES.md section 6, TDK-16)."""
    options = variant.options
    if options.any_pair:
        how = "one pair of each rank counts" if options.any_pair == "one_per_rank" else "all pairs of equal rank count"
        yield f"Wherever they lie, {how} 0."
    elif options.cancel:
        yield f"All cards of {_alternatives(options.cancel)} count 0 when they are equal in rank."
        if options.lines_leave:
            yield "As soon as such cards all lie face up they go to the pile, and their slots stay empty."
    if options.cancel_pairs:
        yield f"Two equal neighbours in {_alternatives(options.cancel_pairs)} count 0."
    if options.pairs_zero_at_end:
        yield "Two equal cards in a row count 0."
    if options.jokers and options.joker_pair != "zero":
        yield f"Jokers do not cancel{_joker_pair(options)}."
    if options.block_bonus is not None:
        like = "rank" if options.block_match == "rank" else "value"
        yield f"Four cards of equal {like} in a square count {options.block_bonus} together."
    if options.kings_side is not None:
        yield f"A row of four kings counts {options.kings_side}."
    if options.straight_score is not None:
        yield f"Nine consecutive ranks, the ace low, in any order score {options.straight_score} in all."


def _joker_pair(options: Options) -> str:
    """Return what two jokers count together, and where they must lie (SCO-06)."""
    if options.joker_pair == "sum" or not (options.any_pair or options.cancel or options.cancel_pairs):
        return ""
    where = ""
    if not options.any_pair:
        directions = _alternatives(tuple(dict.fromkeys(options.cancel + options.cancel_pairs)))
        where = f" that are neighbours in {directions}"
    return f"; two{where} count {options.joker_pair} together"


def _knocker(variant: Variant) -> Iterator[str]:
    options = variant.options
    if variant.has("cactus_knock"):
        threshold, factor = options.cactus_knock
        points = f"{threshold} point{'s' * (threshold != 1)}"
        yield f"A knocker with more than {points} counts them times {factor}."
    if options.knock_penalty:
        how = {
            "double": "doubles its score",
            "double5": "doubles its score and adds 5",
            "highest": "takes the round's highest score",
            "twice_players": "adds twice the number of seats",
        }.get(options.knock_penalty, f"adds {options.knock_penalty.removeprefix('add:')}")
        yield f"A knocker (or who was complete first) that is not lowest {how}."
    if options.knock_bonus:
        how = "scores 0 if positive" if options.knock_bonus == "zero" else "subtracts the number of seats"
        yield f"A knocker (or who was complete first) that is lowest of all {how}."
    if options.knock_penalty or options.knock_bonus:
        yield f"A tie for lowest is {'neither' if options.knock_tie == 'neutral' else 'a ' + options.knock_tie}."


def _match(variant: Variant) -> Iterator[str]:
    options = variant.options
    if options.rounds is not None:
        yield f"{options.rounds} round{'s' * (options.rounds > 1)}."
    if options.limit is not None:
        verb = "reaches" if options.limit_mode == "reach" else "exceeds"
        yield f"The match ends after the round in which a total {verb} {options.limit}."
    again = ""
    if options.course:
        order = "in any order" if options.par_choice == "dealer" else "from the first on"
        again = f" on the holes of the course, {order}"
    yield "The lowest total wins; " + (
        "ties are shared." if options.tiebreak == "shared" else f"a tie at the top is played off{again}."
    )
    if variant.seats[0] == 1:
        ahead = "more rounds before the limit ends it, then " if options.limit is not None else ""
        yield f"A seat that plays alone plays against its own best match: {ahead}the lower total."


def _alternatives(lines: tuple[str, ...]) -> str:
    return " or ".join(_LINES[line] for line in lines)


def _option_lines(variant: Variant) -> Iterator[str]:
    usual = preset(variant.preset).options
    for name, value in variant.own_options().items():
        mark = "*" if value != getattr(usual, name) else " "
        yield f"{mark} {name:16} {_in_words(value)}"
        yield f"      {OPTIONS[name].sentence} It takes {expected(TYPES[name])}."


def _in_words(value: object) -> str:
    if isinstance(value, ParTable):
        return value.name
    if value in (None, (), {}):
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
