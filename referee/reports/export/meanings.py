"""What the columns of the exported tables mean, as `golfref export --describe` prints it."""

from collections.abc import Mapping

ROWS: Mapping[str, str] = {
    "matches": "match",
    "seats": "bot of a match",
    "rounds": "bot in a round",
    "decisions": "decision of a bot, slaps apart; each match is played again for it, which takes longer",
    "slaps": "bot in a slap window, also where it passed or was not asked; each match is played again for it",
    "pairs": "bot and each opponent that it met: first over all games, then for each game",
    "standings": "bot: first over all games, then for each game",
}
"""By table what it has a row for."""

SHARED: Mapping[str, str] = {
    "match": "The match's number in the plan, from 0. Empty if the match is out of the standings.",
    "id": "The id of the match's row in the store, which never changes.",
    "game": "The game's name in the run. Empty for all games together.",
    "block": "The block's number, from 0: all matches of the same bots on the same deal of a game are a block. Empty "
    "if the match is out of the standings.",
    "deal": "The deal's number, from 0.",
    "rotation": "The rotation's number, from 0. With each, every bot of the block sits one seat lower.",
    "seats": "How many bots sat at the table.",
    "seat": "The bot's seat, from 0.",
    "bot": "The bot's name.",
    "owner": "The bot's owner. Empty if the config names none.",
    "version": "A hash of the bot's command, environment and files, in hexadecimal.",
    "round": "The number of the round, from 1. Playoffs come last.",
    "turn": "The number of the turn in its round, from 1; 0 before the first one.",
    "rounds": "How many rounds were played, without playoffs.",
    "matches": "How many matches were played.",
    "match_points_from": "The lower end of the 95 % confidence interval. Empty if it is not known.",
    "match_points_to": "The upper end.",
    "strokes_from": "The lower end of the 95 % confidence interval.",
    "strokes_to": "The upper end.",
    "capped": "Whether the match or round was stopped because it had the most rounds or turns that there can be.",
    "faults": "How many faults there were. In `seats` and `standings` the next nine columns count them by kind.",
    "start_failed": "Its program could not be started.",
    "start_timeout": "It was not ready in time.",
    "timeout": "Its answer did not come in time.",
    "crashed": "Its program ended.",
    "closed_output": "It closed its standard output.",
    "bad_message": "It wrote a line that is no answer.",
    "illegal_action": "It answered what was not offered.",
    "line_too_long": "It wrote a line that was too long.",
    "flood": "It wrote too many lines that answered nothing.",
    "forfeits": "How many forfeits there were.",
    "late_slaps": "In how many slap windows its answer came too late, which is a pass and no fault.",
    "pile_takes": "How often it drew from the pile, in all rounds.",
    "knocks": "How often it knocked, in all rounds.",
    "ends": "How many rounds it ended: it knocked, or was the first to finish.",
    "ends_won": "In how many of these no bot scored less.",
    "ends_penalised": "In how many of these the rules added points to those of its cards.",
    "slaps_right": "How many of its slaps took a card. Empty if no game has slaps.",
    "slaps_wrong": "How many of its slaps were of a wrong card. Empty as above.",
    "slaps_after_another": "How many of its slaps were right, but another bot was first. Empty as above.",
    "idle_cpu_ms": "What it computed outside its turns, as far as the referee saw it, in milliseconds.",
    "fault": "The kind of fault, if the answer was one. The rule book then chose the action.",
}

OWN: Mapping[str, Mapping[str, str]] = {
    "matches": {
        "preset": "The game of the rule book, whose options the run may have changed.",
        "redeals": "How often other cards were dealt, because a voided attempt had shown the ones before.",
        "voids": "How many attempts at this match were voided, because the referee or its host spoiled them.",
        "playoffs": "How many rounds were played to break a tie.",
        "lag_us": "The longest time in which the referee did not look at its pipes, in microseconds.",
        "golfref": "The version of golfref that played it.",
        "protocol": "The version of the protocol that the bots spoke.",
        "isolation": "How bots were kept from the machine.",
        "host": "The machine, in a line.",
        "host_name": "The machine's name in the cluster or the shard. Empty if one machine played all.",
        "record_sha256": "The hash of its record, in hexadecimal.",
    },
    "seats": {
        "total": "Its points of the whole match. Fewer are better.",
        "rank": "1 is best. Bots with the same rank share it, and those that forfeited come last.",
        "match_points": "The share of its opponents that it beat, from 0 to 1. A tie counts half.",
        "strokes": "Its points a round, less the mean of the table.",
        "forfeited": "Whether it forfeited.",
        "decisions": "How many decisions it was asked for, slaps apart.",
        "thinking_us": "The time that it took for them, as it was charged, in microseconds.",
        "longest_us": "The longest time that it took for one of them, in microseconds.",
    },
    "rounds": {
        "playoff": "Whether the round was played to break a tie. It joins no total.",
        "raw": "The worth of its cards.",
        "score": "Its score, after all that the rules add or take away.",
        "total": "Its points of the match after this round.",
        "ended": "Whether it ended the round: it knocked, or was the first to be finished.",
    },
    "decisions": {
        "place": "The number of the decision in its match, from 1, in the order of play.",
        "decision": "The decision's name in the protocol.",
        "action": "The kind of the action that was played, as in the protocol, without its card or slot.",
        "asked": "Whether the bot was asked. If not, the answer came together with the one before, or the bot had "
        "forfeited.",
        "time_us": "The time for the answer that was charged, in microseconds; it may be 0. Empty if the bot was not "
        "asked.",
        "waived_us": "Time that was not charged and is not in `time_us`, since the referee or the host delayed it. "
        "Empty as above.",
        "joined": "Whether the answer came together with the one before.",
        "forfeited": "Whether the bot had forfeited before, so that the rule book chose.",
    },
    "slaps": {
        "window": "The number of the window in its round, from 1.",
        "discarder": "Whether it was the bot whose card opened the window.",
        "asked": "As which of the bots it was asked, from 1. Empty if it was not: it wants no slaps, or had forfeited.",
        "raw_us": "The time of its answer as it was measured, in microseconds. Empty if it did not answer.",
        "wait_us": "For how much of that it waited for a core, in microseconds. Empty as above.",
        "corrected_us": "The time that counts, in microseconds. Empty as above.",
        "late": "Whether its answer came too late, which is a pass and no fault.",
        "slapped": "Whether it slapped a card. If not, it passed.",
        "lot": "Its place in the lot of the window, from 1. Lots decide if times are too close.",
        "place": "As which of the slaps its own counted, from 1. Empty if it did not slap.",
        "photo_finish": "Whether its time was so close to another's that the lot decided; the bot that discarded is "
        "always last then.",
        "verdict": "`right`: the slap took the card; `wrong`: it was a wrong card; `late`: another bot was first. "
        "Empty if it did not slap, and if the card was gone or the round over before its slap came up.",
        "disturbed": "Why the measurement is in doubt, if it is.",
    },
    "pairs": {
        "opponent": "The opponent's name.",
        "matches": "In how many matches they met.",
        "match_points": "The mean of 1 for a better rank than the opponent, 0 for a worse one, and half for the same.",
        "strokes": "The mean of its points a round, less the opponent's. Empty over several games.",
    },
    "standings": {
        "rank": "1 is best, and equal figures share a rank. Empty if the bot is not ranked.",
        "rank_from": "The best rank that it can have, as far as is known.",
        "rank_to": "The worst one. Bots with the same two are tied.",
        "match_points": "The mean share of the opponents at a table that it beat, from 0 to 1. Empty without a match.",
        "match_points_stderr": "The standard error of `match_points`. Empty if it is not known.",
        "strokes": "The mean of its points a round, less the mean of its table. Empty over several games.",
        "strokes_stderr": "The standard error of `strokes`.",
        "reason": "Why there is no rank or no interval, or which data the interval is from.",
        "games": "Over how many games the figures are.",
        "waiting": "How many of the matches are in blocks that lack matches, and so not in the figures yet.",
        "firsts": "How many matches it ended with rank 1, shared or not.",
        "opponents": "How strong its opponents were, as a rating. Empty if all bots meet the same opponents, and in "
        "single games.",
        "rating": "Its chance to finish before the anchor at a table of the two. Empty in single games and without "
        "matches.",
        "rating_from": "The lower end of the 95 % confidence interval. Empty for the anchor, and if it is not known.",
        "rating_to": "The upper end.",
        "anchor": "Whether it is the anchor of the ratings. False in single games.",
    },
}


def meaning_of(table: str, column: str) -> str:
    """What a column of a table holds, in a sentence or two. Raises LookupError where there is no such column."""
    own = OWN.get(table, {})
    return own[column] if column in own else SHARED[column]
